"""What the lists take in memory, what one costs, and how long answers take while the rows are loaded.

    python -m bench.list_memory [--rows 100000 1000000] [--queries 400]

Fills a database and starts `afterdrop serve --no-worker` on it, once without the lists' file and once with it. It asks
for lists and the account in turns until the lists are in memory, and again while 2,000 domains change, and prints the
longest answers, the resident memory, and the CPU milliseconds of the list mix of `bench.lists`. A folder that `--keep`
names keeps the databases for the next run.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

from bench.catalogue_rows import change_some, fill, make_key, rows
from bench.lists import queries
from bench.servers import NotYet, Server, afterdrop_server, settled

from afterdrop.db.migrate import upgrade

_ASKED = (
    "/api/v1/me",
    "/api/v1/domains?per_page=50",
    "/api/v1/domains/archive?min_score=60&tld=com",
    "/api/v1/stats",
)
_CHANGES = 2000
# So many seconds after the first change answers are looked at.
_WATCHED = 20


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


def asked_until(server: Server, done: Callable[[], bool]) -> dict[str, Asked]:
    """What became of each path's requests, in turns, until something is done."""
    answers = {path: Asked() for path in _ASKED}
    while not done():
        for path, asked in answers.items():
            sent = time.perf_counter()
            try:
                server.get(path)
            except NotYet:
                asked.refused += 1
            asked.count += 1
            asked.longest = max(asked.longest, 1000 * (time.perf_counter() - sent))
        time.sleep(0.02)
    return answers


def told(answers: dict[str, Asked]) -> str:
    """The longest answer of all paths."""
    refused = sum(each.refused for each in answers.values())
    count = sum(each.count for each in answers.values())
    path, longest = max(answers.items(), key=lambda each: each[1].longest)
    return f"longest answer {longest.longest:.0f} ms ({path}), {refused} of {count} answers 503"


def ready(server: Server) -> bool:
    """Whether the lists are in memory."""
    try:
        server.get("/readyz")
    except NotYet:
        return False
    return True


def over(end: float) -> Callable[[], bool]:
    """Whether a time has come."""
    return lambda: time.monotonic() > end


def publish(file: Path, names: list[str], at_once: int = 50) -> None:
    """Change domains as a scan does that publishes them, some in each transaction."""
    for start in range(0, len(names), at_once):
        change_some(file, names[start : start + at_once])


def measure(folder: Path, count: int, asked: int) -> None:
    """Measure one size: a start that reads the database, one with the lists' file, and 2,000 changes."""
    key, file = filled(folder, count), folder / "afterdrop.sqlite3"
    names = [each["domain"] for each in rows(_CHANGES, datetime.now(UTC))]
    paths = [f"/api/v1{which}?{urlencode(filters)}" for which, filters in queries(random.Random(3), asked)]
    shutil.rmtree(folder / "lists", ignore_errors=True)
    print(f"{count:,} rows, database of {file.stat().st_size / 1e9:.2f} GB")
    for start in ("from the database", "with the file"):
        began = time.monotonic()
        with afterdrop_server(folder, key, "/static/site.css") as server:
            answers = asked_until(server, lambda: ready(server))
            print(f"  {start}: first list after {time.monotonic() - began:.1f} s, {told(answers)}")
            settled(server)
            print(f"    resident {server.memory():.0f} MiB")
            cpu, _ = server.asked(paths)
            print(
                f"    {cpu:.2f} ms CPU a list; resident {server.memory():.0f} MiB after {asked} different ones"
            )
            for at_once in (50, _CHANGES):
                changing = threading.Thread(target=publish, args=(file, names, at_once))
                changing.start()
                answers = asked_until(server, over(time.monotonic() + _WATCHED))
                print(f"    while {_CHANGES} domains change, {at_once} at once: {told(answers)}")


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
