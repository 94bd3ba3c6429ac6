"""The re-check against a registry that answers as each case needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.catalogue import store
from afterdrop.catalogue.availability import store as recheck_store
from afterdrop.catalogue.availability.recheck import Inquiry, RecheckPass
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.publish import advance_listings
from afterdrop.catalogue.shapes import ReportRegistration as RegistrationJson
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_passes, registry_states, visits
from afterdrop.db.tables.watching import watches
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown
from tests.support.lists import list_page
from tests.support.published import left_to_match
from tests.support.rows import DAY, FREE, LINKS, NOW, PRO, put, row

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
SETTINGS = RegistrySettings(canaries={"com": "canary.com"})
OLD, E = NOW - 3000 * DAY, NOW - 10 * DAY


@dataclass
class World:
    """A registry, a DNS and a clock of the test's own. `answers` maps names to what the registry says."""

    database: Database
    now: datetime = NOW
    answers: dict[str, RegistryAnswer] = field(default_factory=dict)
    delegated: dict[str, bool | None] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        self.asked.append(domain)
        return self.answers.get(domain, registered(domain))

    async def host(self, domain: str, now: datetime) -> str | None:
        return None if domain.endswith(".de") else f"rdap.{domain.rpartition('.')[2]}.example"

    async def delegation(self, domain: str, unused: str) -> bool | None:
        return self.delegated.get(domain, False)

    async def look(
        self, after: timedelta = timedelta(0), settings: RegistrySettings = SETTINGS
    ) -> dict[str, int]:
        self.now += after
        self.asked.clear()
        async with self.database.write() as conn:
            await advance_listings(conn, self.now)
        inquiry = Inquiry(self.database, self, self.delegation, lambda: self.now, settings)
        counts = await RecheckPass(inquiry, inquiry, "worker").run()
        return {name: count for name, count in counts.items() if count}

    async def row(self, domain: str) -> dict[str, Any]:
        async with self.database.read() as conn:
            found = await conn.execute(sa.select(domains).where(domains.c.domain == domain))
            return dict(found.mappings().one())

    async def registration(self, domain: str) -> RegistrationJson | None:
        async with self.database.read() as conn:
            report = (await store.report(conn, domain, PRO, self.now, LINKS))[1]
        assert report is not None
        assert report["detail"] == "full"
        return report["registration"]


def free(domain: str) -> RegistryAnswer:
    return RegistryAnswer("available", Registration(domain, "available"), reason="not_found")


def registered(
    domain: str,
    state: RegistryState = "registered",
    created: datetime = OLD,
    expires: datetime = E,
    **more: Any,
) -> RegistryAnswer:
    record = Registration(domain, state, "Registrar", registered_at=created, expires_at=expires, **more)
    return RegistryAnswer(state, record)


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


async def end(world: World, *names: str, **values: Any) -> None:
    """Domains whose listing ended an hour ago."""
    ended = {"ends_at": NOW - HOUR, "live_until": NOW - HOUR, **values}
    async with world.database.write() as conn:
        await put(conn, *(row(name, **ended) for name in names))


