"""What the lists cost the server, beside Datasette over the same rows.

    python -m bench.lists [--rows 20000 100000] [--rounds 5] [--queries 400]

Fills a database, starts `afterdrop serve --no-worker` and Datasette on it, and asks both the same list queries over
one kept connection each, in turns: `--queries` different ones a round, none asked twice, with a changed domain and a
new version of the catalogue before each round. The figure is the server process's own CPU time for a request, the
median of the rounds. The single paths below are asked of Afterdrop alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from bench.catalogue_rows import SYLLABLES, TLDS, TOPICS, TYPES, WORDS, change_one, fill, make_key, rows
from bench.servers import Server, afterdrop_server, datasette_server, settled

from afterdrop.db.migrate import upgrade

Query = tuple[str, dict[str, Any]]
# The single paths are asked in so many turns.
_PARTS: Final = 10


def queries(rng: random.Random, count: int) -> list[Query]:
    """Different list queries: a path and the parameters of Afterdrop's API."""
    found: dict[str, Query] = {}
    while len(found) < count:
        which = rng.choices(("/domains", "/domains/archive", "/domains/available"), (5, 3, 2))[0]
        filters: dict[str, Any] = {
            "min_score": rng.randint(41, 90),
            "min_dr": rng.randint(1, 60),
            "min_tf": rng.randint(1, 40),
            "max_price": rng.randint(1, 900),
            "tld": ",".join(rng.sample(TLDS, rng.randint(1, 3))),
            "topic": rng.choice([topic for topic in TOPICS if topic]),
            "type": ",".join(rng.sample(TYPES, rng.randint(1, 2))),
            "clean": "true",
            "q": rng.choice([*SYLLABLES, *WORDS]) + rng.choice(["", "", "a", "e", "-1", "lin"]),
        }
        names = rng.sample(sorted(filters), rng.randint(0, 3))
        asked = {name: filters[name] for name in names}
        asked["sort"] = rng.choice(["score", "dr", "ending", "newest", "price"])
        asked["page"] = rng.choices((1, 2, 3, 10), (6, 2, 1, 1))[0]
        found.setdefault(f"{which}?{urlencode(asked)}", (which, asked))
    return list(found.values())


_SORTS: Final = {
    "score": "_sort_desc=score",
    "dr": "_sort_desc=domain_rating",
    "ending": "_sort=live_until",
    "newest": "_sort_desc=found_at",
    "price": "_sort=price_usd",
}


def for_datasette(query: Query, now: int) -> str:
    """The same filters in Datasette's words; of deep pages the first, since it pages by tokens only."""
    which, asked = query
    said: list[tuple[str, Any]] = [("_size", 25), ("_shape", "objects")]
    said.append(("live_until__gt" if which == "/domains" else "live_until__lte", now))
    if which == "/domains/available":
        said.append(("announced", 1))
    names = {
        "min_score": "score__gte",
        "min_dr": "domain_rating__gte",
        "min_tf": "trust_flow__gte",
        "max_price": "price_usd__lte",
        "topic": "topic",
        "q": "search__contains",
    }
    said += [(names[name], value) for name, value in asked.items() if name in names]
    said += [(f"{name}__in", asked[name]) for name in ("tld", "type") if name in asked]
    if "clean" in asked:
        said += [("verdict", "ok"), ("flag_count", 0)]
    return f"/bench/lists.json?{_SORTS[asked['sort']]}&{urlencode(said)}"


