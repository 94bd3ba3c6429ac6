"""An operator who is one no longer tries every door for what a licence reserved: what was stored for him stays shut."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import orjson
import pytest

from afterdrop.accounts import members
from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.accounts.store import account_by_id
from afterdrop.checks import store as checks
from afterdrop.checks.worker import _completed
from afterdrop.core.settings import Mail, Webhook
from afterdrop.db.tables.catalogue import reserved_views
from afterdrop.delivery.mail.worker import mail_queue
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.worker import delivery_queue, delivery_worker
from afterdrop.watching import desk_store
from afterdrop.watching.alert_mails import mail_matches
from afterdrop.web.mcp.tools import TOOLS, answer_call
from tests.support import told_reports
from tests.support.browser import Browser, browser, second, service
from tests.support.mailserver import mailserver
from tests.support.receivers import OK, receiver
from tests.support.rows import put_reserved
from tests.support.service import Service, code, row
from tests.support.world import World

__all__ = ["browser", "second", "service"]

WHO = "operator"
# Reserved as a whole; reserved in part: its better listing and figures are for operators; open to all.
WHOLE, PARTLY, PUBLIC = "kept-for-us.com", "half-and-half.com", "open-to-all.com"
HIDDEN: dict[str, Any] = {
    "source": "market_f",
    "source_title": "Hidden Auctions",
    "url": "https://hidden.example/lot/1",
    "trust_flow": 77,
    "score": 88,
}
# Nothing an answer says may have one of these.
SECRETS = (WHOLE, "Hidden Auctions", "hidden.example", "market_f")
HOOK = Webhook(allow_loopback=True)
LEASE = timedelta(minutes=1)


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """Receivers on loopback."""
    return {"webhook": HOOK}


@pytest.fixture
async def world(service: Service) -> AsyncIterator[World]:
    """A worker over the service's database, by the service's clock."""
    made = World(service.database, service.context.settings, service.clock.now)
    async with open_sender(HOOK, lambda: service.clock.now.timestamp()) as sender:
        made.context = replace(made.context, sender=sender, now=service.clock.read)
        yield made


@dataclass(frozen=True)
class Spoils:
    """What the operator has in hand when he is demoted. `check` was made of a reserved listing."""

    endpoint: int
    check: str
    key: str
    share: str


async def while_an_operator(service: Service, world: World, url: str) -> Spoils:
    """Matches of three domains, a watch, a check, a share link, and everything that is written about them."""
    endpoint = (await service.ask("POST", "/webhooks", WHO, json={"url": url})).json()["data"]["id"]
    assert (await service.ask("POST", "/alerts", WHO, json={"name": "all"})).status_code == 201
    await world.publish(WHOLE, gated=True, **HIDDEN)
    await world.publish(PARTLY, score=50, trust_flow=12)
    async with service.database.write() as conn:
        await put_reserved(conn, {**row(PARTLY), **HIDDEN})
    await world.publish(PUBLIC, score=51)
    await world.match()
    assert (await service.ask("PUT", f"/watchlist/{WHOLE}", WHO)).status_code == 200
    ordered = await service.ask("POST", "/checks", WHO, json={"domain": PARTLY})
    check = ordered.json()["data"]["id"]
    await finish_check(service, world, check)
    again = await service.ask(
        "POST", "/checks", WHO, json={"domain": PARTLY}, headers={"Idempotency-Key": "kept"}
    )
    assert (again.status_code, again.json()["data"]["score"]) == (200, 88)
    async with service.database.write() as conn:
        names = [PUBLIC, PARTLY]
        await desk_store.share(conn, service.accounts[WHO].id, "token", names, service.clock.now)
    assert await mail_matches(world.context, "instant") == {"mails": 1}
    return Spoils(endpoint, check, "kept", "/s/token")


async def finish_check(service: Service, world: World, check: str) -> None:
    """The check ends with what its owner saw as an operator."""
    report: Any = told_reports.check_values(told_reports.steady(), PARTLY)["report"]
    found: Any = {
        **report,
        "score": 88,
        "listing": {**report["listing"], **{"source_title": "Hidden Auctions"}},
    }
    nulls = dict.fromkeys(("registrar", "registered_at", "expires_at", "statuses"))
    registration: Any = {"state": "registered", **nulls}
    async with service.database.write() as conn:
        [taken] = await checks.claim(conn, "w", service.clock.now, LEASE, 1)
        assert taken["id"] == check
        result = checks.CheckResult(88, "ok", True, [], found, registration, reserved=True)
        done = await checks.finish(conn, taken, result, service.clock.now)
        await _completed(conn, world.context, done)


async def demote(service: Service, operator: bool = False) -> None:
    """As `afterdrop account operator` does it."""
    async with service.database.write() as conn:
        await members.set_operator(conn, service.accounts[WHO].id, operator)


async def read_events(service: Service, after: str | None = None, **query: Any) -> tuple[list[Any], str]:
    """All events after a cursor, and the cursor to keep."""
    found: list[Any] = []
    while True:
        params = {**query, **({} if after is None else {"after": after})}
        answer = await service.get("/events", WHO, params=params)
        assert answer.status_code == 200, answer.text
        found += answer.json()["data"]
        after = answer.json()["meta"]["next_cursor"]
        if not answer.json()["meta"]["more"]:
            return found, str(after)


def domains_of(found: list[Any]) -> list[str]:
    """What the events are about."""
    return sorted(one["data"]["domain"]["domain"] for one in found if one["type"] == "alert.matched")


async def test_events_of_reserved_domains_are_left_out_and_the_cursor_passes_them(
    service: Service, world: World
) -> None:
    async with receiver(OK) as mine:
        await while_an_operator(service, world, mine.url)
    before, _ = await read_events(service)
    assert domains_of(before) == sorted([WHOLE, PARTLY, PUBLIC])
    assert "check.completed" in {one["type"] for one in before}
    await demote(service)
    for limit in (1, 100):
        found, cursor = await read_events(service, limit=limit)
        assert domains_of(found) == [PUBLIC]
        assert [one["type"] for one in found] == ["alert.matched"]
    assert found == [one for one in before if one in found], "the same bytes"
    assert await read_events(service, cursor) == ([], cursor)
    await world.publish("found-later.com", score=52)
    await world.match()
    assert domains_of((await read_events(service, cursor))[0]) == ["found-later.com"]
    # What he could not see was left alone: whoever is an operator again reads all of it.
    await demote(service, operator=True)
    assert domains_of((await read_events(service))[0]) == sorted([*domains_of(before), "found-later.com"])


async def test_pending_deliveries_and_mails_expire_and_count_against_nobody(
    service: Service, world: World
) -> None:
    async with receiver(OK) as mine, mailserver() as post:
        given = Mail(host="127.0.0.1", port=post.port, security="none", sender="a@drops.example")
        settings = world.settings.model_copy(update={"mail": given})
        world.context = replace(world.context, settings=settings)
        spoils = await while_an_operator(service, world, mine.url)
        await demote(service)
        await world.work(mail_queue(world.context))
        queue = delivery_queue(delivery_worker(world.context))
        await world.work(queue)
        assert [orjson.loads(one.body)["data"]["domain"]["domain"] for one in mine.posts] == [PUBLIC]
        assert post.taken == []
        log = (await service.get(f"/webhooks/{spoils.endpoint}/deliveries", WHO)).json()["data"]
        states = sorted((one["status"], one["error"], one["attempts"]) for one in log if one["error"])
        assert states == [("failed", "expired", 0)] * 3
        endpoint = (await service.get(f"/webhooks/{spoils.endpoint}", WHO)).json()["data"]
        assert (endpoint["active"], endpoint["consecutive_failures"]) == (True, 0)
        # To have one sent again does not help.
        service.clock.move(minutes=5)
        for one in log:
            if one["error"]:
                async with service.database.write() as conn:
                    ids = (service.accounts[WHO].id, spoils.endpoint, one["id"])
                    assert await endpoint_store.redeliver(conn, *ids, service.clock.now)
        await world.work(queue)
        assert len(mine.posts) == 1
    assert {(one["status"], one["error"]) for one in await world.mails()} == {("failed", "expired")}


async def test_no_other_door_gives_what_was_stored(service: Service, world: World, browser: Browser) -> None:
    async with receiver(OK) as mine:
        spoils = await while_an_operator(service, world, mine.url)
    await browser.sign_in(WHO)
    doors = ("/checks", f"/checks/{spoils.check}", "/alerts/matches", "/watchlist", "/events", "/domains")
    pages = (
        *("/account/data.json", f"/checks/{spoils.check}", "/checks", "/watchlist", "/account", spoils.share),
        f"/account/webhooks/{spoils.endpoint}",
    )

    async def told() -> dict[str, str]:
        api = {f"api {path}": (await service.get(path, WHO)).text for path in doors}
        return api | {path: (await browser.get(path)).text for path in pages}

    opened = await told()
    for path in ("api /events", "api /watchlist", f"api /checks/{spoils.check}", "/account/data.json"):
        assert any(secret in opened[path] for secret in SECRETS), path
    await demote(service)
    for path, text in (await told()).items():
        assert not [secret for secret in SECRETS if secret in text], path
    await its_check_is_there_without_what_it_found(service, spoils)
    assert "for operators only" in (await browser.get(f"/checks/{spoils.check}")).text
    replayed = await service.ask(
        "POST", "/checks", WHO, json={"domain": PARTLY}, headers={"Idempotency-Key": spoils.key}
    )
    assert code(replayed) == (422, "validation_failed")
    new = await service.ask("POST", "/checks", WHO, json={"domain": PARTLY})
    assert (new.status_code, new.json()["data"]["score"]) == (202, None)


async def its_check_is_there_without_what_it_found(service: Service, spoils: Spoils) -> None:
    """Through API and MCP."""
    shown = (await service.get(f"/checks/{spoils.check}", WHO)).json()["data"]
    assert (shown["status"], shown["score"], shown["verdict"]) == ("done", None, None)
    assert (shown["would_list"], shown["reject_reasons"], shown["report"]) == (None, [], None)
    assert shown["registration"]["state"] == "registered"
    async with service.database.read() as conn:
        account = await account_by_id(conn, service.accounts[WHO].id)
    assert account is not None
    owner = KeyOwner(1, "full", account)
    for name, asked in (("get_check", {"id": spoils.check}), ("list_checks", {}), ("list_matches", {})):
        body, fault = await answer_call(service.context, owner, TOOLS[name], asked)
        assert not fault, body
        assert "'score': 88" not in str(body)
        assert not [secret for secret in SECRETS if secret in str(body)], (name, body)


async def test_a_licence_that_changes_shuts_what_members_were_told(service: Service, world: World) -> None:
    """A domain that becomes the operators' own leaves everybody's events; a figure that is reserved later does not."""
    assert (await service.ask("POST", "/alerts", "pro", json={"name": "all"})).status_code == 201
    for name in (WHOLE, PARTLY):
        await world.publish(name)
    await world.match()
    assert len((await service.get("/events", "pro")).json()["data"]) == 2
    await world.update(WHOLE, gated=True)
    async with service.database.write() as conn:
        await put_reserved(conn, {**row(PARTLY), **HIDDEN})
    assert len(await world.rows(reserved_views)) == 1
    assert domains_of((await service.get("/events", "pro")).json()["data"]) == [PARTLY]
    await world.update(WHOLE, removed_at=service.clock.now, gated=False)
    seen = (await service.get("/events", "pro")).json()["data"]
    assert domains_of(seen) == sorted([WHOLE, PARTLY]), "what was withdrawn for spam stays"
