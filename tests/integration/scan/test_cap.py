"""The day's cap of reviews: used to the last one, never overrun, and no scan waits for more than it allows."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim
from afterdrop.db.tables.review import reviews
from afterdrop.sandbox import start
from afterdrop.scan import store
from afterdrop.scan.run import run_scan
from tests.support import ON_SQLITE
from tests.support.desk import DAY, NOON, Desk, offer
from tests.support.sandboxes import context_for

LEASE = timedelta(minutes=2)


async def _claim(desk: Desk, cap: int, limit: int = 8) -> int:
    async with desk.database.write() as conn:
        return len(await store.claim_candidates(conn, Claim("one", NOON, LEASE, limit), cap))


async def _reviewed(desk: Desk, domain: str) -> None:
    row = {"domain": domain, "reviewed_at": NOON, "valid_until": NOON + DAY, "spam": False, "history": {}}
    async with desk.database.write() as conn:
        await conn.execute(sa.insert(reviews).values(row))


async def test_no_more_are_taken_than_the_cap_has_left_beside_those_in_hand(database: Database) -> None:
    desk = Desk(database)
    await desk.take([offer(f"n{number}.com") for number in range(20)])
    assert await _claim(desk, 3) == 3
    assert await _claim(desk, 3) == 0, "three are in hand and the cap is three"
    assert await _claim(desk, 5) == 2
    assert await _claim(desk, 20, limit=4) == 4


async def test_beyond_the_cap_only_names_with_a_valid_review_are_taken(database: Database) -> None:
    desk = Desk(database)
    await desk.take([offer(f"n{number}.com") for number in range(5)])
    await _reviewed(desk, "n4.com")
    assert await _claim(desk, 1) == 1, "the one reviewed today used the cap up"
    assert await _claim(desk, 1) == 0
    assert await _claim(desk, 2) == 1, "a name that is only scored anew is not counted as a review in hand"


async def test_ending_soon_comes_first_then_authority(database: Database) -> None:
    desk = Desk(database)
    far = {"e": "2026-12-20T00:00:00Z"}
    soon = {"e": "2026-11-22T11:00:00Z"}
    rows = [
        *(offer("far-weak.com", tf=20, **far), offer("far-strong.com", tf=80, **far)),
        *(offer("soon-weak.com", tf=20, **soon), offer("soon-strong.com", tf=80, **soon)),
        offer("endless.com", t="buy_now", tf=90, e=None),
    ]
    await desk.take(rows)
    taken = []
    for _ in rows:
        async with database.write() as conn:
            taken += await store.claim_candidates(conn, Claim("one", NOON, LEASE, 1), 20)
    assert [row["domain"] for row in taken] == [
        *("soon-strong.com", "soon-weak.com"),
        *("endless.com", "far-strong.com", "far-weak.com"),
    ]
    assert await _claim(desk, 20) == 0


@ON_SQLITE
async def test_a_claim_reads_neither_all_reviews_nor_sorts_all_that_wait(database: Database) -> None:
    """SQLite's own account of how it finds the rows; PostgreSQL's depends on how many there are."""
    plans: list[str] = []

    def explain(conn: sa.Connection, _cursor: object, statement: str, values: Any, *_: object) -> None:
        if statement.startswith(("SELECT count", "UPDATE candidates")):
            raw = conn.connection.dbapi_connection
            assert raw is not None
            cursor = raw.cursor()
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", values)
            plans.extend(str(row[3]) for row in cursor.fetchall())
            cursor.close()

    watched = (database.engine.sync_engine, "before_cursor_execute", explain)
    sa.event.listen(*watched)
    async with database.write() as conn:
        await store.claim_candidates(conn, Claim("one", NOON, LEASE, 8), 100)
    sa.event.remove(*watched)
    assert len([plan for plan in plans if "ix_reviews_reviewed_at" in plan]) == 1
    assert len([plan for plan in plans if "COVERING INDEX ix_candidates_state" in plan]) == 2
    assert not [plan for plan in plans if plan.startswith("SCAN") or "TEMP B-TREE" in plan]


async def test_a_scan_ends_when_fewer_reviews_are_left_than_slots(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    def capped(settings: Settings) -> Settings:
        assert settings.scan.reviews_at_once > 5
        return settings.model_copy(update={"scan": settings.scan.model_copy(update={"reviews_per_day": 5})})

    async with (
        start(3, 40) as running,
        context_for(running, database, tmp_path, database_url, change=capped) as context,
    ):
        result = await asyncio.wait_for(run_scan(context), 180)
    async with database.read() as conn:
        made = (await conn.execute(sa.select(sa.func.count()).select_from(reviews))).scalar_one()
    assert made == 5
    assert result["counts"]["left_over"] > 0
    assert result["finished_at"] is not None
