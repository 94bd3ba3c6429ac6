"""Claims: each row once, taken over from dead workers, and safe from their late results."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from afterdrop.db import leases
from afterdrop.db.dialects import upsert
from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim
from afterdrop.db.tables.feeds import candidates

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LEASE = timedelta(seconds=60)
DUE = sa.and_(candidates.c.state == "due", candidates.c.due_at <= NOW)


async def _fill(database: Database, count: int) -> None:
    rows = [
        {"domain": f"d{n:04}.com", "state": "due", "first_seen_at": NOW, "due_at": NOW, "authority": float(n)}
        for n in range(count)
    ]
    async with database.write() as conn:
        await upsert(conn, candidates, rows, ["domain"])


async def _claim(database: Database, worker: str, limit: int, now: datetime = NOW) -> list[dict[str, object]]:
    async with database.write() as conn:
        return await leases.claim(
            conn, candidates, Claim(worker, now, LEASE, limit), DUE, [candidates.c.authority.desc()]
        )


async def test_many_workers_claim_each_row_once(database: Database) -> None:
    await _fill(database, 200)

    async def work(name: str) -> list[object]:
        taken: list[object] = []
        while rows := await _claim(database, name, 7):
            assert len(rows) <= 7
            taken += [row["domain"] for row in rows]
        return taken

    shares = await asyncio.gather(*(work(f"w{n}") for n in range(4)))
    everything = [domain for share in shares for domain in share]
    assert sorted(everything) == [f"d{n:04}.com" for n in range(200)]  # type: ignore[type-var]  # strings


async def test_rows_are_claimed_in_the_given_order(database: Database) -> None:
    await _fill(database, 10)
    assert {row["domain"] for row in await _claim(database, "w", 2)} == {"d0009.com", "d0008.com"}


async def test_a_dead_workers_row_is_taken_over_and_its_late_result_refused(database: Database) -> None:
    await _fill(database, 1)
    [lost] = await _claim(database, "dead", 1)
    assert await _claim(database, "early", 1) == []
    [taken] = await _claim(database, "heir", 1, NOW + LEASE)
    assert taken["attempts"] == 2
    async with database.write() as conn:
        assert not await leases.settle(conn, candidates, lost, state="settled")
        assert await leases.renew(conn, candidates, taken, NOW + LEASE, LEASE)
        assert await leases.settle(conn, candidates, taken, state="settled", outcome="published")
    assert await _claim(database, "late", 1, NOW + 3 * LEASE) == []


async def test_giving_a_row_back_does_not_cost_an_attempt(database: Database) -> None:
    await _fill(database, 1)
    [row] = await _claim(database, "leaving", 1)
    async with database.write() as conn:
        assert await leases.give_back(conn, candidates, row)
    [again] = await _claim(database, "next", 1)
    assert again["attempts"] == 1


async def test_a_claim_never_exceeds_its_limit_whatever_the_query_plan(database: Database) -> None:
    """PostgreSQL plans by statistics: if they say that the table has one row, it may run a subquery for every row."""
    rows = [
        {"domain": f"d{n:04}.com", "state": "due", "first_seen_at": NOW, "due_at": NOW, "authority": 0.5}
        for n in range(40)
    ]
    for known, count in ((1, 10), (1, 40), (0, 40)):
        async with database.write() as conn:
            await conn.execute(candidates.delete())
            if known:
                await conn.execute(sa.insert(candidates), rows[:known])
            await conn.execute(sa.text("ANALYZE candidates"))
            await conn.execute(sa.insert(candidates), rows[known:count])
        assert len(await _claim(database, "w", 2)) == 2
