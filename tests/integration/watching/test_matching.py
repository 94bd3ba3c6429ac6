"""Matching: every active rule once a round, events to those who may have them, resumable at any account."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.lists.criteria import facts_of
from afterdrop.catalogue.store import summaries
from afterdrop.catalogue.summary import Links
from afterdrop.db.leases import Claim, LeaseLost
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.watching import alert_rules, to_match
from afterdrop.watching import matching as run
from afterdrop.watching import matching_store, worker
from afterdrop.watching.criteria import matches
from afterdrop.watching.worker import match_domain
from tests.support.rows import DAY, NOW
from tests.support.world import World

NAME = "alpine-hut.com"


async def test_ev_01_ev_02_ev_17_a_match_is_an_event_with_the_rule_and_the_full_summary(world: World) -> None:
    account = await world.account()
    endpoint = await world.endpoint(account)
    rule = await world.rule(account, "Huts", keywords=["hut"])
    await world.rule(account, "No", keywords=["castle"])
    await world.publish(NAME)
    await world.match()
    [event] = await world.events()
    body = event["json"]
    assert set(body) == {"id", "type", "created_at", "data"}
    assert body["id"].startswith("evt_")
    assert (body["type"], body["created_at"]) == ("alert.matched", "2026-11-20T18:00:00Z")
    assert body["data"]["alert"] == {"id": rule, "name": "Huts"}
    async with world.database.read() as conn:
        links = Links.of(world.settings)
        seen = await summaries(conn, [NAME], Viewer(account, "pro"), world.now, links)
    assert body["data"]["domain"] == seen[NAME]
    assert body["data"]["domain"]["detail"] == "full"
    [delivery] = await world.deliveries()
    assert (delivery["event_id"], delivery["endpoint_id"]) == (event["id"], endpoint)
    assert delivery["due_at"] == world.now, "EV-04: due at once"
    assert await world.left() == []


async def test_ru_17_matches_are_counted(world: World) -> None:
    rule = await world.rule(await world.account())
    [before] = await world.rows(alert_rules)
    assert (before["match_count"], before["last_matched_at"]) == (0, None)
    await world.publish(NAME)
    world.move(minutes=1)
    await world.match()
    [after] = await world.rows(alert_rules)
    assert (after["match_count"], after["last_matched_at"]) == (1, world.now)
    assert await world.matches() == [(rule, NAME, 1)]


async def test_ev_03_one_event_for_each_rule(world: World) -> None:
    account = await world.account()
    rules = [await world.rule(account, f"r{n}") for n in range(2)]
    await world.publish(NAME)
    await world.match()
    assert [event["json"]["data"]["alert"]["id"] for event in await world.events()] == rules
    assert len({event["id"] for event in await world.events()}) == 2


async def test_al_13_a_daily_rule_fires_webhooks_at_once(world: World) -> None:
    account = await world.account()
    await world.endpoint(account)
    await world.rule(account, frequency="daily")
    await world.publish(NAME)
    await world.match()
    assert len(await world.deliveries()) == 1


async def test_al_14_a_new_rule_does_not_match_old_domains(world: World) -> None:
    await world.publish(NAME)
    await world.match()
    await world.rule(await world.account())
    await world.match()
    assert await world.matches() == []


async def test_a_refresh_does_not_match_again_and_a_new_round_does(world: World) -> None:
    rule = await world.rule(await world.account())
    await world.publish(NAME)
    await world.match()
    await world.leave(NAME)  # asked again in the same round
    await world.match()
    assert await world.matches() == [(rule, NAME, 1)]
    assert (await world.rows(alert_rules))[0]["match_count"] == 1
    await world.update(NAME, round=2)
    await world.leave(NAME)
    await world.match()
    assert await world.matches() == [(rule, NAME, 1), (rule, NAME, 2)]
    assert len(await world.events()) == 2


async def test_al_11_ev_19_dormant_after_a_downgrade_and_back_with_an_upgrade(world: World) -> None:
    account = await world.account()
    await world.endpoint(account)
    rule = await world.rule(account)
    await world.change(account, plan_until=world.now)
    await world.publish(NAME)
    await world.match()
    assert (await world.matches(), await world.events()) == ([], [])
    await world.change(account, plan_until=world.now + DAY)
    await world.publish("second.com")
    await world.match()
    assert await world.matches() == [(rule, "second.com", 1)]


async def test_paused_rules_do_not_match(world: World) -> None:
    await world.rule(await world.account(), active=False)
    await world.publish(NAME)
    await world.match()
    assert await world.matches() == []


async def test_ev_16_ev_20_only_active_endpoints_that_subscribe_get_it(world: World) -> None:
    account = await world.account()
    wanted = await world.endpoint(account, events=["alert.matched", "check.completed"])
    await world.endpoint(account, events=["check.completed"])
    await world.endpoint(account, active=False)
    await world.rule(account)
    await world.publish(NAME)
    await world.match()
    assert [row["endpoint_id"] for row in await world.deliveries()] == [wanted]
    assert len(await world.events()) == 1, "kept whether or not an endpoint took it"


async def test_wd_04_two_endpoints_share_the_event_id(world: World) -> None:
    account = await world.account()
    for _ in range(2):
        await world.endpoint(account)
    await world.rule(account)
    await world.publish(NAME)
    await world.match()
    assert len({row["event_id"] for row in await world.deliveries()}) == 1
    assert len(await world.deliveries()) == 2


async def test_what_is_off_the_lists_is_not_matched(world: World) -> None:
    await world.rule(await world.account())
    await world.publish(NAME, removed_at=NOW, removed_reason="Spam.")
    await world.match()
    assert (await world.matches(), await world.left()) == ([], [])


async def test_every_account_is_reached_in_pages(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching_store, "ACCOUNTS_A_BATCH", 3)
    rules = [await world.rule(await world.account()) for _ in range(8)]
    await world.publish(NAME)
    await world.match()
    assert await world.matches() == [(rule, NAME, 1) for rule in rules]
    assert await world.left() == []


async def test_killed_between_portions_the_next_worker_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching_store, "ACCOUNTS_A_BATCH", 2)
    rules = [await world.rule(await world.account()) for _ in range(5)]
    await world.publish(NAME)
    write, written = worker._write_matches, 0

    async def dying(*given: Any) -> None:
        nonlocal written
        if written == 2:
            raise RuntimeError("killed")
        await write(*given)
        written += 1

    monkeypatch.setattr(worker, "_write_matches", dying)
    async with world.database.write() as conn:
        [claimed] = await matching_store.claim(conn, Claim("dead", world.now, timedelta(seconds=60), 1))
    with pytest.raises(RuntimeError):
        await match_domain(world.context, claimed)
    assert await world.matches() == [(rule, NAME, 1) for rule in rules[:4]]
    [left] = await world.left()
    assert left["after_account"] > 0
    monkeypatch.setattr(worker, "_write_matches", write)
    await world.match()
    assert len(await world.left()) == 1, "the lease of the dead holds"
    world.move(seconds=61)
    await world.match()
    assert await world.matches() == [(rule, NAME, 1) for rule in rules]
    assert len(await world.events()) == 5
    assert [row["match_count"] for row in await world.rows(alert_rules)] == [1] * 5


async def test_a_worker_that_lost_its_lease_writes_nothing(world: World) -> None:
    await world.rule(await world.account())
    await world.publish(NAME)
    async with world.database.write() as conn:
        [lost] = await matching_store.claim(conn, Claim("slow", world.now, timedelta(seconds=1), 1))
    world.move(seconds=2)
    await world.match()
    with pytest.raises(LeaseLost):
        await match_domain(world.context, lost.copy())
    assert len(await world.events()) == 1


async def test_published_anew_while_matching_it_starts_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told of the domain is what it is at the end."""
    rule = await world.rule(await world.account())
    await world.publish(NAME)
    look, looked = run.load_target, 0

    async def looking(*given: Any) -> Any:
        nonlocal looked
        seen = await look(*given)
        looked += 1
        if looked == 1:
            world.move(seconds=1)
            await world.update(NAME, score=90)
            await world.leave(NAME)
        return seen

    monkeypatch.setattr(run, "load_target", looking)
    await world.match()
    assert await world.matches() == [(rule, NAME, 1)]
    [event] = await world.events()
    assert event["json"]["data"]["domain"]["score"] == 90
    assert looked >= 2


