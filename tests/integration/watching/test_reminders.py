"""Reminders: each chosen hour once, to those who follow the domain, moving with its end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from afterdrop.watching import reminder_worker
from afterdrop.watching.reminder_worker import remind
from afterdrop.watching.rules import change_rule
from afterdrop.worker.pruning import expire
from tests.support.rows import DAY
from tests.support.world import World

NAME = "alpine-hut.com"
HOUR = timedelta(hours=1)


async def hours(world: World) -> list[int]:
    """The hours reminded of, in order."""
    found = await world.events("domain.ending_soon")
    return [event["json"]["data"]["hours_left"] for event in found]


async def watched(world: World, *, ends_in: timedelta = 3 * DAY, **account: object) -> int:
    """A watched domain that ends some time ahead; the account that watches it."""
    await world.publish(NAME, ends_at=world.now + ends_in, live_until=world.now + ends_in)
    await world.match()
    watcher = await world.account(**account)  # type: ignore[arg-type]  # columns of the account
    await world.watch(watcher, NAME)
    return watcher


async def test_ev_09_ev_12_ev_13_a_fresh_account_is_reminded_24_hours_and_one_before(world: World) -> None:
    account = await watched(world)
    ends_at = world.now + 3 * DAY
    await world.endpoint(account)
    for _ in range(3 * 24 + 1):
        world.move(hours=1)
        await remind(world.context)
    assert await hours(world) == [24, 1]
    first, last = await world.events("domain.ending_soon")
    assert first["created_at"] == ends_at - DAY
    assert last["created_at"] == ends_at - HOUR
    data = first["json"]["data"]
    assert set(data) == {"domain", "hours_left", "ends_at", "opens_at", "reason"}
    assert (data["ends_at"], data["reason"]) == ("2026-11-23T18:00:00Z", "watchlist")
    assert data["domain"]["domain"] == NAME
    assert first["expires_at"] == ends_at
    assert len(await world.deliveries()) == 2
    assert [mail["subject"] for mail in await world.mails()] == [
        "alpine-hut.com ends in about 24 hours",
        "alpine-hut.com ends in about an hour",
    ]


async def test_reminders_of_a_drop_count_back_from_the_opening_of_its_window(world: World) -> None:
    opens_at = world.now + 3 * DAY + HOUR  # 19:00 UTC, as .com does in winter
    ends_at = opens_at + 2 * HOUR
    drops: dict[str, Any] = {"type": "pending_delete", "ends_at": ends_at, "live_until": ends_at}
    await world.publish(NAME, **drops)
    await world.match()
    await world.watch(await world.account(reminder_hours=[48, 1]), NAME)
    for _ in range(3 * 24 + 4):
        world.move(hours=1)
        await remind(world.context)
    first, last = await world.events("domain.ending_soon")
    assert (opens_at - first["created_at"], opens_at - last["created_at"]) == (48 * HOUR, HOUR)
    data = last["json"]["data"]
    assert (data["opens_at"], data["hours_left"]) == (f"{opens_at:%Y-%m-%dT%H:%M:%SZ}", 1)
    assert data["ends_at"] == f"{ends_at:%Y-%m-%dT%H:%M:%SZ}"
    assert data["domain"]["status"] == "pending_delete"
    assert [mail["subject"] for mail in await world.mails()] == [
        "alpine-hut.com drops in about 48 hours",
        "alpine-hut.com drops in about an hour",
    ]


async def test_an_end_at_half_past_is_reminded_of_at_half_past(world: World) -> None:
    await watched(world, ends_in=5 * HOUR + timedelta(minutes=30), reminder_hours=[1])
    world.move(hours=4)
    await remind(world.context)
    assert await hours(world) == []
    world.move(minutes=30)
    await remind(world.context)
    assert await hours(world) == [1]


async def test_ev_11_an_hour_past_when_the_watch_begins_is_skipped(world: World) -> None:
    await watched(world, ends_in=5 * HOUR)
    await remind(world.context)
    assert await hours(world) == []
    world.move(hours=4)
    await remind(world.context)
    assert await hours(world) == [1]


async def test_after_an_outage_only_the_smallest_overdue_hour_is_sent(world: World) -> None:
    await watched(world, reminder_hours=[48, 24, 12, 6])
    world.move(hours=72 - 10)
    await remind(world.context)
    await remind(world.context)
    assert await hours(world) == [12]


async def test_a_reminder_not_yet_sent_moves_with_the_end_and_one_sent_is_not_repeated(world: World) -> None:
    await watched(world, reminder_hours=[24, 12])
    world.move(hours=72 - 24)
    await remind(world.context)
    assert await hours(world) == [24]
    later = world.now + 30 * HOUR
    await world.update(NAME, ends_at=later, live_until=later)
    world.move(hours=6)  # 24 hours before the new end
    await remind(world.context)
    assert await hours(world) == [24]
    world.move(hours=12)
    await remind(world.context)
    assert await hours(world) == [24, 12]


@pytest.mark.parametrize(
    ("moved", "again"),
    [
        (timedelta(hours=23, minutes=59), False),
        (DAY, True),
        (9 * DAY, True),
        (timedelta(hours=-23, minutes=-59), False),
        (-DAY, True),
    ],
)
async def test_an_end_that_moves_by_a_day_is_reminded_of_again(
    world: World, moved: timedelta, again: bool
) -> None:
    account = await watched(world, ends_in=5 * DAY, reminder_hours=[48])
    await world.endpoint(account)
    ends_at = world.now + 5 * DAY
    world.move(hours=72, minutes=40)  # a worker was late
    await remind(world.context)
    assert await hours(world) == [48]
    later = ends_at + moved
    await world.update(NAME, ends_at=later, live_until=later)
    for _ in range(11 * 24):
        await remind(world.context)
        world.move(hours=1)
    assert await hours(world) == [48] * (2 if again else 1)
    assert len(await world.deliveries()) == len(await world.mails()) == (2 if again else 1)


async def test_ev_10_once_however_many_look_and_pro_only(world: World) -> None:
    account = await watched(world)
    free = await world.account(pro=False)
    await world.watch(free, NAME)
    world.move(hours=48)
    for _ in range(3):
        await remind(world.context)
    assert [event["account_id"] for event in await world.events("domain.ending_soon")] == [account]


async def test_matched_accounts_are_reminded_while_their_rule_is_active(world: World) -> None:
    kept, paused, watcher = [await world.account() for _ in range(3)]
    await world.rule(kept)
    rule = await world.rule(paused)
    await world.rule(watcher)
    await world.publish(NAME, ends_at=world.now + 3 * DAY, live_until=world.now + 3 * DAY)
    await world.match()
    await world.watch(watcher, NAME)
    async with world.database.write() as conn:
        await change_rule(conn, paused, rule, {"active": False})
    world.move(hours=48)
    await remind(world.context)
    found = {e["account_id"]: e["json"]["data"]["reason"] for e in await world.events("domain.ending_soon")}
    assert found == {kept: "alert", watcher: "watchlist"}
    assert [mail["account_id"] for mail in await world.mails()] == [watcher], "mail for rules on request only"


async def test_mail_about_rule_matches_on_request(world: World) -> None:
    account = await world.account(mail_rule_reminders=True)
    await world.rule(account)
    await world.publish(NAME, ends_at=world.now + 3 * DAY, live_until=world.now + 3 * DAY)
    await world.match()
    world.move(hours=48)
    await remind(world.context)
    [mail] = [mail for mail in await world.mails() if mail["kind"] == "reminder"]
    assert "matched one of your alert rules" in mail["text"]


async def test_an_earlier_rounds_match_does_not_remind(world: World) -> None:
    account = await world.account()
    await world.rule(account)
    await world.publish(NAME, ends_at=world.now + 3 * DAY, live_until=world.now + 3 * DAY)
    await world.match()
    await world.update(NAME, round=2)
    world.move(hours=48)
    await remind(world.context)
    assert await hours(world) == []


async def test_a_listing_without_an_end_or_off_the_lists_reminds_nobody(world: World) -> None:
    account = await watched(world)
    await world.publish("endless.com", ends_at=None, live_until=None, type="buy_now")
    await world.watch(account, "endless.com")
    await world.update(NAME, removed_at=world.now)
    world.move(hours=48)
    await remind(world.context)
    assert await hours(world) == []


async def test_an_ended_domain_reminds_nobody(world: World) -> None:
    await watched(world)
    world.move(hours=72)
    await remind(world.context)
    assert await hours(world) == []


async def test_a_pending_reminder_expires_with_the_listing(world: World) -> None:
    account = await watched(world)
    await world.endpoint(account)
    world.move(hours=71)
    await remind(world.context)
    assert [each["status"] for each in await world.deliveries()] == ["pending"]
    world.move(hours=1)
    assert await expire(world.context) == {"expired": 1}
    [delivery] = await world.deliveries()
    assert (delivery["status"], delivery["error"], delivery["tries"]) == ("failed", "expired", 0)


async def test_many_followers_are_written_in_portions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reminder_worker, "_WRITTEN_AT_ONCE", 5)
    many = 23
    await world.publish(NAME, ends_at=world.now + 3 * DAY, live_until=world.now + 3 * DAY)
    for _ in range(many):
        await world.watch(await world.account(), NAME)
    world.move(hours=48)
    assert await remind(world.context) == {"reminders": many}
    assert len(await world.mails()) == many
