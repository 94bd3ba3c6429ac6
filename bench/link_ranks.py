"""Link ranks over a generated graph: what an import costs, and how long look-ups take.

    .venv/bin/python bench/graph.py --nodes 10000000 --links 165000000 --out /tmp/graph
    .venv/bin/python bench/link_ranks.py --graph /tmp/graph [--links] [--memory 800MB] [--json]

The import runs in a process of its own: CPU seconds and peak memory are that process's, unpacking and checks included.
With --links the numbers of referring domains of all names are held against the generator's. Look-ups are asked as the
API asks them, on an event loop whose longest stall meanwhile is measured: `single` one name's figures, `listed` those
and the names of up to 100 referring domains; `thousand` is a scan's question, `million` one about a million names.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from afterdrop.cli.ranks import in_bytes
from afterdrop.ranks.importing import import_graph
from afterdrop.ranks.release import file_name, release_of_file
from afterdrop.ranks.rows import reverse
from afterdrop.ranks.shelf import Shelf
from afterdrop.ranks.table import LinkRanks
from afterdrop.ranks.workshop import Sources

NAMES = 1_000_000
SINGLE = 2000
NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)


def import_here(graph: Path, folder: Path, memory: int, *, links: bool) -> dict[str, Any]:
    """Import in this process; costs by step."""
    release = release_of_file(next(graph.glob("*-ranks.txt.gz")).name) or ""
    parts = [graph / file_name(release, part) for part in ("ranks", "vertices", "edges")]
    sources = Sources(parts[0], *(parts[1:] if links else ()))
    steps: dict[str, float] = {}
    step, since = "", time.process_time()

    def progress(name: str, done: int, total: int) -> None:
        nonlocal step, since
        if name != step:
            now = time.process_time()
            steps[step] = steps.get(step, 0.0) + now - since
            step, since = name, now

    began = time.perf_counter()
    manifest = import_graph(Shelf(folder, 1), release, sources, NOW, memory=memory, progress=progress)
    progress("", 0, 0)
    steps.pop("", None)
    return {
        "nodes": manifest.nodes,
        "links": manifest.links,
        "cpu_s": round(time.process_time(), 1),
        "wall_s": round(time.perf_counter() - began, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "table_mb": sum(file.stat().st_size for file in folder.glob("*.duckdb")) // 1_000_000,
        "steps_cpu_s": {name: round(seconds, 1) for name, seconds in steps.items()},
    }


def imported(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Import in a process of its own."""
    command = [sys.executable, __file__, "--graph", str(options.graph), "--memory", options.memory]
    command += ["--into", str(folder), *(["--links"] if options.links else [])]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, Any] = json.loads(out)
    return found


def wanted(graph: Path) -> list[str]:
    """A million names in no order, 600,000 of them in the graph."""
    file = next(graph.glob("*-ranks.txt.gz"))
    with duckdb.connect() as conn:
        rows = conn.execute(
            "SELECT name FROM read_csv(?, delim = '\t', header = false, skip = 1, quote = '', auto_detect = false, "
            "columns = {'a': 'UINTEGER', 'b': 'VARCHAR', 'c': 'UINTEGER', 'd': 'VARCHAR', 'name': 'VARCHAR', "
            "'h': 'UINTEGER'}) USING SAMPLE reservoir(600000 ROWS) REPEATABLE (7)",
            [str(file)],
        ).fetchall()
    names = [reverse(name) for (name,) in rows]
    names += [f"absent{number}.com" for number in range(NAMES - len(names))]
    random.Random(7).shuffle(names)
    return names


async def looked_up(folder: Path, names: list[str]) -> dict[str, Any]:
    """Times of single questions, of one about a scan's thousand, and of one about a million."""
    async with LinkRanks(Shelf(folder, 1)) as ranks:
        await ranks.metrics_of(names[:1])
        table = ranks.current()
        assert table is not None
        stalls = asyncio.create_task(longest_stall())
        single = [await timed(asyncio.to_thread(table.look_up, [name])) for name in names[:SINGLE]]
        listed = [await timed(ranks.metrics_of([name])) for name in table.join(names[:SINGLE]).names]
        stalls.cancel()
        stall = await stalls
        start, cpu = time.perf_counter(), time.process_time()
        await ranks.metrics_of(names[:1000])
        thousand = time.perf_counter() - start, time.process_time() - cpu
        start, cpu = time.perf_counter(), time.process_time()
        found = await asyncio.to_thread(table.join, names)
        million = time.perf_counter() - start, time.process_time() - cpu
    return {
        **{f"single_{name}_ms": value for name, value in spread(single).items()},
        **{f"listed_{name}_ms": value for name, value in spread(listed).items()},
        "loop_stall_ms": round(stall * 1000, 1),
        "thousand_s": round(thousand[0], 2),
        "thousand_cpu_s": round(thousand[1], 2),
        "million_s": round(million[0], 2),
        "million_cpu_s": round(million[1], 2),
        "million_found": len(found.names),
    }


async def timed(question: Awaitable[Any]) -> float:
    """Seconds a question takes."""
    start = time.perf_counter()
    await question
    return time.perf_counter() - start


def spread(seconds: list[float]) -> dict[str, float]:
    """Median and 99th percentile in milliseconds."""
    ordered = sorted(seconds)
    return {f"p{part}": round(ordered[len(ordered) * part // 100] * 1000, 2) for part in (50, 99)}


async def longest_stall() -> float:
    """The longest time the event loop did not come round, beyond the millisecond asked for."""
    longest = 0.0
    try:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - start - 0.001)
    except asyncio.CancelledError:
        return longest


def exact(graph: Path, folder: Path) -> dict[str, Any]:
    """How many names have another number of referring domains than the generator counted."""
    truth = np.load(graph / "in-degrees.npy")
    with duckdb.connect(str(next(folder.glob("*.duckdb"))), read_only=True) as conn:
        found = conn.execute("SELECT node, domains FROM ranks").fetchnumpy()
    counted = np.zeros(len(truth), np.uint32)
    counted[found["node"]] = found["domains"]
    return {"names_counted": len(found["node"]), "wrong_counts": int(np.count_nonzero(counted != truth))}


def main() -> None:
    """Run what was asked."""
    asked = argparse.ArgumentParser(description="Costs of link ranks over a generated graph.")
    asked.add_argument("--graph", type=Path, required=True)
    asked.add_argument("--memory", default="800MB")
    asked.add_argument("--links", action="store_true")
    asked.add_argument("--json", action="store_true")
    asked.add_argument("--into", type=Path, help="only import, into this folder (for the process of its own)")
    options = asked.parse_args()
    if options.into:
        print(
            json.dumps(
                import_here(options.graph, options.into, in_bytes(options.memory), links=options.links)
            )
        )
        return
    with tempfile.TemporaryDirectory(dir=options.graph) as name:
        folder = Path(name)
        result = imported(options, folder)
        result |= asyncio.run(looked_up(folder, wanted(options.graph)))
        if options.links:
            result |= exact(options.graph, folder)
    print(
        json.dumps(result) if options.json else "\n".join(f"{key}: {value}" for key, value in result.items())
    )


if __name__ == "__main__":
    main()
