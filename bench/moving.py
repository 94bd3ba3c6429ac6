"""How long `copy-database` takes from SQLite to PostgreSQL and back, beside SQLite's own copy of the same file.

    python -m bench.moving [--rows 100000]

The rows are those of a catalogue with whole reports. PostgreSQL is a cluster of its own on this machine, without fsync.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bench.catalogue_rows import fill
from tests.support import postgres

from afterdrop.db.copy import copy_database
from afterdrop.db.migrate import upgrade


def _copied(source: str, target: str, what: str, alone: float) -> None:
    began = time.monotonic()
    rows = sum(copy_database(source, target).values())
    taken, memory = time.monotonic() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{what}: {rows:,} rows in {taken:.1f} s ({taken / alone:.1f} x), at most {memory:.0f} MB of memory"
    )


def main() -> None:
    """Print each copy's time, its ratio to SQLite's own copy, and the process's memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    count = parser.parse_args().rows
    binaries = postgres.binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL's server binaries are not on this machine")
    with tempfile.TemporaryDirectory(prefix="afterdrop-moving-") as name:
        folder = Path(name)
        source = f"sqlite+aiosqlite:///{folder}/a.sqlite3"
        upgrade(source)
        fill(folder / "a.sqlite3", count, datetime.now(UTC))
        began = time.monotonic()
        with closing(sqlite3.connect(folder / "a.sqlite3")) as old:
            old.execute("VACUUM INTO ?", [str(folder / "alone.sqlite3")])
        alone = time.monotonic() - began
        size = (folder / "a.sqlite3").stat().st_size / 1e6
        print(f"{count:,} rows, {size:,.0f} MB; SQLite copies the file alone in {alone:.1f} s")
        _copied(source, f"sqlite+aiosqlite:///{folder}/b.sqlite3", "to SQLite", alone)
        cluster = postgres.start(binaries)
        try:
            _copied(source, cluster.url("copied"), "to PostgreSQL", alone)
            back = f"sqlite+aiosqlite:///{folder}/c.sqlite3"
            _copied(cluster.url("copied"), back, "from PostgreSQL", alone)
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
