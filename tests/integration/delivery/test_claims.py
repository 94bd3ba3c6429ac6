"""Workers and owners at the same rows on PostgreSQL: no attempt comes before its time, and none is lost."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.leases import Claim
from afterdrop.db.tables.delivery import deliveries
from afterdrop.delivery.webhooks import endpoint_store, store
from afterdrop.delivery.webhooks.retry_schedule import ReceiverAnswer, attempt_result
from afterdrop.delivery.webhooks.store import DeliveryRow
from tests.integration.delivery.test_delivering import WAITS, record
from tests.support import ON_POSTGRES
from tests.support.world import World

LEASE = timedelta(seconds=15)

# In front of the table for one connection: whoever reads the endpoints waits for the lock. So a claim stands still
# after its statement took its snapshot and before it locked a delivery.
_GATE = """
CREATE SCHEMA gate;
CREATE VIEW gate.webhook_endpoints AS
SELECT * FROM public.webhook_endpoints WHERE pg_advisory_xact_lock_shared(1) IS NOT NULL"""
_WAITING = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)

pytestmark = ON_POSTGRES


async def _claim(conn: AsyncConnection, worker: str, world: World) -> list[DeliveryRow]:
    return await store.claim_due(conn, Claim(worker, world.now, LEASE, 9))


async def _until_one_waits(world: World) -> None:
    """Looks in a new transaction each time: PostgreSQL shows the same activity until a transaction ends."""
    waiting = 0
    while not waiting:
        await asyncio.sleep(0.01)
        async with world.database.read() as conn:
            waiting = await conn.scalar(_WAITING)


async def test_a_slow_claim_does_not_take_what_another_worker_tried_meanwhile(world: World) -> None:
    """Under READ COMMITTED a locked row is read anew, but a subquery about it is not: it still says "due"."""
    account = await world.account()
    await world.endpoint(account)
    await record(world, account)
    engine = world.database.engine
    async with world.database.write() as conn:
        for statement in _GATE.split(";"):
            await conn.execute(sa.text(statement))
    try:
        async with engine.begin() as slow, engine.connect() as gate:
            await gate.execute(sa.text("SELECT pg_advisory_xact_lock(1)"))
            await slow.execute(sa.text("SET LOCAL search_path = gate, public"))
            claiming = asyncio.create_task(_claim(slow, "slow", world))
            await _until_one_waits(world)
            async with world.database.write() as conn:
                [row] = await _claim(conn, "quick", world)
            async with world.database.write() as conn:
                answer = ReceiverAnswer(500, "answered 500")
                result = attempt_result(answer, 0, WAITS, world.now, jitter=0)
                assert await store.write_failure(conn, row, answer, result, world.now)
            await gate.rollback()
            assert await claiming == []
    finally:
        async with world.database.write() as conn:
            await conn.execute(sa.text("DROP SCHEMA gate CASCADE"))
    [delivery] = await world.deliveries()
    assert (delivery["tries"], delivery["attempts"]) == (1, 1)
    assert delivery["due_at"] == world.now + timedelta(seconds=WAITS[0])


async def test_what_is_sent_again_is_not_pruned_at_that_moment(world: World) -> None:
    account = await world.account()
    hook = await world.endpoint(account)
    [oldest, *_] = await record(world, account, store.KEPT_PER_ENDPOINT + 1)
    async with world.database.write() as conn:
        await conn.execute(
            sa.update(deliveries).values(status="delivered", due_at=None, settled_at=world.now)
        )
    engine = world.database.engine
    async with engine.connect() as owner, engine.begin() as pruning:
        await endpoint_store.redeliver(owner, account, hook, oldest, world.now)
        pruned = asyncio.create_task(store.prune(pruning, world.now, 1000))
        await _until_one_waits(world)
        await owner.commit()
        assert await pruned == 0
    [pending] = [row for row in await world.deliveries() if row["status"] == "pending"]
    assert pending["event_id"] == oldest
