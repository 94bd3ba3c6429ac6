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
import http.client
import json
import os
import random
import secrets
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from afterdrop.accounts import members
from afterdrop.catalogue.filters import search_text
from afterdrop.core import clock
from afterdrop.db.engine import open_database
from afterdrop.db.migrate import upgrade

_TICK: Final = os.sysconf("SC_CLK_TCK")
_TLDS: Final = ("com", "org", "net", "de", "co.uk", "io", "fr", "info", "eu", "shop")
_TOPICS: Final = ("Arts", "Business", "Games", "Health", "News", "Science", "Shopping", "Society", None)
_TYPES: Final = ("auction", "bid", "buy_now", "pending_delete")
_SYLLABLES: Final = (
    *("al", "ber", "cor", "dan", "el", "fin", "gar", "hol", "in", "jor", "kel", "lin", "mar", "nor"),
    *("ol", "per", "qui", "ran", "sol", "tor", "ul", "ven", "wil", "xan", "yor", "zel", "shop", "web"),
)
_WORDS: Final = (
    *("walks", "lakes", "garden", "old", "town", "music", "club", "guide", "travel", "house", "the", "and"),
    *("society", "history", "art", "news", "school", "shop", "river", "north", "family", "food", "of"),
)
# A report of the usual size; lists never read it.
_REPORT: Final[dict[str, Any]] = {
    "metrics": {"backlinks": 7},
    "score_breakdown": {"authority": 20.5, "history": 30.0},
    "score_notes": {"history": "A note. " * 20},
    "score_confidence": 0.9,
    "score_version": "1",
    "top_referring_domains": [{"domain": f"site-{n}.example", "links": n} for n in range(20)],
    "anchors": {"texts": [{"text": f"anchor {n}", "share": 0.1} for n in range(10)]},
    "topical_trust_flow": None,
    "risk_checks": [{"check": "spam", "result": "ok", "note": "Nothing was found. " * 5}] * 6,
    "topic_estimated": False,
    "history": {"eras": [{"from": "2004", "to": "2010", "kind": "site", "title": "An old site"}] * 6},
    "review_notes": ["A note on the review."],
    "attributions": [],
    "revival_pages": 12,
}
# Datasette is given what lists filter and sort by, what they show, and the same indexes.
_FLAT: Final = """
CREATE TABLE lists AS SELECT domain, tld, round, found_at, language, title, score, verdict, flags, flag_count, topic,
archive_years, archive_first_year, archive_last_year, domain_rating, trust_flow, citation_flow, referring_domains,
source, type, price_usd, bids, ends_at, url, live_until, announced, open_now, search FROM domains
"""


def rows(count: int, now: datetime) -> Iterator[dict[str, Any]]:
    """Rows of `domains`: 12 % of them live, the others ended within five years."""
    rng = random.Random(17)
    report = json.dumps(_REPORT)
    at = int(now.timestamp())
    for number in range(count):
        tld = rng.choices(_TLDS, (50, 10, 8, 8, 6, 4, 4, 4, 3, 3))[0]
        name = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4)))
        domain = f"{name}-{number}.{tld}"
        title = " ".join(rng.choice(_WORDS) for _ in range(rng.randint(3, 7))).capitalize()
        live = rng.random() < 0.12
        end = at + rng.randint(600, 10 * 86_400) if live else at - rng.randint(60, 5 * 365 * 86_400)
        flags = ["gap"] if rng.random() < 0.3 else []
        dr = rng.choice([None, *range(80)])
        yield {
            "domain": domain, "tld": tld, "round": 1, "found_at": end - rng.randint(86_400, 900_000),
            "hunt_day": "2026-11-19", "language": rng.choice(["en", "de", "fr", None]), "title": title,
            "search": search_text(domain, title), "archive_years": rng.randint(1, 20),
            "archive_first_year": 2002, "archive_last_year": 2021, "gated": 0, "announced": int(rng.random() < 0.1),
            "open_now": 0, "operators_open_now": 0, "caught_after_drop": 0, "updated_at": at,
            "score": rng.randint(40, 98), "verdict": rng.choice(["ok", "ok", "ok", "risky"]),
            "flags": json.dumps(flags), "flag_count": len(flags), "topic": rng.choice(_TOPICS),
            "domain_rating": dr, "trust_flow": rng.choice([None, *range(60)]), "citation_flow": 20,
            "referring_domains": rng.choice([None, *range(0, 5000, 7)]), "source": "market_a",
            "type": rng.choice(_TYPES), "price_usd": rng.choice([None, *range(0, 900, 9)]),
            "bids": rng.randint(0, 20), "ends_at": end, "live_until": end,
            "url": f"https://lots.market-a.example/{number}", "report": report,
        }  # fmt: skip


