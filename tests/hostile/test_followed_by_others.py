"""What the service learnt of a name for one account is shown to another only from its own following, or check, on."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.availability import store as registry_store
from afterdrop.catalogue.availability.recheck import Inquiry, RecheckPass
from afterdrop.catalogue.summary import Links
from afterdrop.checks.result import report_of
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.review import registry_changes, registry_states, visits
from afterdrop.db.tables.watching import watches
from afterdrop.delivery.events import TAKEOVER_SEEN
from afterdrop.scoring.judge import judge
from afterdrop.sources.live.warc_record import evidence_dir, keep_record
from afterdrop.sources.metrics.model import LINKS, LINKS_TODAY, Metric, Metrics
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, unknown
from afterdrop.watching import registry_news, store, takeovers
from tests.support import ON_SQLITE
from tests.support.browser import Browser, browser, made_link, more_settings, second, service, words
from tests.support.published import history
from tests.support.rows import DAY
from tests.support.service import NOW, Service, row
from tests.support.world import World

__all__ = ["browser", "more_settings", "second", "service"]
LIST = "/account/watchlist"
HOUR = timedelta(hours=1)


@pytest.fixture
def world(database: Database, settings: Settings) -> World:
    """A worker over an empty database."""
    return World(database, settings)


async def follows(service: Service, who: str, domain: str, at: datetime = NOW) -> None:
    async with service.database.write() as conn:
        row = {"account_id": service.accounts[who].id, "domain": domain, "created_at": at}
        await conn.execute(sa.insert(watches).values(**row))


async def says(service: Service, domain: str, at: datetime, stage: str = "pending_delete") -> None:
    """A registry's last answer, `at` then; it was the same a month before."""
    values: dict[str, Any] = {
        "domain": domain,
        "stage": stage,
        "since": NOW - 30 * DAY,
        "due_at": at + 9 * DAY,
    }
    values |= {"checked_at": at, "expires_at": NOW - 60 * DAY}
    async with service.database.write() as conn:
        await conn.execute(sa.delete(registry_states).where(registry_states.c.domain == domain))
        await conn.execute(sa.insert(registry_states).values(**values))


async def visited(service: Service, domain: str, began: datetime, day: int = 0, **more: Any) -> None:
    """A visit of a name that was registered anew."""
    values: dict[str, Any] = {"domain": domain, "began_at": began, "day": day, "attempts": 1, "kind": "spam"}
    values |= {"visited_at": began + day * DAY + HOUR, "category": "gambling", "after_account": 0}
    async with service.database.write() as conn:
        await conn.execute(sa.insert(visits).values(**values | more))


async def due(service: Service) -> dict[str, timedelta]:
    """How long from now the names wait for their registries to be asked."""
    async with service.database.read() as conn:
        rows = await conn.execute(sa.select(registry_states.c.domain, registry_states.c.due_at))
        return {domain: due_at - service.clock.now for domain, due_at in rows}


def test_a_check_does_not_tell_when_links_were_looked_at_before() -> None:
    page, earlier = "https://ring.example/links", NOW - 5 * DAY
    looked = {"page": page, "state": "there", "at": f"{earlier:%Y-%m-%d}", "text": "hut", "nofollow": False}
    looked |= {"sponsored": False, "place": "body", "note": None, "target": None}
    other = {"domain": "shop.example", "page": "https://shop.example/"}
    links = [{"domain": "ring.example", "page": page, "text": "hut"}, other]
    metrics = [Metric(LINKS, links, "vendor", earlier), Metric(LINKS_TODAY, [looked], "live_pages", earlier)]
    judged = judge(history(), Metrics.of(metrics), None, NOW)
    told = report_of(judged, unknown(None, "timeout"), None, Viewer(1, "pro"), Links("", "", "", ""), NOW)
    today = f"{NOW:%Y-%m-%d}"
    assert told["links"] and told["links_today"]
    assert [link["today"] and link["today"]["looked_at"] for link in told["links"]] == [today, None]
    assert told["links_today"]["looked_at"] == today
    assert f"{earlier:%Y-%m-%d}" not in str(told)


