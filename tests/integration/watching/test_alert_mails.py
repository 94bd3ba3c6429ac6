"""Mails about matches: instant ones at once, then what ten minutes brought in one; daily ones at the account's hour."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afterdrop.watching import alert_mails, notice_store
from afterdrop.watching.alert_mails import InstantMails, mail_matches
from afterdrop.worker.wiring import make_worker
from afterdrop.worker_context import open_context
from tests.support.rows import DAY
from tests.support.world import World


async def found(world: World, *names: str) -> None:
    """These domains enter the list and are matched."""
    for number, name in enumerate(names):
        await world.publish(name, score=60 + number)
    await world.match()


async def test_al_12_one_mail_for_everything_found_together(world: World) -> None:
    account, other = await world.account(), await world.account()
    await world.rule(account, "Huts", keywords=["hut"])
    await world.rule(account, "All")
    await world.rule(other, "Mine", keywords=["castle"])
    await found(world, "one-hut.com", "two-hut.com", "castle.com")
    assert await mail_matches(world.context, "instant") == {"mails": 2}
    assert await mail_matches(world.context, "instant") == {"mails": 0}
    mine, theirs = await world.mails()
    assert (mine["kind"], mine["account_id"], theirs["account_id"]) == ("instant_matches", account, other)
    assert mine["subject"] == "3 new for “All” and “Huts”, best 62"
    assert mine["text"].index("castle.com") < mine["text"].index("two-hut.com"), "best score first"
    assert "Matches: All; Huts" in mine["text"] or "Matches: Huts; All" in mine["text"]
    assert "two-hut.com" in mine["text"]
    assert theirs["subject"] == "castle.com matches Mine"
    assert "<html" in mine["html"]
    assert mine["headers"]["List-Unsubscribe"].startswith(f"<{world.settings.site_url}/unsubscribe/")
    world.move(minutes=10)
    await found(world, "three-hut.com")
    assert await mail_matches(world.context, "instant") == {"mails": 1}
    assert (await world.mails())[-1]["subject"] == "three-hut.com matches “All” and “Huts”"


async def test_what_matches_in_the_ten_minutes_after_shares_one_mail(world: World) -> None:
    account, other = await world.account(), await world.account()
    await world.rule(account, "Huts", keywords=["hut"])
    await world.rule(account, "Castles", keywords=["castle"])
    await world.rule(other, "Spas", keywords=["spa"])
    assert await told(world, "first-hut.com") == ["first-hut.com matches Huts"]
    for name in ("two-hut.com", "castle.com", "three-hut.com"):
        world.move(minutes=2)
        assert await told(world, name) == []
    assert len(await world.events("alert.matched")) == 4, "webhooks do not wait"
    assert await told(world, "spa.com") == ["spa.com matches Spas"], "other accounts do not wait"
    world.move(minutes=3, seconds=59)
    assert await told(world) == []
    world.move(seconds=1)
    assert await told(world) == ["3 new for “Huts” and “Castles”, best 60"]
    shared = (await world.mails())[-1]
    for name in ("two-hut.com", "castle.com", "three-hut.com"):
        assert shared["text"].count(f"/domains/{name}") == shared["html"].count(f"/domains/{name}") == 1
    world.move(minutes=5)
    assert await told(world, "four-hut.com") == [], "no two mails in ten minutes"
    world.move(minutes=5)
    assert await told(world) == ["four-hut.com matches Huts"]
    world.move(minutes=11)
    assert await told(world, "five-hut.com") == ["five-hut.com matches Huts"]
    assert await told(world) == []


async def test_names_that_end_within_the_hour_do_not_wait(world: World) -> None:
    await world.rule(await world.account())
    assert await told(world, "first.com") == ["first.com matches rule"]
    world.move(minutes=1)
    drop: dict[str, Any] = {"type": "pending_delete"}
    await world.publish("bid.com", ends_at=world.now + timedelta(hours=1))
    await world.publish("later.com", ends_at=world.now + timedelta(hours=1, minutes=9))
    # A .com is released from 19:00 UTC in winter, and we take it to be gone two hours later.
    await world.publish(
        "maybe.com", certain_from=world.now + DAY, **drop, ends_at=world.now.replace(minute=40)
    )
    await world.publish("endless.com", type="buy_now", ends_at=None, live_until=None)
    assert await told(world) == ["bid.com matches rule"]
    world.now = world.now.replace(minute=5)
    await world.publish("drop.com", **drop, ends_at=datetime(2026, 11, 20, 21, tzinfo=UTC))
    assert await told(world) == ["drop.com matches rule"]
    world.now = world.now.replace(minute=10)
    assert await told(world) == ["later.com matches rule"], "its last hour has begun"
    world.now = world.now.replace(minute=11)
    assert await told(world) == ["2 new for rule, best 60"], "urgent mails put nothing off"


async def test_digests_and_rules_without_mail_make_nothing_wait(world: World) -> None:
    account = await world.account(digest_hour=8)
    await world.rule(account, "Daily", frequency="daily", keywords=["castle"])
    await world.rule(account, "Hook", mail=False, keywords=["castle"])
    await world.rule(account, "Huts", keywords=["hut"])
    await found(world, "castle.com")
    world.now = datetime(2026, 11, 21, 8, tzinfo=UTC)
    assert await mail_matches(world.context, "daily") == {"mails": 1}
    assert await told(world, "hut.com") == ["hut.com matches Huts"]
    assert await mail_matches(world.context, "daily") == {"mails": 0}


async def test_what_a_stopped_worker_held_is_mailed_by_the_next(world: World) -> None:
    await world.rule(await world.account())
    assert len(await told(world, "first.com")) == 1
    assert await told(world, "second.com") == []
    world.move(hours=5)
    async with open_context(world.settings, world.database, worker="next", now=lambda: world.now) as context:
        await make_worker(context, asyncio.Event()).tasks["alerts"]()
    assert [mail["subject"] for mail in await world.mails()][1:] == ["second.com matches rule"]
    assert await told(world) == []


async def test_a_day_found_within_half_a_minute_takes_three_mails(world: World) -> None:
    """As the demo's: names come one by one, some match two rules, and each is in one mail."""
    account = await world.account()
    await world.rule(account, "Strong and clean", min_score=60)
    await world.rule(account, "Clubs", keywords=["club"])
    names = [f"{'club' if number % 3 else 'site'}{number:02}.com" for number in range(54)]
    subjects = []
    for name in names:
        subjects += await told(world, name)
        world.move(seconds=1)
    world.move(minutes=9)
    for _ in range(3):
        subjects += await told(world)
        world.move(minutes=1)
    assert subjects[0] == "site00.com matches Strong and clean"
    assert sorted(subjects[1:]) == [
        "3 new for “Strong and clean” and “Clubs”, best 60",
        "50 new for “Strong and clean” and “Clubs”, best 60",
    ]
    texts = [mail["text"] for mail in await world.mails()]
    assert [sum(name in text for text in texts) for name in names] == [1] * 54


