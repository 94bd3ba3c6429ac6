"""Our SQLite driver beside aiosqlite's, under the same dialect: CPU of a read, a write and a long answer.

`.venv/bin/python -m bench.sqlite_driver [--rounds 9]` prints the medians in microseconds of CPU and their ratio. Both
work on files of their own, in turns, so that a noisy machine disturbs them alike. See docs/internals/decisions/0015.
"""

from __future__ import annotations

import asyncio
import tempfile
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from time import process_time

import aiosqlite
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from afterdrop.db.sqlite_driver import connector

SMALL, LONG = 300, 5
ROWS = 5000
NUMBERS = sa.table("numbers", sa.column("id", sa.Integer), sa.column("text", sa.String))
ONE = sa.select(NUMBERS.c.text).where(NUMBERS.c.id == sa.bindparam("number"))
CHANGE = sa.update(NUMBERS).where(NUMBERS.c.id == sa.bindparam("number")).values(text="changed")


def engine_of(creator: Callable[[], Awaitable[object]]) -> AsyncEngine:
    """An engine with one connection that begins its transactions itself, as the service's does."""
    engine = create_async_engine("sqlite+aiosqlite://", async_creator=creator, pool_reset_on_return=None)
    sa.event.listen(engine.sync_engine, "begin", lambda conn: conn.exec_driver_sql("BEGIN"))
    return engine


async def fill(engine: AsyncEngine) -> None:
    """A table of 5,000 short rows."""
    async with engine.begin() as conn:
        await conn.exec_driver_sql("CREATE TABLE numbers (id INTEGER PRIMARY KEY, text TEXT)")
        rows = [{"id": number, "text": f"row {number}"} for number in range(ROWS)]
        await conn.execute(sa.insert(NUMBERS), rows)


async def small_reads(engine: AsyncEngine) -> None:
    """One row by its key, each in a transaction of its own."""
    for number in range(SMALL):
        async with engine.connect() as conn:
            await conn.scalar(ONE, {"number": number})


async def small_writes(engine: AsyncEngine) -> None:
    """One row changed, each in a transaction of its own."""
    for number in range(SMALL):
        async with engine.begin() as conn:
            await conn.execute(CHANGE, {"number": number})


async def long_answers(engine: AsyncEngine) -> None:
    """All rows."""
    for _ in range(LONG):
        async with engine.connect() as conn:
            (await conn.execute(sa.select(NUMBERS))).all()


WORK = (("a read of one row", small_reads, SMALL), ("a write of one row", small_writes, SMALL))
WORKS = (*WORK, (f"a read of {ROWS:,} rows", long_answers, LONG))


async def compare(rounds: int) -> None:
    """Print each kind of work with both drivers."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.db" for name in ("own", "aiosqlite")]

        async def theirs() -> aiosqlite.Connection:
            return await aiosqlite.connect(files[1], isolation_level=None)

        engines = [engine_of(connector(files[0])), engine_of(theirs)]
        for engine in engines:
            await fill(engine)
        for name, work, times in WORKS:
            spent: list[list[float]] = [[], []]
            for _ in range(rounds):
                for engine, each in zip(engines, spent, strict=True):
                    start = process_time()
                    await work(engine)
                    each.append((process_time() - start) / times * 1e6)
            own, other = map(median, spent)
            print(f"{name:<22} ours {own:8.0f} µs   aiosqlite {other:8.0f} µs   ratio {other / own:.2f}")
        for engine in engines:
            await engine.dispose()


def main() -> None:
    """Run the comparison."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    asyncio.run(compare(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
