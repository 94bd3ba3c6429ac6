"""Drops: told once a round to those who watch or whose rules match at that moment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from afterdrop.core.settings import Registry, Settings
from afterdrop.watching import matching_store
from tests.support.rows import DAY, NOW
from tests.support.world import World

NAME = "alpine-hut.com"
DROPPED: dict[str, Any] = {
    "ends_at": NOW - DAY, "live_until": NOW - DAY, "announced": True, "availability": "available",
    "checked_at": NOW - timedelta(minutes=1), "available_since": NOW - timedelta(hours=1), "found_at": NOW - 5 * DAY,
}  # fmt: skip
KEYS = {
    *("availability", "checked_at", "available_since", "register_url", "registrar", "registered_at"),
    *("expires_at", "caught_after_drop"),
}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A registration fee for one extension."""
    return settings.model_copy(update={"registry": Registry(registration_fees={"com": 12})})


async def told(world: World) -> list[int]:
    """The accounts that were told of a drop."""
    return [event["account_id"] for event in await world.events("domain.available")]


async def test_ev_05_ev_07_watchers_and_matching_rules_are_told(world: World) -> None:
    watcher, ruler, neither = [await world.account() for _ in range(3)]
    await world.watch(watcher, NAME)
    await world.rule(ruler, keywords=["hut"])
    await world.rule(neither, keywords=["castle"])
    await world.publish(NAME, "available", **DROPPED)
    await world.match()
    assert await told(world) == [watcher, ruler]
    data = (await world.events())[0]["json"]["data"]
    assert set(data) == {"domain", "registration"}
    assert data["domain"]["status"] == "available"
    assert set(data["registration"]) == KEYS
    assert data["registration"]["availability"] == "available"
    assert data["registration"]["available_since"] == "2026-11-20T17:00:00Z"
    assert await world.matches() == [], "a drop is no new match"


async def test_ev_06_rules_see_the_original_type_and_the_registration_fee(world: World) -> None:
    by_type, by_price, too_cheap = [await world.account() for _ in range(3)]
    await world.rule(by_type, listing_types=["auction"])
    await world.rule(by_price, max_price=12)
    await world.rule(too_cheap, max_price=11)
    await world.publish(NAME, "available", **DROPPED, price_usd=500)
    await world.match()
    assert await told(world) == [by_type, by_price]


async def test_ev_08_a_watch_and_a_rule_are_one_event(world: World) -> None:
    account = await world.account()
    await world.watch(account, NAME)
    await world.rule(account)
    await world.rule(account)
    await world.publish(NAME, "available", **DROPPED)
    await world.match()
    await world.leave(NAME, "available")
    await world.match()
    assert await told(world) == [account]
    assert len(await world.mails()) == 1


async def test_a_new_round_tells_again(world: World) -> None:
    account = await world.account()
    await world.watch(account, NAME)
    await world.publish(NAME, "available", **DROPPED)
    await world.match()
    await world.update(NAME, round=2)
    await world.leave(NAME, "available")
    await world.match()
    assert await told(world) == [account, account]


@pytest.mark.parametrize("change", [{"announced": False}, {"live_until": None}, {"removed_at": NOW}])
async def test_what_is_no_longer_available_is_not_told(world: World, change: dict[str, Any]) -> None:
    await world.watch(await world.account(), NAME)
    await world.publish(NAME, "available", **{**DROPPED, **change})
    await world.match()
    assert (await told(world), await world.left()) == ([], [])


async def test_free_accounts_are_not_told(world: World) -> None:
    free = await world.account(pro=False)
    await world.watch(free, NAME)
    await world.rule(free)
    await world.publish(NAME, "available", **DROPPED)
    await world.match()
    assert (await world.events(), await world.mails()) == ([], [])


async def test_watchers_without_rules_are_reached_page_by_page(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching_store, "ACCOUNTS_A_BATCH", 2)
    watchers = [await world.account() for _ in range(5)]
    for account in watchers:
        await world.watch(account, NAME)
    await world.publish(NAME, "available", **DROPPED)
    await world.match()
    assert await told(world) == watchers


async def test_w_13_the_notice_is_mailed_to_watchers_and_for_rules_only_on_request(world: World) -> None:
    watcher = await world.account()
    by_rule = await world.account()
    on_request = await world.account(mail_rule_reminders=True)
    quiet = await world.account(mail_watches=False)
    unverified = await world.account(verified=False)
    for account in (watcher, quiet, unverified):
        await world.watch(account, NAME)
    for account in (by_rule, on_request):
        await world.rule(account)
    await world.publish(NAME, "available", **DROPPED)
    await world.match()
    assert len(await told(world)) == 5
    mailed = {mail["account_id"]: mail for mail in await world.mails()}
    assert set(mailed) == {watcher, on_request}
    mail = mailed[watcher]
    assert mail["kind"] == "drop_notice"
    assert mail["subject"] == "alpine-hut.com has dropped and is free to register"
    assert "About $12 to register" in mail["text"]
    assert "You follow this domain" in mail["text"]
    assert "matches one of your alert rules" in mailed[on_request]["text"]
    assert mail["headers"]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
