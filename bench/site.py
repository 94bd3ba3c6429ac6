"""Server time of the site's pages, asked in this process over invented rows or over a copy of a demo's database.

    python -m bench.site --rows 100000 --requests 200
    python -m bench.site --data-dir /tmp/demo          (an `afterdrop demo --data-dir /tmp/demo` that has stopped)

Prints median, 95th percentile and worst milliseconds a page, on the clock and of CPU, its size, and how much of it goes
over the wire as browsers ask for it. Filters and pages vary from request to request; nothing is cached outside the
service, whose lists are in memory when the clock starts. Exits 1 when the 95th percentile of a list of 50 rows is over
`--most` milliseconds of CPU.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import secrets
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import zstandard
from bench.catalogue_rows import fill

from afterdrop.accounts import members, sessions
from afterdrop.accounts.account import Account
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Site as SiteSettings
from afterdrop.db.engine import Database, open_database
from afterdrop.db.migrate import upgrade
from afterdrop.db.tables.catalogue import domains
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context

FILTERS = (
    "",
    "?sort=ending",
    "?min_score=60&clean=true",
    "?q=a",
    "?tld=com,org&sort=price",
    "?page=2",
    "?sort=newest&min_dr=20&max_price=500",
    "?type=auction,bid&topic=Arts,News,Home",
    "?min_tf=20&lang=en&ending_within_hours=48",
)


@dataclass(frozen=True)
class Answer:
    """One response: milliseconds on the clock and of this process's CPU, bytes, and bytes on the wire."""

    clock: float
    cpu: float
    size: int
    sent: int


async def asked(app: Any, path: str, cookie: str) -> Answer:
    """Ask for a page, without a network."""
    route, _, query = path.partition("?")
    sent: list[dict[str, Any]] = []
    ended: list[float] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            ended.extend((time.perf_counter(), time.process_time()))

    headers = [(b"host", b"127.0.0.1:8000"), (b"cookie", cookie.encode()), (b"accept", b"text/html")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": route,
        "raw_path": route.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [*headers, (b"accept-encoding", b"gzip, deflate, br, zstd")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    start, spent = time.perf_counter(), time.process_time()
    await app(scope, receive, send)
    took, cpu = (ended[0] - start) * 1000, (ended[1] - spent) * 1000
    assert sent[0]["status"] == 200, (path, sent[0]["status"])
    body = b"".join(message.get("body", b"") for message in sent)
    return Answer(took, cpu, len(zstandard.ZstdDecompressor().decompressobj().decompress(body)), len(body))


async def database_of(given: argparse.Namespace, folder: Path) -> Database:
    """A copy of the demo's database that can be written to, or a catalogue of `--rows` invented rows."""
    path = folder / "copy.sqlite3"
    url = f"sqlite+aiosqlite:///{path}"
    if given.data_dir is None:
        await asyncio.to_thread(upgrade, url)
        fill(path, given.rows, clock.now())
    else:
        with (
            sqlite3.connect(f"file:{given.data_dir / 'afterdrop.sqlite3'}?mode=ro", uri=True) as old,
            sqlite3.connect(path) as new,
        ):
            old.backup(new)
    return open_database(url, connections=15)


async def measured(database: Database, folder: Path, requests: int) -> dict[str, list[Answer]]:
    """The answers to every request by kind of page."""
    settings = Settings(data_dir=folder, site=SiteSettings(pages_per_minute=10**6))
    context = make_web_context(settings, database, providers=())
    app, token = create_app(context), secrets.token_urlsafe(32)
    account = await member(database, token)
    assert account.operator
    async with database.read() as conn:
        live = sa.select(domains.c.domain).where(domains.c.removed_at.is_(None))
        names = itertools.cycle(await conn.scalars(live.limit(5000)))
    kinds: dict[str, Callable[[], str]] = {
        **{f"list {path}": _varied(path) for path in ("/domains", "/domains/available", "/domains/archive")},
        "list, 100 rows": lambda: "/domains?per_page=100",
        "report": lambda: f"/domains/{next(names)}",
        "account": lambda: "/account",
        "operator": lambda: "/admin",
    }
    found: dict[str, list[Answer]] = {kind: [] for kind in kinds}
    gc.freeze()  # as `afterdrop serve` does once it has imported everything
    async with context.running():
        await context.snapshots.made()
        for _ in range(requests):
            for kind, path in kinds.items():
                found[kind].append(await asked(app, path(), f"afterdrop_session={token}"))
    return found


def _varied(path: str) -> Callable[[], str]:
    turns: Iterator[str] = itertools.cycle(FILTERS)
    return lambda: path + next(turns)


async def member(database: Database, token: str) -> Account:
    """An operator on Pro who is signed in by `token`."""
    now = clock.now()
    until = now + timedelta(days=1)
    async with database.write() as conn:
        account = await members.create_account(
            conn,
            members.NewAccount("bench@bench.example", verified=True, plan_until=until, operator=True),
            now=now,
            welcome=0,
        )
        await sessions.begin(conn, token, account, now)
    return account


async def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="a demo's; without it, invented rows")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=200, help="of each kind of page")
    parser.add_argument("--most", type=float, default=15.0, help="milliseconds of CPU a list's p95 may take")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        database = await database_of(given, Path(name))
        found = await measured(database, Path(name), given.requests)
        await database.close()
    slow = False
    print(f"{'':<26}|{'milliseconds on the clock':^30}|{'of CPU':^20}|{'kB':^14}")
    print(
        f"{'page':<26}|{'median':>10}{'p95':>10}{'worst':>10}|{'median':>10}{'p95':>10}|{'plain':>7}{'sent':>7}"
    )
    for kind, answers in found.items():
        clocks, cpus = (sorted(getattr(each, name) for each in answers) for name in ("clock", "cpu"))
        p95, cpu_p95 = (statistics.quantiles(each, n=20)[-1] for each in (clocks, cpus))
        slow |= kind.startswith("list /") and cpu_p95 > given.most
        plain, sent = max(each.size for each in answers), max(each.sent for each in answers)
        print(
            f"{kind:<26}|{statistics.median(clocks):>10.1f}{p95:>10.1f}{clocks[-1]:>10.1f}"
            f"|{statistics.median(cpus):>10.1f}{cpu_p95:>10.1f}|{plain / 1000:>7.0f}{sent / 1000:>7.1f}"
        )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
