"""What claims of candidates and the scan's wait cost the database, now and in an earlier version.

Run: `python -m bench.scan_queue [--due 200000] [--reviews 100000] [--url postgresql://…]` (default: a new SQLite file).
Fills a database with waiting candidates, each with a live listing, and with reviews of the last 30 days. Times

* a claim, and in it the count of the day's reviews, with the indexes as they are and as they were;
* the search for candidates whose listings ended, beside the UPDATE over all of them that it replaced.

Times are medians on the clock in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
import zlib
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core import clock
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.tables.feeds import candidates, listings
from afterdrop.db.tables.review import reviews
from afterdrop.scan import store
from afterdrop.scan.feed_intake import BATCH
from afterdrop.scan.run import ENDED_EVERY

CAP = 8000
LEASE = timedelta(minutes=2)
MONTH = 30 * 86400
RUNS = 7


async def fill(database: Database, due: int, reviewed: int, now: datetime) -> int:
    """Waiting candidates with a live listing each, and reviews spread evenly over a month; the scan's id."""
    async with database.write() as conn:
        scan = await store.open_scan(conn, now, now + timedelta(hours=20))
    for start in range(0, due, 10_000):
        names = [f"name{number}.com" for number in range(start, min(start + 10_000, due))]
        ends = [now + timedelta(hours=1 + number % 200) for number in range(len(names))]
        async with database.write() as conn:
            await conn.execute(
                sa.insert(candidates),
                [_candidate(*one, scan.id, now) for one in zip(names, ends, strict=True)],
            )
            await conn.execute(
                sa.insert(listings), [_listing(*one, now) for one in zip(names, ends, strict=True)]
            )
    for start in range(0, reviewed, 10_000):
        rows = [_review(number, now, reviewed) for number in range(start, min(start + 10_000, reviewed))]
        async with database.write() as conn:
            await conn.execute(sa.insert(reviews), rows)
    if not database.sqlite:  # as the server's autovacuum does within a minute; nothing does so for SQLite
        async with database.write() as conn:
            await conn.execute(sa.text("ANALYZE"))
    return scan.id


def _candidate(domain: str, end: datetime, scan: int, now: datetime) -> dict[str, Any]:
    return {
        "domain": domain, "scan_id": scan, "state": "due", "authority": zlib.crc32(domain.encode()) % 1000 / 10,
        "ends_at": end, "first_seen_at": now, "due_at": now,
    }  # fmt: skip


def _listing(domain: str, end: datetime, now: datetime) -> dict[str, Any]:
    return {
        "source": "bench", "feed": "bench", "external_id": domain, "domain": domain, "type": "bid", "ends_at": end,
        "live_until": end, "first_seen_at": now, "last_seen_at": now, "seen_run": 1,
    }  # fmt: skip


def _review(number: int, now: datetime, count: int) -> dict[str, Any]:
    at = now - timedelta(seconds=MONTH * number / count)
    history = {"findings": [], "reasons": ["x" * 40] * 50}  # 2 KB, what a short one has
    return {
        "domain": f"reviewed{number}.com", "reviewed_at": at, "valid_until": at + timedelta(days=30), "spam": False,
        "history": history,
    }  # fmt: skip


async def took(database: Database, work: Callable[[AsyncConnection], Awaitable[Any]]) -> float:
    """Median milliseconds of `work` in a writing transaction of its own, without its commit."""
    times = []
    for _ in range(RUNS):
        async with database.write() as conn:
            began = time.perf_counter()
            await work(conn)
            times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


async def _drop_at_once(conn: AsyncConnection, scan: int, now: datetime) -> None:
    """How ended candidates were dropped before: one UPDATE over all that wait, four times a second."""
    c = candidates.c
    live = sa.exists().where(
        listings.c.domain == c.domain,
        listings.c.withdrawn_at.is_(None),
        sa.or_(listings.c.live_until.is_(None), listings.c.live_until > now),
    )
    reviewed = sa.exists().where(reviews.c.domain == c.domain)
    free = sa.or_(c.lease_until.is_(None), c.lease_until <= now)
    await conn.execute(
        sa.update(candidates)
        .where(c.state == "due", free, ~live, ~reviewed)
        .values(state="settled", outcome="not_reviewed_in_time", settled_at=now, due_at=None, scan_id=scan)
    )


async def _searched(database: Database, scan: int, now: datetime) -> float:
    """Median milliseconds of one search for ended candidates: a read, which no writer waits for."""
    times = []
    for _ in range(RUNS):
        async with database.read() as conn:
            began = time.perf_counter()
            await store.ended_candidates(conn, scan, now, "", BATCH)
            times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def show(what: str, before: float, after: float, why: str) -> None:
    """A line of the table."""
    print(f"{what:34} {before:9.2f} {after:9.2f} {before / after:8.1f}x  {why}", flush=True)


async def measure(url: str, due: int, reviewed: int) -> None:
    """Fill the database, measure, print."""
    await asyncio.to_thread(migrate.upgrade, url)
    database, now = open_database(url), clock.now()
    scan = await fill(database, due, reviewed, now)
    kind = "SQLite" if database.sqlite else "PostgreSQL"
    print(f"{kind}, {due:,} candidates waiting, {reviewed:,} reviews; milliseconds, median of {RUNS}")
    print(f"{'':34} {'before':>9} {'now':>9}")

    async def count(conn: AsyncConnection) -> None:
        await store.reviews_left(conn, CAP, now)

    async def claim(conn: AsyncConnection) -> None:
        await store.claim_candidates(conn, "bench", now, LEASE, 8, CAP)

    counted, claimed = await took(database, count), await took(database, claim)
    searched = await _searched(database, scan, now)
    for name in ("ix_reviews_reviewed_at", "ix_candidates_state"):
        async with database.write() as conn:
            await conn.execute(sa.text(f"DROP INDEX {name}"))
    async with database.write() as conn:
        await conn.execute(sa.text("CREATE INDEX ix_candidates_state ON candidates (state, due_at)"))
    show("the day's reviews counted", await took(database, count), counted, "indexes as before, as now")
    show("a claim of 8 candidates", await took(database, claim), claimed, "the same")
    dropped = await took(database, lambda conn: _drop_at_once(conn, scan, now))
    a_minute = 60 / ENDED_EVERY.total_seconds()
    show("ended candidates, once", dropped, searched, "an UPDATE that locks, a read that does not")
    show("ended candidates, a minute's worth", dropped * 240, searched * a_minute, "240 times, once a minute")
    await database.close()


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--due", type=int, default=200_000)
    parser.add_argument("--reviews", type=int, default=100_000)
    parser.add_argument("--url", help="an empty database (default: a new SQLite file)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = given.url or f"sqlite+aiosqlite:///{folder}/bench.sqlite3"
        asyncio.run(measure(url, given.due, given.reviews))


if __name__ == "__main__":
    main()
