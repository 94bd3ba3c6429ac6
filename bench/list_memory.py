"""What the lists take in memory, what one costs, and how long answers take while the rows are loaded.

    python -m bench.list_memory [--rows 100000 1000000] [--queries 400]

Fills a database, starts `afterdrop serve --no-worker` on it and asks for lists and the account in turns until `/readyz`
says that the lists are in memory. Then it prints the resident memory, and the CPU milliseconds of the list mix of
`bench.lists`. A folder that `--keep` names keeps the databases for the next run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

from bench.catalogue_rows import fill, make_key
from bench.lists import queries
from bench.servers import Server, afterdrop_server, settled

from afterdrop.db.migrate import upgrade

_ASKED = (
    "/api/v1/me",
    "/api/v1/domains?per_page=50",
    "/api/v1/domains/archive?min_score=60&tld=com",
    "/api/v1/stats",
)


def filled(folder: Path, count: int) -> str:
    """A database of so many rows in the folder, and a key of an account on Pro."""
    file, key = folder / "afterdrop.sqlite3", folder / "key"
    if not key.exists():
        folder.mkdir(parents=True, exist_ok=True)
        url = f"sqlite+aiosqlite:///{file}"
        upgrade(url)
        fill(file, count, datetime.now(UTC))
        key.write_text(asyncio.run(make_key(url)), encoding="utf-8")
    return key.read_text(encoding="utf-8")


@dataclass
class Asked:
    """How long the longest answer to a path took in milliseconds, and how many of its answers were 503."""

    count: int = 0
    refused: int = 0
    longest: float = 0.0


def while_loading(server: Server) -> tuple[float, dict[str, Asked]]:
    """Seconds until the lists are in memory, and what became of each path's requests until then."""
    began, answers = time.perf_counter(), {path: Asked() for path in _ASKED}
    while json.loads(server.get("/readyz"))["lists"] != "in memory":
        for path in _ASKED:
            asked, sent = answers[path], time.perf_counter()
            try:
                server.get(path)
            except RuntimeError as error:
                if ": 503 " not in str(error):
                    raise
                asked.refused += 1
            asked.count += 1
            asked.longest = max(asked.longest, 1000 * (time.perf_counter() - sent))
        time.sleep(0.05)
    return time.perf_counter() - began, answers


def measure(folder: Path, count: int, asked: int) -> None:
    """Measure one size and print it."""
    key = filled(folder, count)
    with afterdrop_server(folder, key, "/healthz") as server:
        seconds, answers = while_loading(server)
        print(f"{count:,} rows: in memory after {seconds:.0f} s; longest answers until then:")
        for path, each in answers.items():
            print(f"  {path:50} {each.longest:8.0f} ms; {each.refused} of {each.count} answers 503")
        settled(server)
        print(f"  resident {server.memory():.0f} MiB")
        paths = [
            f"/api/v1{which}?{urlencode(filters)}" for which, filters in queries(random.Random(3), asked)
        ]
        cpu, _ = server.asked(paths)
        print(f"  {cpu:.2f} ms CPU a list; resident {server.memory():.0f} MiB after {asked} different ones")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    for count in given.rows:
        with nullcontext(str(given.keep)) if given.keep else tempfile.TemporaryDirectory() as name:
            measure(Path(name) / str(count), count, given.queries)


if __name__ == "__main__":
    main()