async def test_two_not_founds_with_a_canary_between_announce(world: World) -> None:
    await end(world, "a.com")
    before = await world.registration("a.com")
    assert before == {
        **dict.fromkeys(("checked_at", "available_since", "register_url", "registrar"), None),
        **dict.fromkeys(("registered_at", "expires_at"), None),
        "availability": "unknown",
        "caught_after_drop": False,
    }
    world.answers["a.com"] = free("a.com")
    assert await world.look() == {"asked": 1, "turned": 1}
    assert world.asked == ["a.com"]
    first = await world.registration("a.com")
    assert first is not None
    assert (first["availability"], first["checked_at"]) == ("unknown", "2026-11-20T18:00:00Z")
    assert await world.look(4 * MINUTE) == {}
    assert await left_to_match(world.database) == []
    assert await world.look(MINUTE) == {"asked": 1, "announce": 1}
    assert world.asked == ["canary.com", "a.com"]
    assert await world.registration("a.com") == {
        "availability": "available",
        "checked_at": "2026-11-20T18:05:00Z",
        "available_since": "2026-11-20T18:00:00Z",
        "register_url": LINKS.register("a.com"),
        **dict.fromkeys(("registrar", "registered_at", "expires_at"), None),
        "caught_after_drop": False,
    }
    assert await left_to_match(world.database) == [("a.com", 1, "available")]
    async with world.database.read() as conn:
        now = await list_page(
            conn, ListSelection(ListContext("available", PRO, world.now, LINKS.fees), ListFilter()), LINKS
        )
        hidden = await list_page(
            conn, ListSelection(ListContext("archive", FREE, world.now, LINKS.fees), ListFilter()), LINKS
        )
    assert [each["domain"] for each in now.rows] == ["a.com"]
    assert [each["status"] for each in hidden.rows] == ["ended"]
    assert await world.look(2 * HOUR - MINUTE) == {}
    assert await world.look(MINUTE) == {"asked": 1}


async def test_registered_again_leaves_available_now(world: World) -> None:
    await end(
        world, "a.com", announced=True, availability="available", available_since=NOW, registered_at=OLD
    )
    world.answers["a.com"] = registered("a.com", created=NOW)
    assert await world.look() == {"asked": 1, "caught": 1}
    found = await world.registration("a.com")
    assert found is not None
    assert (found["availability"], found["caught_after_drop"]) == ("registered", True)
    assert (found["available_since"], found["registered_at"]) == ("2026-11-20T18:00:00Z",) * 2
    async with world.database.read() as conn:
        page = await list_page(
            conn, ListSelection(ListContext("available", PRO, NOW, LINKS.fees), ListFilter()), LINKS
        )
    assert page.total == 0
    assert await world.look(30 * DAY) == {}


async def test_caught_before_it_was_ever_seen_free(world: World) -> None:
    await end(world, "a.com")
    world.answers["a.com"] = registered("a.com", created=NOW - MINUTE)
    assert await world.look() == {"asked": 1, "caught": 1}
    found = await world.registration("a.com")
    assert found is not None
    assert (found["caught_after_drop"], found["available_since"]) == (True, None)


async def test_a_name_with_a_new_holder_is_visited_and_a_renewed_one_is_not(world: World) -> None:
    async def planned() -> dict[str, set[tuple[int, datetime | None]]]:
        async with world.database.read() as conn:
            rows = (await conn.execute(sa.select(visits))).all()
        return {name: {(row.day, row.dropped_at) for row in rows if row.domain == name} for name in names}

    names = ("a.com", "b.com", "c.com")
    free_since = {"announced": True, "availability": "available", "available_since": NOW}
    await end(world, "a.com", registered_at=OLD, **free_since)
    await end(world, "b.com", type="auction", bids=3)
    await end(world, "c.com", type="auction", bids=0)
    for name in names[1:]:
        world.answers[name] = registered(name, expires=NOW - DAY)
    world.answers["a.com"] = registered("a.com", created=NOW)
    await world.look()
    for name in names[1:]:
        world.answers[name] = registered(name, expires=NOW + 364 * DAY)
    await world.look(DAY)
    every = {0, 30, 90, 365}
    expected = {
        "a.com": {(day, NOW) for day in every},
        "b.com": {(day, None) for day in every},
        "c.com": set(),
    }
    assert await planned() == expected
    await world.look(8 * DAY)
    assert await planned() == expected, "once"


