"""What a service with its worker costs while it has nothing to do, and how soon a worker claims a row.

    python -m bench.idle [--seconds 60] [--rows 100] [--settle 20] [--on SQLite PostgreSQL]

Measured on SQLite and on PostgreSQL: the share of a core that `afterdrop serve` takes over a minute (all threads and
child processes, without the database server's), and the milliseconds from before the transaction that inserts a row to
its claim, where the inserting process has the worker and where it has not.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from bench.servers import Server, running
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.support import postgres

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database, open_database
from afterdrop.db.leases import Claim
from afterdrop.db.migrate import upgrade
from afterdrop.db.tables.watching import to_match
from afterdrop.queue.loop import Queue
from afterdrop.worker.wiring import make_worker
from afterdrop.worker_context import open_context

SECRET = "of the bench and of nothing else at all"
Times = dict[str, float]


def tree(process: int) -> Iterator[int]:
    """A process and all below it."""
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from tree(int(child))


def cpu(server: Server) -> float:
    """CPU seconds so far of the server's processes, all threads."""
    tasks = [
        task
        for process in tree(server.process.pid)
        for task in Path(f"/proc/{process}/task").glob("*/schedstat")
    ]
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def share(url: str, seconds: float, settle: float) -> float:
    """The percentage of a core that an idle service with its worker takes."""
    with tempfile.TemporaryDirectory() as folder:
        serve = running(
            lambda port: [sys.executable, "-m", "afterdrop", "serve", "--port", str(port)],
            "/healthz",
            {},
            AFTERDROP_DATA_DIR=folder,
            AFTERDROP_DATABASE_URL=url,
            AFTERDROP_SECRET_KEYS=SECRET,
            AFTERDROP_SITE_URL="http://127.0.0.1:PORT",
        )
        with serve as server:
            time.sleep(settle)
            before, began = cpu(server), time.monotonic()
            time.sleep(seconds)
            return 100 * (cpu(server) - before) / (time.monotonic() - began)


async def insert(database: Database, prefix: str, rows: int) -> Times:
    """Insert rows of domains that are gone, at random moments; gives when each was begun."""
    begun: Times = {}
    for number in range(rows):
        await asyncio.sleep(0.3 + random.random())
        begun[f"{prefix}{number}.com"] = time.time()
        async with database.write() as conn:
            row = {"domain": f"{prefix}{number}.com", "kind": "listed", "round": 1, "after_account": 0}
            await conn.execute(sa.insert(to_match).values(**row, created_at=clock.now(), due_at=clock.now()))
    return begun


def timed(queue: Queue[Any], claimed: Times) -> Queue[Any]:
    """The same queue, which notes when it claimed the rows of `to_match`."""

    async def claim(conn: AsyncConnection, claim: Claim) -> list[Any]:
        rows = await queue.claim(conn, claim)
        claimed.update({row["domain"]: time.time() for row in rows if "domain" in row})
        return rows

    return replace(queue, claim=claim)


async def delays(url: str, rows: int, *, across: bool) -> list[float]:
    """Milliseconds from insertion to claim; `across`: another process inserts."""
    database, claimed, stop = open_database(url), Times(), asyncio.Event()
    with tempfile.TemporaryDirectory() as folder:
        async with open_context(
            Settings(data_dir=Path(folder), secret_keys=(SECRET,)), database, worker="bench"
        ) as context:
            worker = make_worker(context, stop)
            worker.queues = [timed(queue, claimed) for queue in worker.queues]
            working = asyncio.create_task(worker.run())
            await asyncio.sleep(2)
            begun = await (inserted_across(url, rows) if across else insert(database, "one", rows))
            async with asyncio.timeout(60):
                while not begun.keys() <= claimed.keys():
                    await asyncio.sleep(0.1)
            stop.set()
            await working
    await database.close()
    return sorted(1000 * (claimed[name] - began) for name, began in begun.items())


async def inserted_across(url: str, rows: int) -> Times:
    """Have another process insert."""
    command = [sys.executable, "-m", "bench.idle", "--insert", url, "--rows", str(rows)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    return {
        name: float(began) for name, _, began in (line.partition(" ") for line in said.decode().splitlines())
    }


@contextmanager
def databases() -> Iterator[list[tuple[str, Callable[[str], Any]]]]:
    """How to make a new migrated database of each kind."""

    @contextmanager
    def file(name: str) -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite+aiosqlite:///{folder}/{name}.sqlite3"
            upgrade(url)
            yield url

    binaries = postgres.binaries()
    if binaries is None:
        yield [("SQLite", file)]
        return
    cluster = postgres.start(binaries)
    try:
        server = cluster.url("postgres")
        yield [("SQLite", file), ("PostgreSQL", lambda name: postgres.migrated(server, "template", name))]
    finally:
        cluster.stop()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--settle", type=float, default=20)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--on", nargs="+", default=["SQLite", "PostgreSQL"], metavar="KIND")
    parser.add_argument("--insert", metavar="URL", help="only insert rows (what the bench starts)")
    given = parser.parse_args()
    if given.insert:
        for name, began in asyncio.run(insert(open_database(given.insert), "two", given.rows)).items():
            print(name, began)
        return
    with databases() as kinds:
        for kind, made in (each for each in kinds if each[0] in given.on):
            if given.seconds:
                with made("idle") as url:
                    idle = share(url, given.seconds, given.settle)
                print(f"{kind}: an idle service takes {idle:.2f} % of a core", flush=True)
            for across in (False, True) if given.rows else ():
                with made("claims") as url:
                    took = asyncio.run(delays(url, given.rows, across=across))
                where = "across two processes" if across else "within one process"
                p99 = statistics.quantiles(took, n=100, method="inclusive")[98]
                print(
                    f"{kind}, {where}: claimed after {statistics.median(took):.0f} ms (median), "
                    f"{p99:.0f} ms (p99), {took[-1]:.0f} ms (worst of {len(took)})",
                    flush=True,
                )


if __name__ == "__main__":
    main()
