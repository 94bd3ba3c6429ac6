"""Fairness between endpoints: a few deliveries at a time for each, one for unproven ones, and slow ones last."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.db.leases import Claim
from afterdrop.db.tables.delivery import deliveries, webhook_endpoints
from afterdrop.delivery.webhooks import endpoint_store, store
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.worker import delivery_queue, delivery_worker
from tests.integration.delivery.test_delivering import BAD, deliver, endpoint, record
from tests.support import POSTGRES_IS_LONG, receivers
from tests.support.receivers import OK, receiver
from tests.support.world import World


async def test_an_endpoint_is_given_a_few_at_a_time(world: World) -> None:
    account = await world.account()
    running = most = 0

    async def counting(_reader: Any, writer: Any) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        writer.write(OK)

    async with receiver(counting) as target:
        await world.endpoint(account, target.url)
        await record(world, account)
        await deliver(world)
        await record(world, account, 20)
        assert await deliver(world) == 20
    assert most == 4


@POSTGRES_IS_LONG
async def test_slow_receivers_do_not_hold_up_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times as many deliveries hang as the worker has places, and the quick ones still arrive."""
    monkeypatch.setattr("afterdrop.delivery.webhooks.worker._SLOW_AFTER", 0.1)
    hanging = 4.0
    monkeypatch.setattr("afterdrop.delivery.webhooks.worker._AT_ONCE", 4)
    webhook = world.settings.webhook.model_copy(update={"answer_seconds": hanging})
    async with open_sender(webhook, lambda: world.now.timestamp()) as sender:
        worker = delivery_worker(replace(world.context, sender=sender))
        worker.results.settings = webhook
        async with receiver(receivers.hang) as slow, receiver(OK) as quick:
            for target, count in (*[(slow, 1)] * 12, (quick, 20)):
                account = await world.account()
                await world.endpoint(account, target.url)
                await record(world, account, count)
            started = asyncio.get_running_loop().time()
            working = asyncio.create_task(world.work(delivery_queue(worker)))
            while len(quick.posts) < 20:
                await asyncio.sleep(0.01)
            took = asyncio.get_running_loop().time() - started
            await working
    assert took < hanging
    assert len(slow.posts) == 12


async def test_claims_take_the_oldest_of_every_endpoint(world: World) -> None:
    for _ in range(3):
        account = await world.account()
        await world.endpoint(account, last_delivered_at=world.now)
        await record(world, account, 6)
    async with world.database.write() as conn:
        first = await store.claim_due(conn, Claim("a", world.now, timedelta(seconds=9), 100))
        second = await store.claim_due(conn, Claim("b", world.now, timedelta(seconds=9), 100))
        await conn.execute(sa.update(deliveries).values(status="delivered", lease_until=None))
        assert await store.claim_due(conn, Claim("c", world.now, timedelta(seconds=9), 100)) == []
    counts = [
        sum(row["endpoint_id"] == hook for row in first) for hook in {row["endpoint_id"] for row in first}
    ]
    assert counts == [4, 4, 4]
    assert second == []


async def test_an_untried_or_slow_endpoint_has_one_delivery_in_flight(
    world: World,
) -> None:
    hooks: dict[int, str] = {}
    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("untried", {}),
        ("slow", {"last_delivered_at": world.now, "slow_at": world.now}),
        ("prompt", {"last_delivered_at": world.now}),
    )
    for name, columns in cases:
        account = await world.account()
        hooks[await world.endpoint(account, **columns)] = name
        await record(world, account, 6)
    counts = {}
    for prompt_only in (True, False):
        async with world.database.write() as conn:
            rows = await store.claim_due(
                conn, Claim("a", world.now, timedelta(seconds=9), 100), prompt_only=prompt_only
            )
        names = [hooks[row["endpoint_id"]] for row in rows]
        counts[prompt_only] = {name: names.count(name) for name in names}
    assert counts == {True: {"prompt": 4}, False: {"untried": 1, "slow": 1}}


async def test_test_events_count_against_the_limit_of_their_endpoint(world: World) -> None:
    """An inactive endpoint gets one test event at a time, however many wait."""
    hooks: dict[int, str] = {}
    for name, columns in (
        ("untried", {}),
        ("prompt", {"last_delivered_at": world.now}),
        ("off", {"active": False, "last_delivered_at": world.now}),
        ("off and slow", {"active": False, "slow_at": world.now}),
    ):
        account = await world.account()
        hooks[hook := await world.endpoint(account, **columns)] = name
        async with world.database.write() as conn:
            for _ in range(60):
                assert await endpoint_store.test_endpoint(conn, account, hook, world.now)
        world.move(seconds=1)
    counts = []
    for prompt_only in (True, False, False):
        async with world.database.write() as conn:
            rows = await store.claim_due(
                conn, Claim("a", world.now, timedelta(seconds=9), 300), prompt_only=prompt_only
            )
        names = [hooks[row["endpoint_id"]] for row in rows]
        counts.append({name: names.count(name) for name in names})
    assert counts == [{"prompt": 4, "off": 1}, {"untried": 1, "off and slow": 1}, {}]


async def test_a_slow_answer_marks_an_endpoint_and_a_prompt_one_clears_the_mark(world: World) -> None:
    account = await world.account()
    async with receiver(receivers.hang) as dead, receiver(BAD) as bad, receiver(OK) as good:
        hook = await world.endpoint(account, dead.url)
        await record(world, account)
        await deliver(world)
        assert (await endpoint(world, hook))["slow_at"] == world.now
        async with world.database.write() as conn:
            await conn.execute(
                sa.update(webhook_endpoints).values(url=bad.url).where(webhook_endpoints.c.id == hook)
            )
        world.move(minutes=2)
        await deliver(world)
        assert (await endpoint(world, hook))["slow_at"] is None, "a 500 is an answer"
        async with world.database.write() as conn:
            await store.note_pace(conn, {hook}, set(), world.now)
            await endpoint_store.change_endpoint(conn, account, hook, {"url": good.url})
        assert (await endpoint(world, hook))["slow_at"] is None, "another address, another chance"


@POSTGRES_IS_LONG
async def test_more_hanging_endpoints_than_a_worker_has_places_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty endpoints hang, a worker waits for sixteen at most: the one that answers gets all it is owed."""
    monkeypatch.setattr("afterdrop.delivery.webhooks.worker._SLOW_AFTER", 0.05)
    hanging = 4.0
    monkeypatch.setattr("afterdrop.delivery.webhooks.worker._AT_ONCE", 2)
    webhook = world.settings.webhook.model_copy(update={"answer_seconds": hanging})
    async with open_sender(webhook, lambda: world.now.timestamp()) as sender:
        made = delivery_worker(replace(world.context, sender=sender))
        made.results.settings = webhook
        async with receiver(receivers.hang) as slow, receiver(OK) as quick:
            for _ in range(20):
                account = await world.account()
                await world.endpoint(account, slow.url)
                await record(world, account)
            account = await world.account()
            await world.endpoint(account, quick.url, last_delivered_at=world.now)
            working = asyncio.create_task(world.work(delivery_queue(made)))
            while len(slow.posts) < 8:
                await asyncio.sleep(0.01)
            started = asyncio.get_running_loop().time()
            await record(world, account, 20)
            while len(quick.posts) < 20:
                await asyncio.sleep(0.01)
            assert asyncio.get_running_loop().time() - started < hanging - 0.5
            assert len(made.unproven) <= 9
            await working
    assert len(slow.posts) == 20
    assert made.unproven == set()
