"""Whether lists say what SQL over the same rows says, at any size.

    python -m bench.list_truth --keep FOLDER [--rows 1000000] [--queries 100]

Asks `afterdrop serve` for pages of the queries of `bench.lists`, and compares names and totals with SQL that was
written for this alone. FOLDER has the databases of `bench.list_memory --keep`.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bench.list_memory import filled
from bench.lists import Query, queries
from bench.servers import Server, afterdrop_server

# What is free to register costs its registration fee, which nobody has given here.
_PRICE = "CASE WHEN announced AND {ended} THEN NULL ELSE price_usd END"
_ORDERS = {
    "score": "score DESC",
    "dr": "domain_rating IS NULL, domain_rating DESC",
    "ending": "shown_end IS NULL, shown_end",
    "newest": "found_at DESC",
    "price": "price IS NULL, price",
}
_FIGURES = {
    "min_score": "score >= ?",
    "min_dr": "domain_rating >= ?",
    "min_tf": "trust_flow >= ?",
    "max_price": "(price IS NULL OR price <= ?)",
    "topic": "topic = ?",
}


def expected(db: sqlite3.Connection, query: Query, now: int) -> tuple[int, list[str]]:
    """How many domains a list has, and the names on the page asked for."""
    which, asked = query
    ended = which != "/domains"
    where = [f"live_until {'<=' if ended else '>'} {now}"]
    if which == "/domains/available":
        where.append("announced")
    given: list[Any] = []
    for name, value in asked.items():
        if name in _FIGURES:
            where.append(_FIGURES[name])
            given.append(value)
        elif name in ("tld", "type"):
            some = value.split(",")
            where.append(f"{name} IN ({','.join('?' * len(some))})")
            given += some
        elif name == "q":
            where.append("instr(search, ?)")
            given.append(value)
        elif name == "clean":
            where.append("verdict = 'ok' AND flag_count = 0")
    rows = f"""
        SELECT *, {_PRICE.format(ended=int(ended))} price, {"live_until" if ended else "ends_at"} shown_end
        FROM domains WHERE removed_at IS NULL
    """
    matching = f"FROM ({rows}) WHERE {' AND '.join(where)}"
    [count] = db.execute(f"SELECT count(*) {matching}", given).fetchone()
    page = (
        f"ORDER BY {_ORDERS[asked['sort']]}, found_at DESC, domain LIMIT 25 OFFSET {(asked['page'] - 1) * 25}"
    )
    return count, [name for (name,) in db.execute(f"SELECT domain {matching} {page}", given)]


def differences(server: Server, db: sqlite3.Connection, every: list[Query]) -> Iterator[str]:
    """The queries that are answered otherwise than SQL answers them."""
    for query in every:
        which, asked = query
        path = f"/api/v1{which}?{urlencode(asked)}"
        answer = json.loads(server.get(path))
        found = answer["meta"]["total"], [each["domain"] for each in answer["data"]]
        wanted = expected(db, query, int(time.time()))
        if found != wanted:
            yield f"{path}: {found[0]} {found[1][:3]}, by SQL {wanted[0]} {wanted[1][:3]}"


def main() -> None:
    """Read the arguments and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=100)
    given = parser.parse_args()
    folder = given.keep / str(given.rows)
    key = filled(folder, given.rows)
    every = queries(random.Random(5), given.queries)
    with afterdrop_server(folder, key) as server, sqlite3.connect(folder / "afterdrop.sqlite3") as db:
        wrong = list(differences(server, db, every))
    print(*wrong, sep="\n")
    print(f"{given.rows:,} rows, {len(every)} queries: {len(wrong)} answered otherwise than by SQL")


if __name__ == "__main__":
    main()
