"""All workers of a deployment share the pace of a host."""

from __future__ import annotations

import asyncio

from afterdrop.db.engine import Database
from afterdrop.http import pace


async def _slot(database: Database, epoch: float, horizon: float = 1000) -> float:
    async with database.write() as conn:
        return await pace.lease_slot(conn, "archive", 2.5, epoch, horizon)


async def test_slots_are_an_interval_apart_for_all_workers(database: Database) -> None:
    slots = await asyncio.gather(*(_slot(database, 1000.0) for _ in range(8)))
    assert sorted(slots) == [1000.0 + 2.5 * n for n in range(8)]


async def test_requests_are_counted_by_the_day(database: Database) -> None:
    noon = 20_000 * 86_400 + 43_200.0
    await _slot(database, noon)
    async with database.write() as conn:
        assert await pace.lease_slot(conn, "archive", 2.5, noon + 60, 0, 5) == noon + 60
        assert await pace.lease_slot(conn, "archive", 2.5, noon + 60, 0) == -(noon + 60 + 5 * 2.5)
        await pace.lease_slot(conn, "other", 1, noon, 0, 3)
        await pace.block(conn, "never asked", noon + 60, "429")
        assert await pace.taken_today(conn, noon, 9) == {"archive": 6, "other": 3}
        assert await pace.taken_today(conn, noon, 1) == {"archive": 6}
        tomorrow = noon + 86_400
        assert await pace.taken_today(conn, tomorrow, 9) == {}
        await pace.lease_slot(conn, "archive", 2.5, tomorrow, 0)
        assert await pace.taken_today(conn, tomorrow, 9) == {"archive": 1}


async def test_a_slot_too_far_ahead_is_not_leased(database: Database) -> None:
    assert await _slot(database, 1000.0) == 1000.0
    assert await _slot(database, 1000.0, horizon=1) == -1002.5
    assert await _slot(database, 1002.0, horizon=1) == 1002.5


async def test_a_block_holds_for_all_workers_and_is_never_shortened(database: Database) -> None:
    async with database.write() as conn:
        await pace.block(conn, "archive", 1060.0, "429")
        await pace.block(conn, "archive", 1010.0, "429")
        assert await pace.blocked_until(conn, "archive", 1000.0) == 1060.0
        assert await pace.blocked_until(conn, "other", 1000.0) == 0.0
    assert await _slot(database, 1000.0, horizon=5) == -1060.0
    assert await _slot(database, 1000.0) == 1060.0
    assert await _slot(database, 1070.0) == 1070.0


async def test_times_that_only_a_wrong_clock_can_have_written_block_nobody(database: Database) -> None:
    days = 400 * 86400.0
    await _slot(database, 1000.0 + days)
    async with database.write() as conn:
        await pace.block(conn, "archive", 1000.0 + days, "429")
        assert await pace.blocked_until(conn, "archive", 1000.0) == 0.0
        assert await pace.free_at(conn, "archive", 2.5, 1000.0) == 0.0
    assert await _slot(database, 1000.0, horizon=0) == 1000.0
    assert await _slot(database, 1000.0, horizon=5) == 1002.5
    async with database.write() as conn:
        await pace.block(conn, "archive", 1060.0, "429")  # a true one replaces it
        assert await pace.blocked_until(conn, "archive", 1000.0) == 1060.0
        assert [row.host for row in await pace.kept(conn)] == ["archive"]
        assert await pace.unblock(conn, "archive")
        assert not await pace.unblock(conn, "archive")


async def test_a_host_that_refuses_and_is_blocked_is_one_row(database: Database) -> None:
    async with database.write() as conn:
        await pace.block(conn, "archive", 1060.0, "429")
        await pace.note_refusal(conn, "archive", 1000.0, "answered 403")
        assert await pace.kept(conn) == [("archive", 0.0, 1060.0, "429", "answered 403")]
        await pace.note_refusal(conn, "archive", None, None)
        assert await pace.kept(conn) == [("archive", 0.0, 1060.0, "429", None)]