async def told(world: World, *names: str) -> list[str]:
    """What these domains (or those published already) bring at once: the subjects of new mails."""
    before = len(await world.mails())
    for name in names:
        await world.publish(name)
    await world.match()
    await mail_matches(world.context, "instant")
    return [mail["subject"] for mail in (await world.mails())[before:]]


async def test_the_digest_comes_at_the_accounts_hour_and_zone(world: World) -> None:
    berlin = await world.account(zone="Europe/Berlin", digest_hour=8)
    await world.rule(berlin, frequency="daily")
    await found(world, "one.com", "two.com")
    assert await mail_matches(world.context, "instant") == {"mails": 0}
    assert await mail_matches(world.context, "daily") == {"mails": 0}
    world.now = datetime(2026, 11, 21, 6, 45, tzinfo=UTC)
    assert await mail_matches(world.context, "daily") == {"mails": 0}
    world.move(minutes=15)
    assert await mail_matches(world.context, "daily") == {"mails": 1}
    await found(world, "late.com")
    assert await mail_matches(world.context, "daily") == {"mails": 0}, "the next day's"
    world.move(days=1)
    assert await mail_matches(world.context, "daily") == {"mails": 1}
    first, second = await world.mails()
    assert first["kind"] == "digest"
    assert first["subject"] == "Daily digest: two.com and 1 more match your rules"
    assert "late.com" in second["text"]
    assert (first["occasion"], second["occasion"]) == (
        f"digest:{berlin}:2026-11-21",
        f"digest:{berlin}:2026-11-22",
    )