def fill(file: Path, count: int, now: datetime) -> None:
    """Write the rows, and Datasette's table of them."""
    with sqlite3.connect(file) as db:
        batch: list[dict[str, Any]] = []
        for each in rows(count, now):
            batch.append(each)
            if len(batch) == 2000:
                _insert(db, batch)
        _insert(db, batch)
        db.execute(_FLAT)
        for column in ("domain", "score", "found_at", "live_until", "tld", "ends_at", "domain_rating", "price_usd"):
            db.execute(f"CREATE INDEX ix_lists_{column} ON lists ({column})")
        db.execute("ANALYZE")


def _insert(db: sqlite3.Connection, batch: list[dict[str, Any]]) -> None:
    if batch:
        names = ", ".join(batch[0])
        marks = ", ".join(f":{name}" for name in batch[0])
        db.executemany(f"INSERT INTO domains ({names}) VALUES ({marks})", batch)
        batch.clear()


def change_one(file: Path, domain: str) -> None:
    """Change one domain as publishing does, which raises the catalogue's version."""
    with sqlite3.connect(file, timeout=30) as db:
        db.execute("UPDATE domains SET bids = bids + 1 WHERE domain = ?", (domain,))
        raised = "INSERT INTO versions VALUES ('catalogue', 1) ON CONFLICT DO UPDATE SET value = value + 1"
        version = db.execute(f"{raised} RETURNING value").fetchone()[0]
        marked = "INSERT INTO changed_domains VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version"
        db.execute(marked, (domain, version))


async def make_key(url: str) -> str:
    """A Pro account's API key."""
    database = open_database(url)
    now = clock.now()
    async with database.write() as conn:
        wanted = members.NewAccount("bench@example.com", verified=True, plan_until=now + timedelta(days=365))
        account = await members.create_account(conn, wanted, now=now, welcome=0)
        issued = await members.issue_key(
            conn, account.id, "bench", entropy=secrets.token_bytes(32), now=now, limit=5
        )
    await database.close()
    return issued.key.text


Query = tuple[str, dict[str, Any]]


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
            "tld": ",".join(rng.sample(_TLDS, rng.randint(1, 3))),
            "topic": rng.choice([topic for topic in _TOPICS if topic]),
            "type": ",".join(rng.sample(_TYPES, rng.randint(1, 2))),
            "clean": "true",
            "q": rng.choice([*_SYLLABLES, *_WORDS]) + rng.choice(["", "", "a", "e", "-1", "lin"]),
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


class Server:
    """A running server process, asked over one kept connection."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, headers: dict[str, str]) -> None:
        self.process = process
        self.headers = headers
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path: str) -> bytes:
        """The body of an answer."""
        try:
            self.http.request("GET", path, headers=self.headers)
            answer = self.http.getresponse()
        except http.client.RemoteDisconnected:  # kept idle for too long, while it was the other's turn
            self.http.close()
            self.http.request("GET", path, headers=self.headers)
            answer = self.http.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:300]!r}")
        return body

    def cpu(self) -> float:
        """CPU seconds of the process so far, all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def memory(self) -> float:
        """Resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def asked(self, paths: list[str]) -> tuple[float, list[float]]:
        """CPU milliseconds a request, and every request's milliseconds on the clock."""
        before, took = self.cpu(), []
        for path in paths:
            began = time.perf_counter()
            self.get(path)
            took.append(1000 * (time.perf_counter() - began))
        return 1000 * (self.cpu() - before) / len(paths), took


