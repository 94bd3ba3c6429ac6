"""A member guesses names while an operator's own feed lists one, changes it, ends it and loses it: no door tells.

Whatever he follows, tags, checks, shares and exports, every byte that he and his readers get stays the same.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.catalogue import operator_actions
from afterdrop.checks import store as checks
from afterdrop.checks.worker import _completed
from afterdrop.core.plan_limits import Plans
from afterdrop.core.settings_sections import Site
from afterdrop.db.dialects import bump_version
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_changes, registry_states
from afterdrop.scan.store import close_scan, end_intake
from afterdrop.sources.metrics.model import Metric
from afterdrop.watching import store, watchlist
from afterdrop.watching.registry_news import tell_followers
from afterdrop.web.mcp.tools import TOOLS, answer_call
from tests.support import told_reports
from tests.support.browser import Browser, browser, second, service
from tests.support.desk import DAY, FILTER, NOON, Desk, feed, offer
from tests.support.rows import put_reserved
from tests.support.service import Service, code, row
from tests.support.world import World

__all__ = ["browser", "second", "service"]

WHO = "pro"
GUESSED, OTHER = "guessed.com", "other.org"
API = (
    *(
        "/domains",
        "/domains/available",
        "/domains/archive",
        f"/domains/{GUESSED}",
        f"/domains/{GUESSED}/pages",
    ),
    *("/watchlist", "/alerts/matches", "/checks", "/events", "/stats", "/me", "/domains/rejected"),
)
PAGES = (
    *("/account/data.json", "/account/watchlist", "/desk", "/account", "/checks", "/account/shares", "/live"),
    *(f"/domains/{GUESSED}", f"/compare?d={GUESSED}&d={OTHER}", f"/check?domain={GUESSED}", "/drops"),
)
AGENTS: dict[str, dict[str, Any]] = {
    **{"get_report": {"domain": GUESSED}, "list_watched": {}, "list_matches": {}, "list_checks": {}},
    "search_domains": {"list": "live"},
}


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """Share links lend the reports of whoever makes them; he asks often."""
    plans = Plans.model_validate({"pro": {"requests_per_minute": 10_000}})
    return {"site": Site(share_links="reports"), "plans": plans}


@pytest.fixture
async def world(service: Service) -> AsyncIterator[World]:
    """A worker over the service's database, by the service's clock."""
    made = World(service.database, service.context.settings, service.clock.now)
    made.context = replace(made.context, now=service.clock.read)
    yield made


async def as_a_member(service: Service, world: World, mine: Browser) -> tuple[str, str]:
    """He follows, tags, checks and shares both names; gives the paths of his check and of his link."""
    now = service.clock.now
    await service.account("boss", pro=True, operator=True)
    await mine.sign_in(WHO)
    await mine.send("/account/watchlist", {"names": f"{GUESSED} {OTHER}"})
    await mine.post("/tags", {"d": [GUESSED, OTHER], "add": "bid"})
    check = (await service.ask("POST", "/checks", WHO, json={"domain": GUESSED})).json()["data"]["id"]
    values: Any = told_reports.check_values(told_reports.steady(), GUESSED)
    registration: Any = {
        "state": "registered",
        **dict.fromkeys(("registrar", "registered_at", "expires_at", "statuses")),
    }
    async with service.database.write() as conn:
        [taken] = await checks.claim(conn, "w", now, timedelta(minutes=1), 1)
        found = checks.CheckResult(71, "ok", True, [], values["report"], registration, reserved=False)
        await _completed(conn, world.context, await checks.finish(conn, taken, found, now))
        said = {"domain": GUESSED, "stage": "redemption", "checked_at": now, "due_at": now}
        await conn.execute(sa.insert(registry_states).values(**said, since=now))
        changed = {"domain": GUESSED, "stage": "redemption", "change": "redemption", "seen_at": now}
        await conn.execute(sa.insert(registry_changes).values(**changed))
    await tell_followers(world.context)
    made = await mine.send("/account/shares", {"d": [GUESSED, OTHER]})
    link = re.search(r"/s/[\w-]+", made.text)
    assert link
    return f"/checks/{check}", link[0]


# What differs between any two answers: ids of requests, tokens of forms, what counts requests.
_PASSING = re.compile(
    r"""['"]request_id['"]: ?['"]\w+['"]|"requests_today":\d+|name="csrf" value="[^"]+"|"""
    r"(?s:API requests today.*?</tr>)"
)