async def test_a_rule_deleted_while_matching_is_no_trouble(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = await world.account()
    rules = [await world.rule(account) for _ in range(2)]
    await world.publish(NAME)
    hold = run.evaluate_rules

    async def holding(*given: Any) -> Any:
        found = await hold(*given)
        async with world.database.write() as conn:
            await conn.execute(sa.delete(alert_rules).where(alert_rules.c.id == rules[0]))
        return found

    monkeypatch.setattr(run, "evaluate_rules", holding)
    await world.match()
    assert await world.matches() == [(rules[1], NAME, 1)]


async def test_an_account_deleted_with_its_things_takes_its_matches(world: World) -> None:
    account = await world.account()
    await world.rule(account)
    await world.publish(NAME)
    await world.match()
    async with world.database.write() as conn:
        await conn.execute(sa.delete(accounts).where(accounts.c.id == account))
    assert (await world.matches(), await world.events()) == ([], [])


async def test_a_match_that_cannot_be_written_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = await world.rule(await world.account())
    await world.publish(NAME)

    async def broken(*_: Any) -> None:
        raise ValueError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "_write_matches", broken)
        await world.match()
    [left] = await world.left()
    assert "the disk is full" in left["error"]
    assert left["due_at"] == world.now + timedelta(seconds=10)
    world.move(seconds=10)
    await world.match()
    assert await world.matches() == [(rule, NAME, 1)]


CRITERIA = st.fixed_dictionaries(
    {},
    optional={
        "min_score": st.integers(0, 100), "min_dr": st.integers(0, 40), "min_tf": st.integers(0, 40),
        "max_price": st.integers(0, 100), "tlds": st.lists(st.sampled_from(["com", "de"]), max_size=2),
        "listing_types": st.lists(st.sampled_from(["auction", "pending_delete"]), max_size=2),
        "langs": st.lists(st.sampled_from(["en", "de"]), max_size=2), "clean_only": st.booleans(),
        "keywords": st.lists(st.sampled_from(["hut", "x9", "OLD"]), max_size=2),
    },
)  # fmt: skip


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(CRITERIA, min_size=1, max_size=12),
    st.integers(0, 100),
    st.sampled_from(["auction", "pending_delete"]),
    st.one_of(st.none(), st.integers(0, 100)),
)
async def test_what_is_written_is_what_the_pure_rule_says(
    world: World, rules: list[dict[str, Any]], score: int, kind: str, price: int | None
) -> None:
    """Matching through the database finds exactly what `criteria.matches` finds."""
    name = f"hut-{len(await world.rows(to_match))}-{len(await world.rows(alert_rules))}.com"
    account = await world.account()
    ids = {await world.rule(account, **criteria): criteria for criteria in rules}
    await world.publish(name, score=score, type=kind, price_usd=price)
    await world.match()
    async with world.database.read() as conn:
        seen = await summaries(conn, [name], Viewer(0, "pro"), world.now, Links.of(world.settings))
    expected = [rule for rule, criteria in ids.items() if matches(criteria, facts_of(seen[name]))]
    assert [rule for rule, domain, _ in await world.matches() if domain == name and rule in ids] == expected
