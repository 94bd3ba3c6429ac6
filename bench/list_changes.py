"""What changes of the catalogue cost the process that keeps its lists in memory.

    python -m bench.list_changes [--rows 100000] [--seconds 10]

Changes 50 rows a second from outside, as other processes publish, while the lists are asked for 50 times a second.
Prints the loop's longest turn: on the clock, and of its thread's CPU time, which the neighbours do not lengthen.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.catalogue_rows import change_one, fill, rows

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.summary import Links
from afterdrop.core.settings import Settings
from afterdrop.db.engine import open_database
from afterdrop.db.migrate import upgrade

A_SECOND = 50
PRO = Viewer(1, "pro")


def keep_changing(file: Path, names: list[str], stop: threading.Event) -> None:
    """Change one domain after another until told to stop."""
    turn = 0
    while not stop.wait(1 / A_SECOND):
        change_one(file, names[turn % len(names)])
        turn += 1


async def measure(file: Path, names: list[str], seconds: float) -> None:
    """Ask for lists while rows change, and print the loop's turns."""
    database = open_database(f"sqlite+aiosqlite:///{file}")
    snapshots = Snapshots(database, Versions(database), Links.of(Settings()))
    began = time.process_time()
    snapshots.start()
    clock, cpu = await turns(snapshots.made())
    print(f"made in {time.process_time() - began:.1f} s of CPU; {shown(clock, cpu)}")
    clock, cpu = await turns(asks(snapshots, seconds))
    print(f"nothing changes: {shown(clock, cpu)}")
    stop = threading.Event()
    changing = threading.Thread(target=keep_changing, args=(file, names, stop))
    changing.start()
    clock, cpu = await turns(asks(snapshots, seconds))
    stop.set()
    changing.join()
    print(f"{A_SECOND} changes a second: {shown(clock, cpu)}")
    await snapshots.close()
    await database.close()


async def asks(snapshots: Snapshots, seconds: float) -> None:
    """Ask for a page 50 times a second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        snapshot = await snapshots.current()
        if snapshot is not None:
            now = datetime.now(UTC)
            selection = ListSelection(ListContext("archive", PRO, now), ListFilter.of(min_score=50))
            snapshot.ready(snapshot.page(selection, 1, 25).rows, selection.at)
        await asyncio.sleep(0.02)


async def turns(work: object) -> tuple[list[float], list[float]]:
    """The loop's turns while `work` runs, in milliseconds: on the clock, and of its thread's CPU time."""
    clock, cpu = [], []
    task = asyncio.ensure_future(work)  # type: ignore[call-overload]  # a coroutine of any kind
    while not task.done():
        began, spent = time.perf_counter(), time.thread_time()
        await asyncio.sleep(0)
        clock.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.thread_time() - spent))
        await asyncio.sleep(0.0005)
    await task
    return clock, cpu


def shown(clock: list[float], cpu: list[float]) -> str:
    """The longest turns in words."""
    late = statistics.quantiles(clock, n=1000)[-1]
    return f"longest turn {max(clock):.1f} ms on the clock (99.9th percentile {late:.1f}), {max(cpu):.1f} ms of CPU"


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "afterdrop.sqlite3"
        upgrade(f"sqlite+aiosqlite:///{file}")
        fill(file, given.rows, datetime.now(UTC))
        names = [each["domain"] for each in rows(1000, datetime.now(UTC))]
        asyncio.run(measure(file, names, given.seconds))


if __name__ == "__main__":
    main()
