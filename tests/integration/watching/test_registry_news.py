"""Followed names at their registries: asked in their turn, and every change told once to those who followed by then."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.availability import store as registry_store
from afterdrop.catalogue.availability.recheck import Inquiry, RecheckPass
from afterdrop.catalogue.summary import Links
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.tables.review import registry_changes, registry_passes, registry_states
from afterdrop.db.tables.watching import watches
from afterdrop.delivery import events
from afterdrop.delivery.mail import store
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown
from afterdrop.watching import notice_store, registry_news
from afterdrop.watching.registry_news import tell_of_registries
from afterdrop.watching.telling import FollowerNews, tell_followers
from tests.support.rows import DAY, NOW, put, row
from tests.support.world import World

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
SETTINGS = RegistrySettings(canaries={"com": "canary.com"})
# It ends so soon that it is asked about every week.
BORN, ENDS = NOW - 3000 * DAY, NOW + 36 * DAY
ALL_KINDS = [event for event in events.EVENTS if event.startswith("registration.")]


@dataclass
class Registries:
    """Registries that answer as each case needs; names not in `answers` are registered."""

    world: World
    answers: dict[str, RegistryAnswer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        self.asked.append(domain)
        return self.answers.get(domain, registered(domain))

    async def host(self, domain: str, now: datetime) -> str | None:
        return f"rdap.{domain.rpartition('.')[2]}.example"

    async def delegated(self, domain: str, unused: str) -> bool | None:
        return False

    @property
    def inquiry(self) -> Inquiry:
        return Inquiry(self.world.database, self, self.delegated, lambda: self.world.now, SETTINGS)

    async def follow(self, **after: float) -> dict[str, int]:
        """Ask about names that are due by then; gives how many."""
        self.world.move(**after)
        self.asked.clear()
        counts = await RecheckPass(self.inquiry, self.inquiry, "worker").run()
        return {name: count for name, count in counts.items() if count}

    async def see(self, domain: str, answer: RegistryAnswer) -> None:
        """One more answer about a followed name, and what it has to tell."""
        self.answers[domain] = answer
        await self.follow(days=8)
        await tell_of_registries(self.world.context)


def registered(
    domain: str, *statuses: str, expires: datetime | None = ENDS, created: datetime = BORN
) -> RegistryAnswer:
    state: RegistryState = "dropping" if statuses else "registered"
    record = Registration(
        *(domain, state, "Some Registrar"),
        registered_at=created,
        expires_at=expires,
        statuses=statuses or ("active",),
    )
    return RegistryAnswer(state, record)


def free(domain: str) -> RegistryAnswer:
    return RegistryAnswer("available", Registration(domain, "available"), reason="not_found")


@pytest.fixture
def registries(world: World) -> Registries:
    return Registries(world)


async def told(world: World) -> list[tuple[int, str]]:
    """The account and type of every event."""
    return [(event["account_id"], event["type"]) for event in await world.events()]


async def test_a_name_on_no_list_is_followed_through_its_end(world: World, registries: Registries) -> None:
    account = await world.account()
    endpoint = await world.endpoint(account, events=ALL_KINDS)
    await world.endpoint(account, "https://interface.example.org/")
    await world.watch(account, "a.com")
    assert await registries.follow() == {"new": 1, "asked": 1}
    assert await registries.follow(days=6) == {}
    await registries.see("a.com", registered("a.com", "redemption period", "pending delete"))
    await registries.see("a.com", registered("a.com", "pending delete"))
    registries.answers["a.com"] = free("a.com")
    assert await registries.follow(hours=2) == {"asked": 1}
    assert await registries.follow(minutes=5) == {"asked": 1, "changed": 1}
    assert registries.asked == ["canary.com", "a.com"]
    assert await tell_of_registries(world.context) == {"told": 1}
    kinds = [kind for _, kind in await told(world)]
    assert kinds == ["registration.redemption", "registration.pending_delete", "registration.dropped"]
    assert {each["endpoint_id"] for each in await world.deliveries()} == {endpoint}
    subjects = [mail["subject"] for mail in await world.mails()]
    assert subjects == [
        "a.com is in redemption",
        "a.com is pending delete",
        "a.com has dropped and is free to register",
    ]
    last = (await world.events())[-1]["json"]["data"]
    assert last == {
        "domain": "a.com",
        "change": "dropped",
        "seen_at": world.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "registration": {
            **dict.fromkeys(("registrar", "registered_at", "expires_at", "drops_from", "drops_until")),
            **{"stage": "available", "source": "rdap"},
        },
        "register_url": "https://porkbun.com/checkout/search?q=a.com",
    }
    async with world.database.read() as conn:
        turned = await conn.scalar(sa.select(sa.func.sum(registry_passes.c.turned_free)))
    assert turned == 1, "the doubts about a registry count followed names, too"


async def test_followers_hear_who_registered_a_name_that_was_free(
    world: World, registries: Registries
) -> None:
    account = await world.account()
    await world.endpoint(account, events=ALL_KINDS)
    await world.watch(account, "a.com")
    registries.answers["a.com"] = free("a.com")
    await registries.follow()
    await registries.follow(minutes=5)
    caught = world.now + 2 * HOUR
    await registries.see("a.com", registered("a.com", created=caught, expires=caught + 365 * DAY))
    [event] = await world.events()
    assert event["type"] == "registration.registered"
    assert event["json"]["data"]["registration"]["registrar"] == "Some Registrar"
    [mail] = await world.mails()
    assert mail["subject"] == "a.com was registered anew"
    await registries.see("a.com", registered("a.com", created=caught, expires=caught + 365 * DAY))
    assert len(await world.events()) == 1


async def test_a_renewal_is_told_with_its_new_end(world: World, registries: Registries) -> None:
    account = await world.account()
    await world.watch(account, "a.com")
    await registries.follow()
    await registries.see("a.com", registered("a.com", expires=ENDS + 365 * DAY))
    [event] = await world.events()
    assert (event["type"], event["json"]["data"]["domain"]) == ("registration.renewed", "a.com")
    assert event["json"]["data"]["registration"]["expires_at"] == "2027-12-26T18:00:00Z"
    [mail] = await world.mails()
    assert "It is now registered until Sun 26 Dec 2027, 18:00 (UTC)." in mail["text"]
    assert mail["headers"]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@pytest.mark.parametrize("reason", ["refused", "rate_limited", "unreachable", "not_believed"])
async def test_no_answer_gives_no_notice(world: World, registries: Registries, reason: str) -> None:
    await world.watch(await world.account(), "a.se")
    await registries.follow()
    for _ in range(3):
        await registries.see("a.se", unknown("a.se", reason))
    await registries.see("a.se", registered("a.se"))
    assert (await world.events(), await world.mails()) == ([], [])


async def test_who_is_told(world: World, registries: Registries) -> None:
    follower, operator = await world.account(), await world.account(operator=True)
    quiet, unverified = await world.account(mail_watches=False), await world.account(verified=False)
    free_plan, late = await world.account(pro=False), await world.account()
    for account in (follower, operator, quiet, unverified, free_plan):
        await world.watch(account, "a.com")
    await registries.follow()
    registries.answers["a.com"] = registered("a.com", "pending delete")
    await registries.follow(days=8)
    world.move(seconds=1)
    await world.watch(late, "a.com")
    await tell_of_registries(world.context)
    assert {account for account, _ in await told(world)} == {follower, operator, quiet, unverified}
    assert {mail["account_id"] for mail in await world.mails()} == {follower, operator}


async def test_a_name_that_comes_off_the_list_is_followed_by_the_recheck(
    world: World, registries: Registries
) -> None:
    account = await world.account()
    await world.watch(account, "a.com")
    await world.publish("a.com", ends_at=NOW + HOUR, live_until=NOW + HOUR)
    assert await registries.follow() == {"new": 1, "asked": 1}, "one answer while it is on offer"
    assert await registries.follow(minutes=59) == {}
    registries.answers["a.com"] = registered("a.com", "redemption period", "pending delete")
    await registries.follow(days=8)
    assert registries.asked == ["a.com"]
    assert await registries.follow() == {}, "nobody asks twice"
    await tell_of_registries(world.context)
    registries.answers["a.com"] = free("a.com")
    await registries.follow(days=1)
    await registries.follow(minutes=5)
    await tell_of_registries(world.context)
    await world.match()
    assert await told(world) == [(account, "registration.redemption"), (account, "domain.available")]
    [state] = await world.rows(registry_states)
    assert state["stage"] == "available"
    # Withdrawn for good, it is asked about like any other name.
    await world.update("a.com", removed_at=world.now)
    assert await registries.follow(hours=2) == {"asked": 1}


async def test_an_archived_name_that_is_followed_a_year_later_is_seen_to_drop(
    world: World, registries: Registries
) -> None:
    ended, resolved = NOW - 365 * DAY, NOW - 265 * DAY
    await world.publish(
        "a.com",
        ends_at=ended,
        live_until=ended,
        found_at=ended - DAY,
        registered_at=BORN,
        resolved_at=resolved,
    )
    account = await world.account()
    await world.watch(account, "a.com")
    await registries.follow()
    assert registries.asked == ["a.com"]
    await registries.follow(days=6)
    assert registries.asked == [], "its term has long to run: once a week"
    registries.answers["a.com"] = registered("a.com", "redemption period", "pending delete")
    await registries.follow(days=1)
    registries.answers["a.com"] = registered("a.com", "pending delete")
    await registries.follow(days=1)
    registries.answers["a.com"] = unknown("a.com", "unreachable")
    await registries.follow(hours=2)
    registries.answers["a.com"] = free("a.com")
    await registries.follow(days=1)
    assert registries.asked == ["a.com"]
    await registries.follow(minutes=5)
    while (await tell_of_registries(world.context)).get("told"):
        pass
    await world.match()
    kinds = [kind for _, kind in await told(world)]
    assert kinds == ["registration.redemption", "registration.pending_delete", "domain.available"]


async def test_a_worker_killed_between_look_up_and_notice(
    world: World, registries: Registries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notice_store, "TOLD_AT_ONCE", 2)
    accounts = [await world.account() for _ in range(5)]
    for account in accounts:
        await world.watch(account, "a.com")
    await registries.follow()
    registries.answers["a.com"] = registered("a.com", "pending delete")
    await registries.follow(days=8)
    assert await world.events() == [], "the worker died before it told anybody"
    written = 0

    async def dies(*args: Any) -> set[str]:
        nonlocal written
        written += 1
        if written == 2:
            raise RuntimeError("killed")
        return set()

    with monkeypatch.context() as dying:
        dying.setattr(store, "queue_mails", dies)
        with pytest.raises(RuntimeError):
            await tell_of_registries(world.context)
    assert [account for account, _ in await told(world)] == accounts[:2]
    await tell_of_registries(world.context)
    await tell_of_registries(world.context)
    assert [account for account, _ in await told(world)] == accounts
    [change] = await world.rows(registry_changes)
    assert change["told_at"] == world.now


async def test_two_workers_tell_everybody_once(world: World, registries: Registries) -> None:
    account = await world.account()
    await world.watch(account, "a.com")
    await registries.follow()
    registries.answers["a.com"] = registered("a.com", "pending delete")
    await registries.follow(days=8)
    async with world.database.read() as conn:
        change = await registry_store.next_untold(conn)
    assert change is not None
    assert await tell_of_registries(world.context) == {"told": 1}
    stale = [registry_news._news(change, Links.of(world.context.settings), [])]

    async def next_news(conn: AsyncConnection, now: datetime) -> FollowerNews | None:
        return stale.pop() if stale else None

    assert await tell_followers(world.context, next_news) == {"told": 0}
    assert len(await world.events()) == len(await world.mails()) == 1


async def test_an_answer_that_comes_too_late_changes_nothing(world: World, registries: Registries) -> None:
    await world.watch(await world.account(), "a.com")
    await registries.follow()
    registries.answers["a.com"] = registered("a.com", "pending delete")
    asking = registries.ask

    async def taken_over(domain: str, now: datetime) -> RegistryAnswer:
        async with world.database.write() as conn:
            await conn.execute(sa.update(registry_states).values(claimed_by="another"))
        return await asking(domain, now)

    registries.ask = taken_over  # type: ignore[method-assign]
    assert await registries.follow(days=8) == {"asked": 1}
    assert await world.rows(registry_changes) == []


async def test_names_that_nobody_follows_are_not_asked(world: World, registries: Registries) -> None:
    await world.watch(await world.account(), "a.com")
    await registries.follow()
    async with world.database.write() as conn:
        await put(conn, row("b.com", ends_at=NOW - HOUR, live_until=NOW - HOUR))
        await conn.execute(sa.delete(watches))
    await registries.follow(days=8)
    assert registries.asked == ["b.com"], "for the lists"


async def test_events_are_of_types_that_endpoints_can_ask_for(world: World) -> None:
    assert len(ALL_KINDS) == 5
    assert not set(ALL_KINDS) & set(events.INTERFACE_EVENTS)
    assert all(len(kind) <= 32 for kind in events.EVENTS), "as long as the column `events.type`"
