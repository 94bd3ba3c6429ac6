"""CPU a request spends on limits: the process's own counter against the alternative of counting in the database.

Prints microseconds a request, rounds of both interleaved in one run. The gate is everything that stands between a known
account and its endpoint: the plan, its limits, the meter, the verdict and the headers. Saving is spread over the
requests of a round (half a second): busy is fifty a round and account, sparse one. `python bench/limits.py`
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.accounts.members import NewAccount, create_account
from afterdrop.accounts.rate_limit_store import RateLimitStore
from afterdrop.accounts.rate_limits import RateLimiter
from afterdrop.core.plan_limits import Plan, Plans
from afterdrop.core.settings import Settings
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.tables.accounts import usage_counters
from afterdrop.web.account_request import admit_owner
from afterdrop.web.context import WebContext, make_web_context

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


def in_memory(meters: list[RateLimiter], epoch: int) -> float:
    """CPU microseconds a request of counting a minute and a day in memory."""
    start = time.process_time()
    for number in range(REQUESTS):
        meters[number % ACCOUNTS].take_request(PLAN, epoch + number // 5000)
    return (time.process_time() - start) / REQUESTS * 1e6


async def gate(context: WebContext, owners: list[KeyOwner]) -> float:
    """CPU microseconds a request of the whole gate."""
    start = time.process_time()
    for number in range(REQUESTS):
        (await admit_owner(context, owners[number % ACCOUNTS])).headers()
    return (time.process_time() - start) / REQUESTS * 1e6


async def saving(usage: RateLimitStore, now: datetime, requests: int) -> float:
    """CPU microseconds a request of one background round that saves the counters of every account."""
    start = time.process_time()
    await usage.save(now)
    return (time.process_time() - start) / requests * 1e6


async def sparse(usage: RateLimitStore, meters: list[RateLimiter], epoch: int) -> float:
    """The same when every account sent one request since the last round."""
    for meter in meters:
        meter.take_request(PLAN, epoch)
    return await saving(usage, datetime.fromtimestamp(epoch, UTC), ACCOUNTS)


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
        settings = Settings(data_dir=Path(folder), database_url=url, plans=Plans(free=PLAN))
        context = make_web_context(settings, database, now=lambda: now)
        async with database.write() as conn:
            accounts = [
                await create_account(
                    conn, NewAccount(f"a{number}@bench.example", verified=True), now=now, welcome=0
                )
                for number in range(ACCOUNTS)
            ]
        owners = [KeyOwner(account.id, "full", account) for account in accounts]
        usage = context.rate_limits
        meters = [await usage.limiter(account.id, now) for account in accounts]
        figures: dict[str, list[float]] = {}
        for number in range(ROUNDS):
            epoch = int(now.timestamp()) + number * 10
            once = {
                "own": in_memory(meters, epoch),
                "busy": await saving(usage, now, REQUESTS),
                "sparse": await sparse(usage, meters, epoch),
                "gate": await gate(context, owners),
                "theirs": await in_database(database, accounts[0].id, now),
            }
            for name, figure in once.items():
                figures.setdefault(name, []).append(figure)
        await database.close()
    report({name: statistics.median(values) for name, values in figures.items()})


def report(median: dict[str, float]) -> None:
    """Print the medians, and whether the limit holds when every account sends as few requests as possible."""
    whole = median["gate"] + median["sparse"]
    print(
        f"limits in memory            {median['own']:8.2f} us a request (minute and day, {ACCOUNTS} accounts)"
    )
    print(f"  the whole gate            {median['gate']:8.2f} us a request (with plan, verdict and headers)")
    print(
        f"  saved in the background   {median['busy']:8.2f} us a request ({REQUESTS // ACCOUNTS} an account a round)"
    )
    print(f"                            {median['sparse']:8.2f} us a request (one an account a round)")
    print(f"a counter in SQLite         {median['theirs']:8.2f} us a request")
    print(f"ratio                       {median['theirs'] / whole:8.0f} x (gate and sparse saving)")
    print(f"promise: at most 30 us a request: {'kept' if whole <= 30 else 'BROKEN'} ({whole:.1f})")


if __name__ == "__main__":
    asyncio.run(main())
