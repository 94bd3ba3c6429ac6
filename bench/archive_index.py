"""Lines of an archive index summarised per CPU second, beside cdx_toolkit and two simple implementations.

    python -m bench.archive_index [--lines 100000]

The summary is the review's own: years, captures and last capture per address, home-page captures, addresses, bad lines.
In the same rounds three others do most of it: one through the captures of cdx_toolkit, one through the standard
library's JSON, one through records with times.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace

from cdx_toolkit import cdx_to_captures  # type: ignore[import-untyped]

from afterdrop.sources.archive.cdx import read_index

ROUNDS = 3


def answer(lines: int) -> list[list[str]]:
    """Rows of an invented domain: a third of them of the home page."""
    rng = random.Random(1)
    rows = []
    for number in range(lines):
        page = 0 if number < lines // 3 else 1 + (number - lines // 3) // 4
        day = f"{1998 + number % 27}{rng.randint(1, 12):02}{rng.randint(1, 28):02}"
        stamp = f"{day}{rng.randint(0, 23):02}{rng.randint(0, 59):02}00"
        path = f"article/{page}" if page else ""
        rows.append(
            [
                f"com,example)/{path}", stamp, f"http://www.example.com/{path}", "text/html", "200",
                f"{rng.getrandbits(80):020X}", "5120",
            ]
        )  # fmt: skip
    rows.sort(key=lambda row: (row[0], row[1]))
    return rows


def by_json(body: bytes) -> object:
    """The JSON form through the standard library: years, captures and last capture per address, home-page rows."""
    years: Counter[str] = Counter()
    pages: dict[str, tuple[int, str]] = {}
    home = []
    for row in json.loads(body)[1:]:
        years[row[1][:4]] += 1
        count, last = pages.get(row[0], (0, ""))
        pages[row[0]] = count + 1, max(last, row[1])
        if row[0].endswith(")/"):
            home.append((datetime.strptime(row[1], "%Y%m%d%H%M%S"), row))
    return years, pages, home


def by_objects(body: bytes) -> object:
    """Make text lines into records with a time, as archive libraries do, and count them."""
    records = []
    for line in body.decode().splitlines():
        key, stamp, original, mime, status, digest, length = line.split(" ")
        records.append(
            (key, datetime.strptime(stamp, "%Y%m%d%H%M%S"), original, mime, status, digest, int(length))
        )
    years = Counter(record[1].year for record in records)
    last: dict[str, datetime] = {}
    for record in records:
        last[record[0]] = max(last.get(record[0], record[1]), record[1])
    return years, Counter(record[0] for record in records), last


def by_cdx_toolkit(body: bytes) -> object:
    """The captures that cdx_toolkit makes of the archive's answer: years, captures and last capture per address."""
    captures = cdx_to_captures(SimpleNamespace(status_code=200, text=body.decode()))
    years = Counter(capture["timestamp"][:4] for capture in captures)
    last: dict[str, str] = {}
    for capture in captures:
        last[capture["urlkey"]] = max(last.get(capture["urlkey"], ""), capture["timestamp"])
    return years, Counter(capture["urlkey"] for capture in captures), last


def best(work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of ROUNDS rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lines", type=int, default=100_000)
    count = options.parse_args().lines
    rows = answer(count)
    text = "\n".join(" ".join(row) for row in rows).encode()
    packed = json.dumps(
        [["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"], *rows]
    ).encode()
    own = best(lambda: read_index(text, "example.com"))
    print(f"full summary           {count / own:12,.0f} lines per CPU second")
    for name, work in (
        ("cdx_toolkit", lambda: by_cdx_toolkit(packed)),
        ("JSON, standard library", lambda: by_json(packed)),
        ("records with times", lambda: by_objects(text)),
    ):
        other = best(work)
        print(f"{name:22} {count / other:12,.0f}   the summary is {other / own:.1f} times as fast")


if __name__ == "__main__":
    main()
