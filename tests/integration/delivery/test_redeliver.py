"""Redelivery: the owner asks for one more attempt at a finished delivery."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from afterdrop.db.tables.delivery import deliveries
from afterdrop.delivery.events import KEPT
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.delivery.webhooks.endpoint_store import (
    MOST_REDELIVERIES,
    DeliveryJson,
    NotRedelivered,
    redeliver,
)
from tests.integration.delivery.test_delivering import BAD, deliver, endpoint, give_up, record
from tests.support.receivers import OK, receiver
from tests.support.rows import DAY
from tests.support.world import World


async def ask_again(world: World, account: int, hook: int, event: str) -> DeliveryJson | None:
    """Ask for a redelivery."""
    async with world.database.write() as conn:
        return await redeliver(conn, account, hook, event, world.now)


async def refused(world: World, account: int, hook: int, event: str) -> str:
    """The reason why the delivery is not sent again."""
    with pytest.raises(NotRedelivered) as caught:
        await ask_again(world, account, hook, event)
    assert caught.value.status == 409
    assert event in str(caught.value)
    return caught.value.reason


async def test_a_failed_delivery_arrives_when_sent_again_with_the_same_bytes(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as bad, receiver(OK) as good:
        hook = await world.endpoint(account, bad.url)
        [event] = await record(world, account)
        await give_up(world)
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"url": good.url})
        shown = await ask_again(world, account, hook, event)
        assert shown is not None
        assert (shown["id"], shown["status"], shown["attempts"], shown["error"]) == (
            event,
            "pending",
            6,
            None,
        )
        assert await deliver(world) == 1
    [row] = await world.deliveries()
    assert (row["status"], row["tries"], row["response_code"], row["delivered_at"]) == (
        "delivered", 7, 200, world.now
    )  # fmt: skip
    [post] = good.posts
    assert {post.body} == {each.body for each in bad.posts}
    assert post.headers["service-delivery"] == event
    assert (await endpoint(world, hook))["consecutive_failures"] == 0, "it did arrive"


async def test_a_delivered_one_is_sent_once_more_at_once_and_fails_without_counting(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as good, receiver(BAD) as bad:
        hook = await world.endpoint(account, good.url)
        [event] = await record(world, account)
        await deliver(world)
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"url": bad.url})
        await ask_again(world, account, hook, event)
        assert await deliver(world) == 1
        world.move(days=1)
        assert await deliver(world) == 0, "one attempt, no schedule"
    [row] = await world.deliveries()
    assert (row["status"], row["tries"], row["error"], row["delivered_at"]) == (
        "failed", 2, "answered 500", None
    )  # fmt: skip
    assert (await endpoint(world, hook))["consecutive_failures"] == 0
    assert good.posts[0].body == bad.posts[0].body


async def test_a_failed_redelivery_does_not_switch_the_endpoint_off(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as bad:
        hook = await world.endpoint(account, bad.url, consecutive_failures=13)
        [event] = await record(world, account)
        await give_up(world)
        await ask_again(world, account, hook, event)
        await deliver(world)
    row = await endpoint(world, hook)
    assert (row["active"], row["consecutive_failures"]) == (True, 14)


async def test_expired_and_lost_deliveries_can_be_redelivered(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as good:
        hook = await world.endpoint(account, good.url)
        [reminder] = await record(world, account, expires_at=world.now + timedelta(minutes=1))
        [lost] = await record(world, account)
        async with world.database.write() as conn:
            mine = deliveries.c.event_id == lost
            values = {"status": "failed", "error": "worker lost", "attempts": 11, "due_at": None}
            await conn.execute(sa.update(deliveries).where(mine).values(**values))
        world.move(minutes=1)
        await deliver(world)
        assert {row["error"] for row in await world.deliveries()} == {"expired", "worker lost"}
        for event in (reminder, lost):
            await ask_again(world, account, hook, event)
        await deliver(world)
    assert [(row["status"], row["tries"]) for row in await world.deliveries()] == [("delivered", 1)] * 2


async def test_no_redelivery_while_the_endpoint_is_off_or_the_delivery_pending(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as good:
        hook = await world.endpoint(account, good.url)
        [event] = await record(world, account)
        assert await refused(world, account, hook, event) == "pending"
        await deliver(world)
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"active": False})
        assert await refused(world, account, hook, event) == "off"
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"active": True})
        await world.change(account, plan_until=world.now)
        assert await refused(world, account, hook, event) == "off", "the plan ran out"
        await world.change(account, plan_until=None)
        assert await refused(world, account, hook, event) == "off"
        await world.change(account, plan_until=world.now + DAY)
        assert await ask_again(world, account, hook, event)
        assert await refused(world, account, hook, event) == "pending"


async def test_redeliveries_are_limited_to_a_few_a_minute_and_one_of_the_same(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as good:
        hook, other = await world.endpoint(account, good.url), await world.endpoint(account, good.url)
        made = await record(world, account, MOST_REDELIVERIES + 1)
        await deliver(world)
        assert await ask_again(world, account, hook, made[0])
        await deliver(world)
        assert await refused(world, account, hook, made[0]) == "too_often"
        for event in made[1:-1]:
            assert await ask_again(world, account, hook, event)
        assert await refused(world, account, hook, made[-1]) == "too_often"
        assert await ask_again(world, account, other, made[-1]), "each endpoint has its own few"
        world.move(minutes=1)
        await deliver(world)
        assert await ask_again(world, account, hook, made[-1])
        assert await ask_again(world, account, hook, made[0])


async def test_simultaneous_redeliveries_are_counted(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as good:
        hook = await world.endpoint(account, good.url)
        made = await record(world, account, 3 * MOST_REDELIVERIES)
        await deliver(world)
        results = await asyncio.gather(
            *(ask_again(world, account, hook, event) for event in [*made, *made]), return_exceptions=True
        )
        assert sum(isinstance(result, dict) for result in results) == MOST_REDELIVERIES
        assert sum(isinstance(result, NotRedelivered) for result in results) == 5 * MOST_REDELIVERIES
        assert await deliver(world) == MOST_REDELIVERIES


async def test_only_recent_deliveries_of_the_own_endpoint_can_be_redelivered(world: World) -> None:
    mine, theirs = await world.account(), await world.account()
    async with receiver(OK) as good:
        hook, foreign = await world.endpoint(mine, good.url), await world.endpoint(theirs, good.url)
        [event] = await record(world, mine)
        await deliver(world)
        assert await ask_again(world, theirs, hook, event) is None
        assert await ask_again(world, theirs, foreign, event) is None
        assert await ask_again(world, mine, hook, "evt_unknown") is None
        world.now += KEPT
        assert await ask_again(world, mine, hook, event) is None
