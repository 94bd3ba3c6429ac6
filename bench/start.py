"""How long commands and the service take to start, and what it costs: CPU seconds of the process.

    python -m bench.start [--rows 1000 10000 100000] [--rounds 5]

For each size a database is filled; then `afterdrop status` runs over it, and `afterdrop serve --no-worker` is started
and asked for `/api/v1/stats` until it answers. The figures are medians of the rounds, except the seconds on the clock,
of which the shortest is shown, too: on a busy machine it says the most.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bench.catalogue_rows import fill, make_key
from bench.servers import afterdrop_server, settled

from afterdrop.db.migrate import upgrade


def status(folder: Path) -> float:
    """CPU seconds of `afterdrop status`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environ = {**os.environ, "AFTERDROP_DATA_DIR": str(folder), "AFTERDROP_DATABASE_URL": ""}
    command = [sys.executable, "-m", "afterdrop", "status"]
    subprocess.run(command, env=environ, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(count: int, rounds: int) -> None:
    """Measure one size and print its line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "afterdrop.sqlite3"
        url = f"sqlite+aiosqlite:///{file}"
        upgrade(url)
        fill(file, count, datetime.now(UTC))
        key = asyncio.run(make_key(url))
        looked, wall, cpu, all_cpu = [], [], [], []
        for _ in range(rounds):
            looked.append(status(folder))
            with afterdrop_server(folder, key) as server:
                wall.append(server.ready_after)
                cpu.append(server.cpu())
                settled(server)
                all_cpu.append(server.cpu())
                memory = server.memory()
        print(
            f"{count:>9,} rows: status {statistics.median(looked):.2f} s CPU; serve answers after "
            f"{statistics.median(wall):.2f} s (shortest {min(wall):.2f}), {statistics.median(cpu):.2f} s CPU; its "
            f"lists are in memory after {statistics.median(all_cpu):.2f} s CPU, {memory:.0f} MB",
            flush=True,
        )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for count in given.rows:
        measure(count, given.rounds)


if __name__ == "__main__":
    main()