def free_port() -> int:
    """A TCP port nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@contextmanager
def running(
    command: Callable[[int], list[str]], ready: str, headers: dict[str, str], **environ: str
) -> Iterator[Server]:
    """Run a server until the block ends; it is there once `ready` is answered."""
    port = free_port()
    names = {name: value.replace("PORT", str(port)) for name, value in environ.items()}
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(command(port), env={**os.environ, **names}, stdout=said, stderr=said)
        server = Server(process, port, headers)
        try:
            while True:
                try:
                    server.get(ready)
                    break
                except OSError:
                    server.http.close()
                    if process.poll() is not None or time.monotonic() - began > 120:
                        said.seek(0)
                        raise RuntimeError(said.read().decode()) from None
                    time.sleep(0.02)
            server.started = time.monotonic() - began  # type: ignore[attr-defined]
            yield server
        finally:
            process.terminate()
            process.wait(20)


def settled(server: Server) -> None:
    """Wait until the server has done what it does after its start."""
    before = -1.0
    while server.cpu() - before > 0.02:
        before = server.cpu()
        time.sleep(1.0)


def afterdrop_server(folder: Path, key: str) -> Any:
    """`afterdrop serve` over the folder's database."""
    plans = {"requests_per_minute": 10**7, "requests_per_day": 10**8, "lookup_domains_per_hour": 1000}
    plans |= {"availability_domains": 50, "rating_domains": 25, "checks_per_month": 10}
    text = "\n".join(f"{name} = {value}" for name, value in plans.items())
    (folder / "afterdrop.toml").write_text(f"[plans.pro]\n{text}\n", encoding="utf-8")
    return running(
        lambda port: [sys.executable, "-m", "afterdrop", "serve", "--no-worker", "--port", str(port)],
        "/api/v1/stats",
        {"Authorization": f"Bearer {key}"},
        AFTERDROP_SETTINGS=str(folder / "afterdrop.toml"),
        AFTERDROP_DATA_DIR=str(folder),
        AFTERDROP_DATABASE_URL="",
        AFTERDROP_SITE_URL="http://127.0.0.1:PORT",
    )


def datasette_server(file: Path) -> Any:
    """Datasette over the same file."""
    quiet = ["--setting", "suggest_facets", "off", "--setting", "sql_time_limit_ms", "20000"]
    return running(
        lambda port: [sys.executable, "-m", "datasette", str(file), "--port", str(port), *quiet],
        "/bench/lists.json?_size=1",
        {},
    )


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
            print(f"{count:,} rows: ready after {ours.started:.1f} s, {ours.memory():.0f} MB")
            settled(ours)
            print(f"  with its lists in memory {ours.memory():.0f} MB, CPU since the start {ours.cpu():.1f} s")
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
            other.append(theirs.asked([for_datasette(query, now) for query in part])[0])
    line = f"  list mix: {statistics.median(mine):.2f} ms CPU"
    if other:
        theirs_now = statistics.median(other)
        line += f", Datasette {theirs_now:.1f} ms: {theirs_now / statistics.median(mine):.1f} times"
    cuts = statistics.quantiles(took, n=100)
    print(f"{line}; on the clock p50 {cuts[49]:.2f}, p95 {cuts[94]:.2f}, p99 {cuts[98]:.2f} ms; rounds {mine}")


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
        "archive, last pages": lambda turn: f"/api/v1/domains/archive?sort=price&page={500 + turn}",
        "archive, another filter each time": lambda turn: f"/api/v1/domains/archive?max_price={turn + 1}",
        "/stats": lambda _: "/api/v1/stats",
        "/me": lambda _: "/api/v1/me",
        "report by name": lambda turn: f"/api/v1/domains/{names[turn % len(names)]}",
    }
    for name, path in paths.items():
        cpu, took = ours.asked([path(turn) for turn in range(count)])
        print(f"  {name:34} {cpu:6.2f} ms CPU   p50 {statistics.median(took):6.2f} ms")


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
