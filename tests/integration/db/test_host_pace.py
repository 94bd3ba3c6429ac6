"""All workers of a deployment share the pace of a host."""

from __future__ import annotations

import asyncio
import random

import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.http import pace

MIDNIGHT = 20_000 * 86_400.0


async def _slot(database: Database, epoch: float, horizon: float = 1000) -> float:
    async with database.write() as conn:
        return await pace.lease_slot(conn, "archive", 2.5, epoch, horizon)


async def test_slots_are_an_interval_apart_for_all_workers(database: Database) -> None:
    slots = await asyncio.gather(*(_slot(database, 1000.0) for _ in range(8)))
    assert sorted(slots) == [1000.0 + 2.5 * n for n in range(8)]


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
        assert [row.host for row in await pace.host_states(conn)] == ["archive"]
        assert await pace.unblock(conn, "archive")
        assert not await pace.unblock(conn, "archive")


async def test_a_host_that_refuses_and_is_blocked_is_one_row(database: Database) -> None:
    async with database.write() as conn:
        await pace.block(conn, "archive", 1060.0, "429")
        await pace.note_refusal(conn, "archive", 1000.0, "answered 403")
        assert await pace.host_states(conn) == [("archive", 0.0, 1060.0, "429", "answered 403")]
        await pace.note_refusal(conn, "archive", None, None)
        assert await pace.host_states(conn) == [("archive", 0.0, 1060.0, "429", None)]


async def test_slots_are_counted_by_their_utc_day(database: Database) -> None:
    for before, count in ((-10.0, 1), (-5.0, 3)):
        async with database.write() as conn:
            await pace.lease_slot(conn, "archive", 0.5, MIDNIGHT + before, 30, count)
    assert await _taken(database, MIDNIGHT - 1) == {"archive": 4, "never asked": 0}
    assert await _taken(database, MIDNIGHT) == {"archive": 0, "never asked": 0}
    async with database.write() as conn:
        await pace.lease_slot(conn, "archive", 0.5, MIDNIGHT, 30, 2)
        assert await pace.lease_slot(conn, "archive", 0.5, MIDNIGHT, 0) < 0  # not leased, so not counted
    assert await _taken(database, MIDNIGHT + 86_399) == {"archive": 2, "never asked": 0}


async def test_workers_that_lease_at_once_lose_no_count(database: Database) -> None:
    await asyncio.gather(*(_slot(database, MIDNIGHT) for _ in range(8)))
    assert (await _taken(database, MIDNIGHT))["archive"] == 8


async def test_many_waiting_requests_count_as_many_as_were_leased(database: Database) -> None:
    slots = pace.Slots(database, lambda: MIDNIGHT, random.Random(1), urgent=True)
    # At a thousand a second one lease holds the slots of a tenth of a second.
    await slots.wait("archive", "https://archive.example/", 0.001, 10)
    assert (await _taken(database, MIDNIGHT))["archive"] == 100
    assert len(slots._queues["archive"].leased) == 99


async def test_the_count_of_the_day_outlives_what_is_cleared_or_blocked(database: Database) -> None:
    await _slot(database, MIDNIGHT)
    async with database.write() as conn:
        await pace.block(conn, "archive", MIDNIGHT + 60, "429")
        await pace.note_refusal(conn, "archive", MIDNIGHT, "answered 403")
        assert await pace.unblock(conn, "archive")
        assert await pace.host_states(conn) == []
        await pace.block(conn, "never asked", MIDNIGHT + 60, "429")
    assert await _taken(database, MIDNIGHT) == {"archive": 1, "never asked": 0}
    assert await _slot(database, MIDNIGHT, horizon=0) == MIDNIGHT
    assert (await _taken(database, MIDNIGHT))["archive"] == 2


async def test_a_row_without_a_count_is_counted_on(database: Database) -> None:
    old = sa.table("host_pace", *map(sa.column, ("host", "next_at", "blocked_until", "note")))
    async with database.write() as conn:
        await conn.execute(sa.insert(old).values(host="archive", next_at=MIDNIGHT + 2, blocked_until=0.0))
    assert (await _taken(database, MIDNIGHT))["archive"] == 0
    assert await _slot(database, MIDNIGHT) == MIDNIGHT + 2
    assert (await _taken(database, MIDNIGHT))["archive"] == 1


async def _taken(database: Database, epoch: float) -> dict[str, int]:
    async with database.read() as conn:
        return await pace.taken_today(conn, ("archive", "never asked"), epoch)
