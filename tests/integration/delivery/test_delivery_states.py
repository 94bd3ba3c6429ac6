"""What becomes of deliveries, as their owner reads it; all failed ones sent again, and all of a state dropped."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.db.tables.delivery import deliveries, events
from afterdrop.delivery.events import KEPT
from afterdrop.delivery.webhooks import delivery_states, endpoint_store
from afterdrop.delivery.webhooks.delivery_states import State
from afterdrop.delivery.webhooks.endpoint_store import NotRedelivered
from tests.integration.delivery.test_delivering import BAD, deliver, give_up, record
from tests.support.receivers import OK, receiver
from tests.support.rows import DAY
from tests.support.world import World

ONE_EACH: dict[State, int] = {"failed": 1, "waiting": 1, "expired": 1, "delivered": 1}


async def set_delivery(world: World, event: str, **values: Any) -> None:
    """Set columns of an event's delivery."""
    async with world.database.write() as conn:
        await conn.execute(sa.update(deliveries).where(deliveries.c.event_id == event).values(**values))


async def counts(world: World, account: int, hook: int) -> dict[State, int]:
    """The states of the endpoint's deliveries."""
    async with world.database.read() as conn:
        return await delivery_states.counts(conn, account, hook, world.now)


async def one_each(world: World, account: int) -> list[str]:
    """Four events: one failed, one expired, one delivered, one that waits."""
    ids = [(await record(world, account))[0] for _ in range(4)]
    settled = {"settled_at": world.now, "due_at": None}
    await set_delivery(world, ids[0], status="failed", error="answered 500", response_code=500, **settled)
    await set_delivery(world, ids[1], status="failed", error="expired", **settled)
    await set_delivery(world, ids[2], status="delivered", response_code=200, **settled)
    return ids


async def test_states_tell_failed_held_waiting_and_expired_apart(world: World) -> None:
    account = await world.account()
    hook = await world.endpoint(account)
    failed, expired, delivered, waiting = await one_each(world, account)
    assert await counts(world, account, hook) == ONE_EACH
    async with world.database.read() as conn:
        shown = await delivery_states.newest(conn, account, hook, world.now)
    assert {one["id"]: one["state"] for one in shown} == {
        failed: "failed", expired: "expired", delivered: "delivered", waiting: "waiting"
    }  # fmt: skip
    async with world.database.write() as conn:
        await endpoint_store.change_endpoint(conn, account, hook, {"active": False})
        await endpoint_store.test_endpoint(conn, account, hook, world.now)
    off = {"failed": 1, "held": 1, "waiting": 1, "expired": 1, "delivered": 1}
    assert await counts(world, account, hook) == off, "a test event does not wait for the endpoint"
    assert list(await counts(world, account, hook)) == list(off), "what needs something done comes first"
    await world.change(account, plan_until=world.now)
    assert await counts(world, account, hook) == {"failed": 1, "held": 2, "expired": 1, "delivered": 1}
    assert await counts(world, await world.account(), hook) == {}, "nobody else's"
    world.now += KEPT
    assert await counts(world, account, hook) == {}


async def test_all_failed_deliveries_are_sent_again_and_no_expired_ones(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as bad, receiver(OK) as good:
        hook = await world.endpoint(account, bad.url)
        first, expired, _, _ = await one_each(world, account)
        [second] = await record(world, account)
        await give_up(world)
        await set_delivery(world, expired, error="expired")
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"url": good.url, "active": True})
        before = (await counts(world, account, hook))["failed"]
        assert await again(world, account, hook) == before
        await deliver(world)
        sent = {post.headers["service-delivery"] for post in good.posts}
    assert {first, second} <= sent and expired not in sent
    assert await counts(world, account, hook) == {"expired": 1, "delivered": 1 + before}


async def again(world: World, account: int, hook: int) -> int:
    """Send all that failed again."""
    async with world.database.write() as conn:
        return await delivery_states.send_failed_again(conn, account, hook, world.now)


async def test_failed_deliveries_are_sent_again_once_a_minute_and_by_their_owner(world: World) -> None:
    account = await world.account()
    hook = await world.endpoint(account)
    failed, *_ = await one_each(world, account)
    with pytest.raises(NotRedelivered, match="off"):
        await again(world, await world.account(), hook)
    assert await again(world, account, hook) == 1
    await set_delivery(world, failed, status="failed", error="answered 500", due_at=None)
    with pytest.raises(NotRedelivered, match="wait a minute"):
        await again(world, account, hook)
    world.move(minutes=1)
    assert await again(world, account, hook) == 1
    async with world.database.write() as conn:
        await endpoint_store.change_endpoint(conn, account, hook, {"active": False})
    with pytest.raises(NotRedelivered, match="switch it on"):
        await again(world, account, hook)


async def test_deliveries_of_a_state_are_dropped_and_their_events_stay(world: World) -> None:
    account = await world.account()
    hook = await world.endpoint(account)
    *_, waiting = await one_each(world, account)
    assert await drop(world, await world.account(), hook, "waiting") == 0
    await set_delivery(world, waiting, claimed_by="worker", lease_until=world.now + timedelta(seconds=9))
    assert await drop(world, account, hook, "waiting") == 0, "it is being sent"
    world.move(seconds=9)
    assert await drop(world, account, hook, "waiting") == 1
    assert await counts(world, account, hook) == {"failed": 1, "expired": 1, "delivered": 1}
    await record(world, account)
    async with world.database.write() as conn:
        await endpoint_store.change_endpoint(conn, account, hook, {"active": False})
    assert [await drop(world, account, hook, state) for state in ("held", "failed", "expired")] == [1, 1, 1]
    assert await counts(world, account, hook) == {"delivered": 1}
    assert len(await world.rows(events)) == 5


async def drop(world: World, account: int, hook: int, state: Any) -> int:
    """Drop the deliveries of a state."""
    async with world.database.write() as conn:
        return await delivery_states.drop(conn, account, hook, state, world.now, 10)


async def test_a_payload_is_read_by_its_owner_while_it_is_kept(world: World) -> None:
    account = await world.account()
    hook = await world.endpoint(account)
    [event] = await record(world, account)
    other = await world.account()

    async def payload(owner: int) -> bytes | None:
        async with world.database.read() as conn:
            return await delivery_states.payload(conn, owner, hook, event, world.now)

    [stored] = await world.rows(events)
    assert await payload(account) == stored["body"]
    assert await payload(other) is None
    world.now += 20 * DAY
    assert await payload(account) is None
