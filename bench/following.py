"""What an account costs that follows 100,000 names on no list: questions a day, tables, memory, and times of pages.

    python -m bench.following [--names 100000] [--requests 20]

Follows invented names in a new SQLite database, gives their registries' states a plausible spread, and asks for the
pages as a signed-in browser does. Questions are counted by the rule that plans them, over a year of names whose terms
end on any day of it and of which one in six is not renewed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import secrets
import sqlite3
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from bench.site import asked, member

from afterdrop.accounts.account import Account
from afterdrop.catalogue.availability import store as registry_store
from afterdrop.catalogue.availability.following_rules import quiet_followed
from afterdrop.catalogue.availability.rules import RecheckIntervals
from afterdrop.core import clock
from afterdrop.core.plan_limits import Plans
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Site as SiteSettings
from afterdrop.db.engine import Database, open_database
from afterdrop.db.leases import Claim
from afterdrop.db.migrate import upgrade
from afterdrop.db.tables.review import registry_changes, registry_states
from afterdrop.sources.registry.drop_estimate import Stage
from afterdrop.watching import watchlist
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context

DAY: Final = timedelta(days=1)
WAITS: Final = RecheckIntervals(timedelta(hours=2), DAY, timedelta(minutes=10))
# Days after the end of a term: held by the registrar, in redemption, pending delete; then free.
HELD, REDEEMED, DELETED = 40, 70, 75
NOT_RENEWED: Final = 1 / 6
PAGES: Final = (
    "/account/watchlist",
    "/account/watchlist?page=2000",
    "/desk",
    "/drops",
    "/account",
    "/domains",
)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long the block takes."""
    began = clock.monotonic()
    yield
    print(f"{what:60} {clock.monotonic() - began:8.2f} s")


def stage_at(ends: datetime, now: datetime) -> Stage:
    """The stage of a name that was not renewed."""
    over = (now - ends) / DAY
    if over < 0:
        return "active"
    if over < HELD:
        return "expired"
    if over < REDEEMED:
        return "redemption"
    return "pending_delete" if over < DELETED else "available"


def questions(rng: random.Random, days: int) -> Counter[int]:
    """How often one name is asked about on each day, by the rule that plans the next question."""
    start = datetime(2027, 1, 1, tzinfo=UTC)
    ends, now = start + rng.uniform(0, 365) * DAY, start + rng.uniform(0, 21) * DAY
    if rng.random() >= NOT_RENEWED:
        renewed = ends - rng.uniform(0, 45) * DAY
    else:
        renewed = start + 10 * 365 * DAY
    counts: Counter[int] = Counter()
    while (day := (now - start).days) < days:
        counts[day] += 1
        until = ends + 365 * DAY if now >= renewed else ends
        now += quiet_followed(stage_at(until, now), until, now, WAITS)
    return counts


