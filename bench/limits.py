"""CPU a request spends on limits: the process's own counter against the alternative of counting in the database.

Prints microseconds a request, rounds of both interleaved in one run. `python bench/limits.py`
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from afterdrop.accounts.limits import Meter
from afterdrop.accounts.members import create_account
from afterdrop.accounts.usage import Usage
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.tables.accounts import usage_counters
from afterdrop.settings import Plan

ACCOUNTS = 1000
ROUNDS = 9
REQUESTS = 50_000
IN_DATABASE = 300
PLAN = Plan(
    requests_per_minute=10**9,
    requests_per_day=10**9,
    lookup_domains_per_hour=10**9,
    availability_domains=50,
    rating_domains=25,
)


def in_memory(meters: list[Meter], epoch: int) -> float:
    """CPU microseconds a request of counting a minute and a day in memory."""
    start = time.process_time()
    for number in range(REQUESTS):
        meters[number % ACCOUNTS].take_request(PLAN, epoch + number // 5000)
    return (time.process_time() - start) / REQUESTS * 1e6


async def saving(usage: Usage, now: datetime) -> float:
    """CPU microseconds of one background round that saves every account's counters, spread over its requests."""
    start = time.process_time()
    await usage.save(now)
    return (time.process_time() - start) / REQUESTS * 1e6


async def in_database(database: Database, account_id: int, now: datetime) -> float:
    """CPU microseconds a request of counting a minute in the database with each request."""
    start = time.process_time()
    for _ in range(IN_DATABASE):
        async with database.write() as conn:
            await conn.execute(
                sa.update(usage_counters)
                .where(usage_counters.c.account_id == account_id, usage_counters.c.start == now)
                .values(used=usage_counters.c.used + 1)
                .returning(usage_counters.c.used)
            )
    return (time.process_time() - start) / IN_DATABASE * 1e6


async def main() -> None:
    """Nine interleaved rounds; medians."""
    now = datetime(2026, 11, 20, tzinfo=UTC)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{Path(folder) / 'bench.sqlite3'}"
        migrate.upgrade(url)
        database = open_database(url)
        async with database.write() as conn:
            ids = [
                (await create_account(conn, f"a{number}@bench.example", now=now, welcome=0)).id
                for number in range(ACCOUNTS)
            ]
        usage = Usage(database)
        meters = [await usage.meter(account_id, now) for account_id in ids]
        own, round_, theirs = [], [], []
        for number in range(ROUNDS):
            own.append(in_memory(meters, int(now.timestamp()) + number * 10))
            round_.append(await saving(usage, now))
            theirs.append(await in_database(database, ids[0], now))
        await database.close()
    mine = statistics.median(own)
    background = statistics.median(round_)
    print(f"limits in memory          {mine:8.2f} us a request (minute and day, {ACCOUNTS} accounts)")
    print(f"  saved in the background {background:8.2f} us a request ({REQUESTS:,} requests a round)")
    print(f"a counter in SQLite       {statistics.median(theirs):8.2f} us a request")
    print(f"ratio                     {statistics.median(theirs) / (mine + background):8.0f} x")
    print(f"promise: at most 30 us a request: {'kept' if mine + background <= 30 else 'BROKEN'}")


if __name__ == "__main__":
    asyncio.run(main())