async def every_door(
    service: Service, paths: tuple[str, ...], mine: Browser, stranger: Browser
) -> dict[str, str]:
    """What each door says now."""
    now, member = service.clock.now, service.accounts[WHO]
    told = {f"api {path}": (await service.get(path, WHO)).text for path in (*API, paths[0])}
    told |= {path: (await mine.get(path)).text for path in (*PAGES, *paths)}
    for path in (paths[1], f"{paths[1]}/{GUESSED}"):
        told[f"stranger {path}"] = (await stranger.get(path)).text
    for name, asked in AGENTS.items():
        called = await answer_call(service.context, KeyOwner(1, "full", member), TOOLS[name], asked)
        told[f"agent {name}"] = str(called)
    async with service.database.read() as conn:
        told["unlisted"] = str(await store.count_unlisted(conn, member.id))
        told["to follow"] = str(await watchlist.names_to_follow(conn, member.viewer(now), [GUESSED], now))
    assert not [door for door, text in told.items() if "rate_limited" in text]
    return {door: _PASSING.sub("", text) for door, text in told.items()}


async def test_nothing_a_member_wrote_changes_with_an_operators_feed(
    service: Service, world: World, browser: Browser, second: Browser
) -> None:
    paths = await as_a_member(service, world, browser)
    await every_door(service, paths, browser, second)  # the first visit is remembered
    before = await every_door(service, paths, browser, second)
    for door in ("/account/watchlist", "/account/data.json", paths[1], "api /events", f"stranger {paths[1]}"):
        assert GUESSED in before[door], door
    assert before["unlisted"] == "2"

    async def unchanged(step: str) -> None:
        after = await every_door(service, paths, browser, second)
        assert [door for door in before if before[door] != after[door]] == [], step

    await unchanged("nothing has happened")
    await world.publish(GUESSED, gated=True, score=88)
    await unchanged("the feed lists the name")
    assert code(await service.ask("PUT", f"/watchlist/{GUESSED}", WHO)) == (404, "not_found")
    assert (await service.ask("POST", "/checks", WHO, json={"domain": GUESSED})).status_code == 200
    await world.update(GUESSED, price_usd=999, verdict="risky")
    async with service.database.write() as conn:
        await put_reserved(conn, {**row(GUESSED), "score": 90})
    await unchanged("its figures change")
    await world.match()
    past = service.clock.now - timedelta(hours=1)
    await world.update(GUESSED, live_until=past, ends_at=past, announced=True, availability="available")
    await unchanged("it ends and is free")
    async with service.database.write() as conn:
        await operator_actions.remove(conn, GUESSED, "test", "spam", service.clock.now)
    await unchanged("it is taken off the operators' list")
    async with service.database.write() as conn:
        await conn.execute(sa.delete(domains).where(domains.c.domain == GUESSED))
    await unchanged("the feed is gone")


async def test_the_figures_of_a_scan_leave_out_what_only_operators_may_see(
    service: Service, browser: Browser
) -> None:
    async def ask(names: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        return {name: [Metric("domain_rating", 44, "ranks", NOON, gated="own" in name)] for name in names}

    await service.account("boss", pro=True, operator=True)
    desk, providers = Desk(service.database), replace(FILTER, ask=ask)
    offers = [
        offer("a.com"),
        offer("weak.com", tf=1),
        offer("b.com", tf=None),
        offer("own-figure.com", tf=None),
    ]
    first, second = await desk.scan(NOON), await desk.scan(NOON + DAY)
    await desk.take(offers, scan=first, authority_filter=providers)
    await finish(service, first, NOON)
    before = (await service.get("/stats", WHO)).json()["data"]["last_scan"]
    assert (before["scanned"], before["passed_authority_filter"]) == (4, 2)
    assert (await service.get("/stats", "boss")).json()["data"]["last_scan"]["passed_authority_filter"] == 3

    await browser.sign_in(WHO)
    desk_page = (await browser.get("/desk")).text
    own = feed(name="own", source="mine", licence="own_use")
    for scan in (first, second):  # with other feeds, and tried again alone
        await desk.take([offer("c.com"), offer("d.com")], NOON + DAY, spec=own, scan=scan)
    await finish(service, second, NOON + DAY)
    assert (await service.get("/stats", WHO)).json()["data"]["last_scan"] == before
    assert _PASSING.sub("", (await browser.get("/desk")).text) == _PASSING.sub("", desk_page)
    operators = (await service.get("/stats", "boss")).json()["data"]["last_scan"]
    assert (operators["finished_at"], operators["scanned"]) == ("2026-11-21T12:00:00Z", 2)


async def finish(service: Service, scan: int, now: datetime) -> None:
    """End a scan, with which the catalogue's version rises."""
    async with service.database.write() as conn:
        await end_intake(conn, scan, now)
        await close_scan(conn, scan, now)
        await bump_version(conn, "catalogue")