def print_questions(names: int) -> None:
    """Print the questions a day of so many names."""
    rng, sample, total = random.Random(64), min(names, 5000), Counter[int]()
    for _ in range(sample):
        total.update(questions(rng, 365))
    each = [total[day] * names // sample for day in range(22, 365)]
    print(
        f"questions a day: median {statistics.median(each):,.0f}, most {max(each):,} (from {sample:,} names)"
    )


async def follow(database: Database, account: Account, names: list[str]) -> None:
    """Follow the names since a month ago, and begin to ask about them."""
    now = clock.now() - 31 * DAY
    viewer = account.viewer(now)
    with timed("look at what the account sees of the names"):
        async with database.read() as conn:
            wanted = await watchlist.names_to_follow(conn, viewer, names, now)
    with timed("follow them, one write transaction"):
        async with database.write() as conn:
            await watchlist.follow_names(conn, viewer, wanted, Plans().pro, now)
    with timed("look for followed names that nobody asks about, once a pass"):
        async with database.read() as conn:
            await registry_store.newly_followed(conn)


async def answered(database: Database, names: list[str]) -> None:
    """Give every name a state as its registry would, and 2,000 of them a change of the last month."""
    rng, now = random.Random(4), clock.now()
    rows = []
    for name in names:
        ends = now + rng.uniform(-90 if rng.random() < NOT_RENEWED else 0, 365) * DAY
        stage = stage_at(ends, now)
        wait = quiet_followed(stage, ends, now, WAITS)
        rows.append(
            {
                **{
                    "name": name,
                    "stage": stage,
                    "since": now - 30 * DAY,
                    "source": "rdap",
                    "expires_at": ends,
                },
                **{"registrar": "Example Registrar, Inc.", "registered_at": now - 2000 * DAY},
                **{"term_ends_at": ends, "checked_at": now, "due_at": now + rng.random() * wait},
            }
        )
    state = registry_states.c
    change = sa.update(registry_states).where(state.domain == sa.bindparam("name"))
    for at in range(0, len(rows), 1000):
        async with database.write() as conn:
            await conn.execute(change, rows[at : at + 1000])
    changes = [
        {"domain": name, "seen_at": now - rng.uniform(0, 30) * DAY, "change": "renewed", "stage": "active"}
        for name in names[:2000]
    ]
    async with database.write() as conn:
        await conn.execute(sa.insert(registry_changes), changes)


async def claims(database: Database) -> None:
    """Claim names that are due an hour from now, fifty at a time."""
    now, took = clock.now() + timedelta(hours=1), []
    for _ in range(20):
        began = clock.monotonic()
        async with database.write() as conn:
            names = await registry_store.claim(conn, Claim("bench", now, timedelta(minutes=15), 50))
        took.append((clock.monotonic() - began) * 1000)
    print(
        f"claim of {len(names)} due names: median {statistics.median(took):.0f} ms, longest {max(took):.0f} ms"
    )


def print_sizes(file: Path) -> None:
    """Print the tables, their indexes among them, in MB."""
    tables = (
        "SELECT s.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name GROUP BY 1"
    )
    with sqlite3.connect(file) as database:
        for table, size in database.execute(f"{tables} ORDER BY 2 DESC LIMIT 2"):
            print(f"table {table}: {size / 1e6:.1f} MB")


async def pages(database: Database, folder: Path, token: str, requests: int) -> None:
    """Ask for the pages that know what an account follows, and print the median and the longest time of each."""
    settings = Settings(data_dir=folder, site=SiteSettings(pages_per_minute=10**6))
    context = make_web_context(settings, database, providers=())
    app = create_app(context)
    async with context.running():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        for path in PAGES:
            answers = [await asked(app, path, f"afterdrop_session={token}") for _ in range(requests + 1)][1:]
            took = sorted(answer.clock for answer in answers)
            print(
                f"{path:30} median {statistics.median(took):6.1f} ms, longest {took[-1]:6.1f} ms, "
                f"{answers[0].size // 1024} kB"
            )
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"memory at most: {before} MB before the first page, {most} MB after the last")


async def measure(count: int, requests: int, folder: Path) -> None:
    """Measure all of it and print it."""
    print_questions(count)
    file, token = folder / "bench.sqlite3", secrets.token_urlsafe(32)
    url = f"sqlite+aiosqlite:///{file}"
    await asyncio.to_thread(upgrade, url)
    database = open_database(url, connections=15)
    account = await member(database, token)
    names = [f"{secrets.token_hex(4)}-{number}.com" for number in range(count)]
    await follow(database, account, names)
    await answered(database, names)
    await claims(database)
    print_sizes(file)
    await pages(database, folder, token, requests)
    await database.close()


def main() -> None:
    """Measure, in a folder of its own."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--names", type=int, default=100_000)
    options.add_argument("--requests", type=int, default=20)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(chosen.names, chosen.requests, Path(folder)))


if __name__ == "__main__":
    main()