async def test_renewed_is_resolved_and_asked_weekly_while_watched(world: World) -> None:
    await end(world, "a.com")
    world.answers["a.com"] = registered("a.com", expires=NOW - DAY)
    await world.look()
    world.answers["a.com"] = registered("a.com", expires=NOW + 364 * DAY)
    assert await world.look(DAY) == {"asked": 1}
    assert (await world.row("a.com"))["resolved_at"] == NOW + DAY
    assert await world.look(9 * DAY) == {}
    async with world.database.write() as conn:
        await conn.execute(
            sa.text("INSERT INTO accounts (id, email, created_at, reminder_hours) VALUES (1, 'a', 0, '[]')")
        )
        await conn.execute(sa.insert(watches).values(account_id=1, domain="a.com", created_at=NOW))
    assert await world.look() == {"asked": 1}
    assert await world.look(6 * DAY) == {}
    assert await world.look(DAY) == {"asked": 1}
    world.answers["a.com"] = free("a.com")
    assert await world.look(7 * DAY) == {"asked": 1, "turned": 1}
    assert await world.look(5 * MINUTE) == {"asked": 1, "announce": 1}


async def test_readers_notice_when_it_is_known_what_became_of_a_domain(world: World) -> None:
    async def known() -> tuple[int, Any]:
        async with world.database.read() as conn:
            rows = await store.site_rows(conn, ["a.com"], PRO, world.now, LINKS)
            return await store.version(conn), rows["a.com"]["outcome"]

    await end(world, "a.com", bids=0)
    before, _ = await known()
    world.answers["a.com"] = registered("a.com", expires=NOW - DAY)
    await world.look()
    assert await known() == (before, {"became": "unknown", "registrar": None, "days": None})
    world.answers["a.com"] = registered("a.com", expires=NOW + 364 * DAY)
    await world.look(DAY)
    assert await known() == (before + 1, {"became": "renewed", "registrar": None, "days": None})


async def test_a_registry_that_denies_everything_announces_nothing(world: World) -> None:
    await end(world, *(f"n{number}.com" for number in range(6)))
    world.answers = {name: free(name) for name in ("canary.com", *(f"n{number}.com" for number in range(6)))}
    assert await world.look() == {"asked": 6, "turned": 6}
    assert await world.look(5 * MINUTE) == {"asked": 6, "withheld": 6}
    assert await left_to_match(world.database) == []
    async with world.database.read() as conn:
        table = registry_passes.c
        withheld = sa.select(table.host, table.asked, table.turned_free).where(table.withheld)
        doubted = (await conn.execute(withheld)).all()
    assert [tuple(row) for row in doubted] == [("rdap.com.example", 12, 6)]


async def test_too_many_at_once_wait_for_the_next_pass(world: World) -> None:
    names = [f"n{number}.com" for number in range(10)]
    await end(world, *names)
    world.answers = {name: free(name) for name in names[:3]}
    assert await world.look() == {"asked": 10, "turned": 3}
    assert await world.look(5 * MINUTE) == {"asked": 3, "withheld": 3}
    assert await world.look(2 * HOUR) == {"asked": 3, "announce": 3}


async def test_few_of_many_are_believed(world: World) -> None:
    names = [f"n{number:02}.com" for number in range(20)]
    await end(world, *names)
    world.answers = {name: free(name) for name in names[:4]}
    assert await world.look() == {"asked": 20, "turned": 4}
    assert await world.look(5 * MINUTE) == {"asked": 4, "announce": 4}