async def test_a_digest_is_written_once_a_day_though_the_hour_is_changed(world: World) -> None:
    account = await world.account(digest_hour=8)
    await world.rule(account, frequency="daily")
    await found(world, "one.com")
    world.now = datetime(2026, 11, 21, 8, tzinfo=UTC)
    assert await mail_matches(world.context, "daily") == {"mails": 1}
    await found(world, "two.com")
    await world.change(account, digest_hour=9)
    world.move(hours=1, minutes=15)
    assert await mail_matches(world.context, "daily") == {"mails": 0}
    world.move(days=1)
    assert await mail_matches(world.context, "daily") == {"mails": 1}
    assert "two.com" in (await world.mails())[-1]["text"]


async def test_nobody_is_mailed_who_does_not_want_it_or_is_not_on_pro(world: World) -> None:
    quiet = await world.account(mail_alerts=False)
    unverified = await world.account(verified=False)
    gone = await world.account()
    for account in (quiet, unverified, gone):
        await world.rule(account)
    await found(world, "one.com")
    await world.change(gone, plan_until=world.now)
    assert await mail_matches(world.context, "instant") == {"mails": 0}
    await world.change(quiet, mail_alerts=True)
    assert await mail_matches(world.context, "instant") == {"mails": 0}, "turning mails on brings no old ones"
    assert len(await world.matches()) == 3


async def test_what_is_off_the_list_by_then_is_not_mailed(world: World) -> None:
    await world.rule(await world.account())
    await found(world, "one.com", "spam.com")
    await world.update("spam.com", removed_at=world.now, removed_reason="Spam.")
    assert await mail_matches(world.context, "instant") == {"mails": 1}
    [mail] = await world.mails()
    assert "spam.com" not in mail["text"]
    world.move(minutes=10)
    await found(world, "more-spam.com")
    await world.update("more-spam.com", removed_at=world.now, removed_reason="Spam.")
    assert await mail_matches(world.context, "instant") == {"mails": 0}
    assert await mail_matches(world.context, "instant") == {"mails": 0}


async def test_al_12_a_fifty_first_domain_starts_another_mail(world: World) -> None:
    account = await world.account()
    await world.rule(account)
    await world.rule(account, "Again")
    names = [f"d{number:03}.com" for number in range(101)]
    await found(world, *names)
    assert await mail_matches(world.context, "instant") == {"mails": 3}
    named = [sorted({*re.findall(r"d\d+\.com", mail["text"])}) for mail in await world.mails()]
    assert [len(some) for some in named] == [50, 50, 1]
    assert sorted(name for some in named for name in some) == names, "every one is named, once"
    assert (await world.mails())[0]["subject"].startswith("50 new for “Again” and “rule”, best ")
    assert "And " not in (await world.mails())[0]["text"]
    assert await mail_matches(world.context, "instant") == {"mails": 0}


async def test_a_long_digest_names_fifty_and_counts_the_rest(world: World) -> None:
    await world.rule(await world.account(digest_hour=8), frequency="daily")
    await found(world, *(f"d{number:03}.com" for number in range(55)))
    world.now = datetime(2026, 11, 21, 8, tzinfo=UTC)
    await mail_matches(world.context, "daily")
    [mail] = await world.mails()
    assert mail["text"].count("/domains/d") == 10
    assert len({*re.findall(r"d\d+\.com", mail["text"])}) == 50
    assert "And 5 more" in mail["text"]


