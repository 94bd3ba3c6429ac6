"""Claims of several workers at once: no attempt comes before its time."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.delivery.webhooks import store
from afterdrop.delivery.webhooks.retry_schedule import ReceiverAnswer, attempt_result
from afterdrop.delivery.webhooks.store import ClaimLimits, DeliveryRow
from tests.integration.delivery.test_delivering import WAITS, record
from tests.support.world import World

LEASE = timedelta(seconds=15)
LIMITS = ClaimLimits(9, 4)

# In front of the table for one connection: whoever reads the endpoints waits for the lock. So a claim stands still
# after its statement took its snapshot and before it locked a delivery.
_GATE = """
CREATE SCHEMA gate;
CREATE VIEW gate.webhook_endpoints AS
SELECT * FROM public.webhook_endpoints WHERE pg_advisory_xact_lock_shared(1) IS NOT NULL"""
_AT_THE_GATE = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


async def _claim(conn: AsyncConnection, worker: str, world: World) -> list[DeliveryRow]:
    return await store.claim_due(conn, worker, world.now, LEASE, LIMITS)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
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
            while not await gate.scalar(sa.text(_AT_THE_GATE)):
                await asyncio.sleep(0.01)
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