async def test_of_a_host_with_many_extensions_only_names_of_the_same_one_vouch(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host keeps an address for each extension, and the one of this name answers 404 to everything."""

    async def one_host(_domain: str, _now: datetime) -> str:
        return "rdap.many.example"

    monkeypatch.setattr(world, "host", one_host)
    await end(world, *(f"o{number}.online" for number in range(9)), "a.xyz")
    world.answers = {name: free(name) for name in ("a.xyz", "nic.xyz", "google.xyz")}
    await world.look(settings=RegistrySettings())
    counts = await world.look(6 * MINUTE, settings=RegistrySettings())
    assert world.asked == ["nic.xyz", "google.xyz", "a.xyz"]
    assert counts == {"asked": 1, "withheld": 1}


async def test_without_a_chosen_canary_a_name_known_registered_vouches(world: World) -> None:
    await end(world, "a.net", "b.net")
    world.answers["a.net"] = free("a.net")
    await world.look(settings=RegistrySettings())
    assert await world.look(5 * MINUTE, RegistrySettings()) == {"asked": 1, "announce": 1}
    assert world.asked == ["b.net", "a.net"]
    await end(world, "c.us")
    world.answers = {name: free(name) for name in ("c.us", "nic.us", "google.us")}
    await world.look(settings=RegistrySettings())
    assert await world.look(5 * MINUTE, RegistrySettings()) == {"asked": 1, "withheld": 1}
    assert world.asked == ["nic.us", "google.us", "c.us"]
    # nobody registered nic.us, but the name that the daily canary asks about is registered
    del world.answers["google.us"]
    assert await world.look(2 * HOUR, RegistrySettings()) == {"asked": 2, "announce": 1}
    assert world.asked == ["a.net", "nic.us", "google.us", "c.us"]


async def test_a_delegation_is_a_veto_whenever_it_shows(world: World) -> None:
    await end(world, "a.com")
    world.answers["a.com"] = free("a.com")
    world.delegated["a.com"] = True
    assert await world.look() == {"asked": 1}
    assert await world.look(2 * HOUR) == {"asked": 1}
    world.delegated["a.com"] = None
    assert await world.look(2 * HOUR) == {"asked": 1, "turned": 1}
    assert await world.look(5 * MINUTE) == {"asked": 1, "withheld": 1}
    del world.delegated["a.com"]
    assert await world.look(2 * HOUR) == {"asked": 1, "announce": 1}
    world.delegated["a.com"] = True
    await world.look(2 * HOUR)
    assert (await world.row("a.com"))["announced"] is False


@pytest.mark.parametrize("reason", ["blocked", "reserved", "says_more"])
async def test_blocked_and_reserved_names_stay_out(world: World, reason: str) -> None:
    await end(world, "a.com", announced=True, availability="available")
    world.answers["a.com"] = unknown("a.com", reason)
    assert await world.look() == {"asked": 1}
    found = await world.row("a.com")
    assert (found["announced"], found["availability"]) == (False, "unknown")
    assert await world.look(DAY - MINUTE) == {}


async def test_no_answer_changes_nothing(world: World) -> None:
    await end(world, "a.com", announced=True, availability="available", checked_at=NOW - 2 * HOUR)
    await end(world, "b.de")
    world.answers["a.com"] = unknown("a.com", "unreachable")
    world.answers["b.de"] = unknown("b.de", "no_rdap")
    assert await world.look() == {"asked": 2}
    assert (await world.row("a.com"))["checked_at"] == NOW - 2 * HOUR
    assert (await world.row("a.com"))["announced"] is True
    assert await world.look(2 * HOUR) == {"asked": 1}
    found = await world.registration("b.de")
    assert found is not None
    assert found["availability"] == "unknown"


async def test_what_is_live_removed_or_held_is_not_asked(world: World) -> None:
    await end(world, "gone.com", removed_at=NOW)
    await end(world, "held.com")
    async with world.database.write() as conn:
        await put(conn, row("live.com"))
        await recheck_store.begin(conn, await recheck_store.newly_ended(conn, NOW), NOW)
        [held] = await recheck_store.claim(conn, Claim("other", NOW, MINUTE, 9))
    assert held.state["domain"] == "held.com"
    assert await world.look() == {}
    assert await world.look(MINUTE) == {"asked": 1}


async def test_a_domain_listed_again_meanwhile_keeps_its_new_state(world: World) -> None:
    await end(world, "a.com")

    class Slow(World):
        async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
            async with self.database.write() as conn:
                await conn.execute(sa.update(domains).values(live_until=NOW + 9 * DAY, ends_at=NOW + 9 * DAY))
            return free(domain)

    assert await Slow(world.database).look() == {"asked": 1, "lost": 1}
    async with world.database.read() as conn:
        assert await conn.scalar(sa.select(registry_states.c.first_free_at)) is None
        assert (await conn.execute(sa.select(registry_passes))).all() == []
