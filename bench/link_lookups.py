"""Looking names up in a table of link ranks as the API and a scan do, and how much that delays an event loop.

    .venv/bin/python -m bench.link_lookups GRAPH TABLES

GRAPH is a folder of bench/graph.py, TABLES where its import lies (bench/link_ranks.py runs this with both). Prints one
JSON record: `single` is one name's figures, `listed` those and the names of its best 100 referring domains, `million`
one question about a million names. `loop_late` is how late the loop came round to what was due every millisecond.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import duckdb

from afterdrop.sources.webgraph.file_format import reverse
from afterdrop.sources.webgraph.table import LinkRanks
from afterdrop.sources.webgraph.table_dir import TableDir

NAMES = 1_000_000
SINGLE = 2000
JOINS = 5


def peak_mb() -> int:
    """The most memory this process had. (getrusage would count what the process that started it had.)"""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) // 1024 if found else 0


def wanted(graph: Path) -> list[str]:
    """A million names in random order, 600,000 of them in the graph."""
    file = next(graph.glob("*-ranks.txt.gz"))
    with duckdb.connect() as conn:
        rows = conn.execute(
            "SELECT name FROM read_csv(?, delim = '\t', header = false, skip = 1, quote = '', auto_detect = false, "
            "columns = {'a': 'UINTEGER', 'b': 'VARCHAR', 'c': 'UINTEGER', 'd': 'VARCHAR', 'name': 'VARCHAR', "
            "'h': 'UINTEGER'}) USING SAMPLE reservoir(600000 ROWS) REPEATABLE (7)",
            [str(file)],
        ).fetchall()
    names = [reverse(name) for (name,) in rows]
    names += [f"absent{place}.com" for place in range(NAMES - len(names))]
    random.Random(7).shuffle(names)
    return names


async def delays(until: asyncio.Event) -> list[float]:
    """How late, in seconds, the event loop comes round to something due every millisecond."""
    late: list[float] = []
    while not until.is_set():
        start = time.perf_counter()
        await asyncio.sleep(0.001)
        late.append(time.perf_counter() - start - 0.001)
    return late


async def beside(work: Awaitable[Any]) -> tuple[Any, list[float]]:
    """The result of `work`, and how late the loop was meanwhile."""
    done = asyncio.Event()
    watch = asyncio.create_task(delays(done))
    try:
        told = await work
    finally:
        done.set()
        late = await watch
    return told, late


async def singles(ask: Callable[[str], Awaitable[Any]], names: list[str]) -> list[float]:
    """Seconds of each question about one name, one after the other."""
    seconds = []
    for name in names:
        start = time.perf_counter()
        await ask(name)
        seconds.append(time.perf_counter() - start)
    return seconds


async def joins(table: Any, names: list[str]) -> list[tuple[float, float, int]]:
    """Seconds, CPU seconds and names found of each look-up of all names."""
    told = []
    for _ in range(JOINS):
        start, cpu = time.perf_counter(), time.process_time()
        found = await asyncio.to_thread(table.join, names)
        told.append((time.perf_counter() - start, time.process_time() - cpu, len(found.names)))
    return told


async def looked_up(folder: Path, graph: Path) -> dict[str, Any]:
    """Times of single questions, of questions with the referring domains' names, and of one about a million."""
    names = wanted(graph)
    async with LinkRanks(TableDir(folder, 1)) as ranks:
        await ranks.metrics_of(names[:1])
        table = ranks.current()
        assert table is not None
        _, idle = await beside(asyncio.sleep(2))
        single, late_single = await beside(
            singles(lambda name: asyncio.to_thread(table.look_up, [name]), names[:SINGLE])
        )
        load = os.getloadavg()[0]
        many, late_many = await beside(joins(table, names))
        told = {
            **spread("single", single),
            "million_s": round(statistics.median(wall for wall, _, _ in many), 2),
            "million_least_s": round(min(wall for wall, _, _ in many), 2),
            "million_cpu_s": round(statistics.median(cpu for _, cpu, _ in many), 2),
            "million_found": many[0][2],
            "load": round(load, 1),
        }
        told |= spread("loop_late_idle", idle) | spread("loop_late_while_single", late_single)
        told |= spread("loop_late_while_million", late_many)
        if table.manifest.links is not None:
            known = table.join(names[:SINGLE]).names
            listed = await singles(lambda name: ranks.metrics_of([name]), known)
            told |= spread("listed", listed)
    return told | {"lookups_peak_mb": peak_mb()}


def spread(name: str, seconds: list[float]) -> dict[str, float]:
    """Median and 99th percentile in milliseconds."""
    ordered = sorted(seconds)
    return {f"{name}_p{part}_ms": round(ordered[len(ordered) * part // 100] * 1000, 2) for part in (50, 99)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(looked_up(Path(sys.argv[2]), Path(sys.argv[1])))))