@ON_SQLITE
async def test_a_state_is_shown_from_the_next_answer_on(service: Service, browser: Browser) -> None:
    """What a registry said while only somebody else followed the name, and since when, is not told."""
    await browser.sign_in("pro")
    await service.show(row("ended.com", ends_at=NOW - 90 * DAY, live_until=NOW - 90 * DAY))
    for name in ("mine.com", "ended.com"):
        await follows(service, "operator", name, NOW - 40 * DAY)
        await says(service, name, NOW - HOUR)
    await browser.send(LIST, {"names": "mine.com unknown.com aaa.com ended.com"})
    text = words(await browser.get(LIST))
    assert text.partition("Names on no list")[2].count("Not known yet") == 3
    assert "Pending delete" not in text
    assert text.index("aaa.com") < text.index("mine.com") < text.index("unknown.com"), "nor by its place"
    assert max((await due(service)).values()) < timedelta(minutes=1), (
        "they are asked about soon, known or not"
    )
    for name in ("mine.com", "ended.com"):
        await says(service, name, NOW + HOUR)
    text = words(await browser.get(LIST))
    assert text.count("Pending delete") == 2
    assert f"{NOW - 30 * DAY:%-d %b %Y}" not in text


@ON_SQLITE
async def test_changes_of_before_are_no_news(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    await follows(service, "operator", "mine.com", NOW - 40 * DAY)
    await follows(service, "pro", "mine.com")
    for at, change in ((NOW - HOUR, "redemption"), (NOW, "renewed")):
        values = {"domain": "mine.com", "change": change, "stage": "active", "seen_at": at}
        async with service.database.write() as conn:
            await conn.execute(sa.insert(registry_changes).values(**values))
        assert ("From the registries" in words(await browser.get("/desk"))) == (at == NOW)


@ON_SQLITE
async def test_visits_made_for_others_are_not_shown(
    service: Service, browser: Browser, second: Browser
) -> None:
    """Nor those that were planned before: nobody would have planned them but for somebody else."""
    record = keep_record(evidence_dir(service.context.settings), b"\x1f\x8b a record")
    for name in ("mine.com", "once.com"):
        await follows(service, "operator", name, NOW - 90 * DAY)
        await visited(service, name, NOW - 20 * DAY, evidence=record)
        await visited(service, name, NOW - 20 * DAY, 30, evidence=record)
        await follows(service, "pro", name)
    await service.show(row("once.com", ends_at=NOW - 90 * DAY, live_until=NOW - 90 * DAY))
    await browser.sign_in("pro")
    link = await made_link(browser, "mine.com", "once.com")
    service.clock.move(days=12)

    async def told(name: str) -> list[bool]:
        page = f"/domains/{name}/takeover"
        return [
            "gambling" in words(await browser.get(page)),
            (await browser.get(f"{page}/{record}")).status_code == 200,
            page in (await browser.get(LIST)).text,
            page in (await browser.get("/desk")).text,
            (await second.get(f"{link}/{name}/takeover")).status_code == 200,
        ]

    assert await told("once.com") == [True] * 5, "it was on a list: whoever follows it may read that"
    assert await told("mine.com") == [False] * 5
    assert "Nothing is known yet" in words(await browser.get("/domains/mine.com/takeover"))
    await visited(service, "mine.com", NOW + 11 * DAY, evidence=record)
    assert await told("mine.com") == [True] * 5
    await second.sign_in("operator")
    assert (await second.get("/domains/mine.com/takeover")).text.count(f"takeover/{record}") == 3, (
        "operators see all"
    )


@ON_SQLITE
async def test_a_visit_is_told_to_those_who_followed_when_it_was_planned(world: World) -> None:
    early, late = await world.account(), await world.account()
    for one in (early, late):
        await world.endpoint(one, events=[TAKEOVER_SEEN])
    await world.watch(early, "a.com")
    began = world.now
    world.move(days=1)
    await world.watch(late, "a.com")
    world.move(days=29)
    values = {"domain": "a.com", "began_at": began, "day": 30, "visited_at": world.now, "kind": "spam"}
    async with world.database.write() as conn:
        await conn.execute(sa.insert(visits).values(**values, attempts=1, after_account=0))
    await takeovers.tell_of_visits(world.context)
    assert [event["account_id"] for event in await world.events()] == [early]


@ON_SQLITE
async def test_names_followed_anew_are_asked_about_as_look_ups_are(service: Service) -> None:
    """600 an hour, in turn, whether they are unfollowed meanwhile or not."""

    async def follow(names: list[str]) -> list[timedelta]:
        answer = await service.ask("POST", "/watchlist", json={"domains": names})
        assert answer.status_code == 200, answer.text
        waits = await due(service)
        return [waits[name] for name in names]

    waits = await follow([f"a{number}.com" for number in range(900)])
    assert waits[0] == timedelta()
    assert sum(wait < HOUR for wait in waits) == 600
    assert waits == sorted(waits)
    async with service.database.write() as conn:
        await conn.execute(sa.delete(watches))
    service.clock.move(minutes=5)
    later = await follow([f"b{number}.com" for number in range(100)])
    assert min(later) >= timedelta(minutes=84), "unfollowing does not make room"
    service.clock.move(hours=3)
    assert await follow(["c.com"]) == [timedelta()]


@ON_SQLITE
async def test_a_name_that_is_due_already_does_not_wait(service: Service) -> None:
    await says(service, "late.com", NOW - 9 * DAY)
    await service.ask("POST", "/watchlist", json={"domains": ["a.com", "b.com", "late.com"]})
    assert (await due(service))["late.com"] == timedelta()


@ON_SQLITE
async def test_operators_are_asked_for_sooner(service: Service) -> None:
    names = [f"a{number}.com" for number in range(1000)]
    await service.ask("POST", "/watchlist", "operator", json={"domains": names})
    assert timedelta(minutes=4) < max((await due(service)).values()) <= timedelta(minutes=5)


@ON_SQLITE
@pytest.mark.parametrize("listed", [False, True])
async def test_a_change_is_told_to_those_who_knew_what_was_before(world: World, listed: bool) -> None:
    """That a name was registered a minute ago is news only for those for whom it was seen free before."""
    early, late = await world.account(), await world.account()
    for one in (early, late):
        await world.endpoint(one, events=["registration.registered"])
    if listed:
        over = world.now - 9 * DAY
        await world.publish("a.com", ends_at=over, live_until=over, resolved_at=over)
    await world.watch(early, "a.com")
    known = {"stage": "available", "since": NOW - 9 * DAY, "checked_at": world.now}
    async with world.database.write() as conn:
        await registry_store.take_in(conn, {"a.com": world.now})
        await conn.execute(sa.update(registry_states).values(**known))
    world.move(hours=1)
    await world.watch(late, "a.com")
    world.move(minutes=1)

    class Registry:
        async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
            record = Registration(domain, "registered", "X", registered_at=NOW)
            return RegistryAnswer("registered", record)

        async def host(self, domain: str, now: datetime) -> str | None:
            return None

    async def delegated(_: str, unused: str) -> bool | None:
        return None

    inquiry = Inquiry(world.database, Registry(), delegated, lambda: world.now, world.settings.registry)
    await RecheckPass(inquiry, inquiry, "worker").run()
    await registry_news.tell_of_registries(world.context)
    told = [event["account_id"] for event in await world.events()]
    assert told == ([early, late] if listed else [early])
    async with world.database.write() as conn:
        await conn.execute(sa.update(visits).where(visits.c.day == 0).values(visited_at=world.now))
        for read in (
            [await store.registry_news(conn, one, NOW - DAY, 9) for one in (early, late)],
            [await takeovers.read_by(conn, one, ["a.com"]) for one in (early, late)],
        ):
            assert [len(each) for each in read] == [1, int(listed)]