def measure(count: int, rounds: int, per_round: int, beside: bool) -> None:
    """Measure one size and print its table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "afterdrop.sqlite3"
        url = f"sqlite+aiosqlite:///{file}"
        upgrade(url)
        now = datetime.now(UTC)
        fill(file, count, now)
        other = folder / "bench.db"
        with sqlite3.connect(file) as source, sqlite3.connect(other) as target:
            source.backup(target)
        key = asyncio.run(make_key(url))
        names = [each["domain"] for each in rows(min(count, 2000), now)]
        with afterdrop_server(folder, key) as ours:
            print(f"{count:,} rows: ready after {ours.ready_after:.1f} s, {ours.memory():.0f} MB")
            settled(ours)
            print(
                f"  with its lists in memory {ours.memory():.0f} MB, CPU since the start {ours.cpu():.1f} s"
            )
            if beside:
                with datasette_server(other) as theirs:
                    mixed(ours, theirs, file, names, rounds, per_round, int(now.timestamp()))
            else:
                mixed(ours, None, file, names, rounds, per_round, int(now.timestamp()))
            singles(ours, names, per_round)
            print(f"  at the end {ours.memory():.0f} MB")


def mixed(
    ours: Server, theirs: Server | None, file: Path, names: list[str], rounds: int, per_round: int, now: int
) -> None:
    """The list mix, in turns."""
    rng = random.Random(3)
    every = queries(rng, rounds * per_round)
    mine, other = [], []
    took: list[float] = []
    for number in range(rounds):
        part = every[number * per_round : (number + 1) * per_round]
        change_one(file, names[number])
        time.sleep(0.6)
        cpu, each = ours.asked([f"/api/v1{which}?{urlencode(asked)}" for which, asked in part])
        mine.append(cpu)
        took += each
        if theirs is not None:
            # Every fifth is enough to know its cost.
            other.append(theirs.asked([for_datasette(query, now) for query in part[::5]])[0])
        print(f"    round {number + 1}: {mine[-1]:.2f} ms" + (f", {other[-1]:.1f} ms" if other else ""))
    line = f"  list mix: {statistics.median(mine):.2f} ms CPU"
    if other:
        theirs_now = statistics.median(other)
        line += f", Datasette {theirs_now:.1f} ms: {theirs_now / statistics.median(mine):.1f} times"
    cuts = statistics.quantiles(took, n=100)
    print(f"{line}; on the clock p50 {cuts[49]:.2f}, p95 {cuts[94]:.2f}, p99 {cuts[98]:.2f} ms")


def singles(ours: Server, names: list[str], count: int) -> None:
    """Single paths, over and over."""
    paths: dict[str, Callable[[int], str]] = {
        "static file (21 kB)": lambda _: "/static/site.css",
        "default list": lambda _: "/api/v1/domains",
        "one letter": lambda turn: f"/api/v1/domains/archive?q={chr(97 + turn % 26)}&page={turn // 26 + 1}",
        "every filter": lambda turn: (
            "/api/v1/domains/archive?min_score=41&min_dr=1&min_tf=1&min_ref_domains=1&max_price=899&clean=true"
            f"&tld=com,org,net&type=auction,bid&lang=en,de&topic=Arts,News&q=the&page={turn + 1}"
        ),
        "a frequent word": lambda turn: f"/api/v1/domains/archive?q=the&page={turn + 1}",
        "archive, last pages": lambda turn: f"/api/v1/domains/archive?sort=price&page={500 + turn}",
        "archive, another filter each time": lambda turn: f"/api/v1/domains/archive?max_price={turn + 1}",
        "/stats": lambda _: "/api/v1/stats",
        "/me": lambda _: "/api/v1/me",
        "report by name": lambda turn: f"/api/v1/domains/{names[turn % len(names)]}",
    }
    cpu: dict[str, list[float]] = {name: [] for name in paths}
    took: dict[str, list[float]] = {name: [] for name in paths}
    # In turns, so that what the neighbours cost is shared by all.
    for part in range(_PARTS):
        for name, path in paths.items():
            turns = range(part * count // _PARTS, (part + 1) * count // _PARTS)
            spent, each = ours.asked([path(turn) for turn in turns])
            cpu[name].append(spent)
            took[name] += each
    usual = statistics.median(cpu["default list"])
    for name, spent_in in cpu.items():
        spent = statistics.median(spent_in)
        print(
            f"  {name:34} {spent:6.2f} ms CPU, {spent / usual:4.1f} times the default list, "
            f"p50 {statistics.median(took[name]):6.2f} ms"
        )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--alone", action="store_true", help="leave Datasette out")
    given = parser.parse_args()
    for count in given.rows:
        measure(count, given.rounds, given.queries, not given.alone)


if __name__ == "__main__":
    main()