async def test_al_12_a_worker_mails_as_soon_as_something_matched(world: World) -> None:
    await world.rule(await world.account(), "Mine")
    await world.publish("one.com")
    settings, now = world.settings, lambda: world.now
    async with open_context(settings, world.database, worker="w", now=now) as context:
        worker = make_worker(context, asyncio.Event())
        [matching] = [queue for queue in worker.queues if queue.name == "matching"]
        await world.work(matching)
    [mail] = await world.mails()
    assert mail["subject"] == "one.com matches Mine"
    assert mail["created_at"] == world.now, "no timer has run"


async def test_al_12_what_is_found_during_a_run_shares_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()
    runs: list[str] = []

    async def run(context: object, frequency: str) -> dict[str, int]:
        runs.append(frequency)
        began.set()
        await go_on.wait()
        return {"mails": 0}

    monkeypatch.setattr(alert_mails, "mail_matches", run)
    mails = InstantMails(world.context)
    asked = [asyncio.create_task(mails.write()) for _ in range(5)]
    await began.wait()
    go_on.set()
    await asyncio.gather(*asked, mails.write())
    assert runs == ["instant", "instant"]


async def test_simultaneous_runs_mail_each_match_once(world: World) -> None:
    for _ in range(25):
        await world.rule(await world.account())
    await found(world, "one.com", "two.com")
    await asyncio.gather(*(mail_matches(world.context, "instant") for _ in range(4)))
    mails = await world.mails()
    assert len(mails) == len({mail["account_id"] for mail in mails}) == 25
    assert all("one.com" in mail["text"] and "two.com" in mail["text"] for mail in mails)


async def test_a_run_that_was_overtaken_names_nothing_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matches become visible in another order than their ids: an earlier one must not bring a later one along."""
    await world.rule(await world.account())
    await found(world, "first.com")
    await found(world, "second.com")
    every = notice_store.pending_matches

    async def later_only(*args: object) -> list[object]:
        return [match for match in await every(*args) if match.domain == "second.com"]  # type: ignore[arg-type]

    async def overtaken(*args: object) -> list[object]:
        known = await every(*args)  # type: ignore[arg-type]
        monkeypatch.setattr(notice_store, "pending_matches", later_only)
        assert await mail_matches(world.context, "instant") == {"mails": 1}
        return list(known)

    monkeypatch.setattr(notice_store, "pending_matches", overtaken)
    assert await mail_matches(world.context, "instant") == {"mails": 0}
    monkeypatch.setattr(notice_store, "pending_matches", every)
    world.move(minutes=10)
    assert await mail_matches(world.context, "instant") == {"mails": 1}
    assert [mail["subject"] for mail in await world.mails()] == [
        "second.com matches rule",
        "first.com matches rule",
    ]


async def test_a_mail_that_is_there_takes_nothing_more(world: World) -> None:
    """Two workers mail the same matches: the second writes no mail, and marks no match that it did not mail."""
    await world.rule(await world.account())
    await found(world, "one.com")
    await mail_matches(world.context, "instant")
    async with world.database.write() as conn:
        waiting = await notice_store.pending_matches(
            conn, "instant", [mail["account_id"] for mail in await world.mails()], world.now
        )
    assert waiting == []


async def test_old_matches_are_left_alone(world: World) -> None:
    await world.rule(await world.account())
    await found(world, "one.com")
    world.now += notice_store.MAILED_WITHIN + timedelta(seconds=1)
    assert await mail_matches(world.context, "instant") == {"mails": 0}


async def test_many_accounts_are_mailed_page_by_page(world: World) -> None:
    for _ in range(45):
        await world.rule(await world.account())
    await found(world, "one.com")
    assert await mail_matches(world.context, "instant") == {"mails": 45}
    world.now += DAY


async def test_a_rule_for_webhooks_alone_mails_nothing(world: World) -> None:
    account = await world.account()
    await world.rule(account, mail=False)
    await world.publish("alpha.com")
    await world.match()
    assert await mail_matches(world.context, "instant") == {"mails": 0}
