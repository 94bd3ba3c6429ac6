"""Server time of the site's pages, asked in this process over a copy of a demo's database.

    afterdrop demo --size 250 --data-dir /tmp/demo     (stop it when it is ready)
    python bench/site.py /tmp/demo --requests 500

Prints median, 95th percentile and worst milliseconds a page, and its size. Filters and pages vary from request to
request; nothing is cached outside the service. Exits 1 when a list's 95th percentile is over `--most` milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import secrets
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from afterdrop.accounts import members, sessions
from afterdrop.accounts.account import Account
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database, open_database
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
    "?per_page=100",
)


async def asked(app: Any, path: str, cookie: str) -> tuple[float, int, int]:
    """Milliseconds, status and bytes of one response, without a network."""
    route, _, query = path.partition("?")
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

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
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    start = time.perf_counter()
    await app(scope, receive, send)
    spent = (time.perf_counter() - start) * 1000
    size = sum(len(message.get("body", b"")) for message in sent)
    return spent, sent[0]["status"], size


def copied(data_dir: Path, folder: Path) -> Path:
    """A copy of the demo's database that can be written to."""
    path = folder / "copy.sqlite3"
    with (
        sqlite3.connect(f"file:{data_dir / 'afterdrop.sqlite3'}?mode=ro", uri=True) as old,
        sqlite3.connect(path) as new,
    ):
        old.backup(new)
    return path


async def measured(database: Database, folder: Path, requests: int) -> dict[str, list[tuple[float, int]]]:
    """Milliseconds and bytes of every request by kind of page."""
    settings = Settings(data_dir=folder)
    environment = make_web_context(settings, database, providers=())
    app, token = create_app(environment), secrets.token_urlsafe(32)
    account = await _member(database, token)
    async with database.read() as conn:
        names = list(await conn.scalars(sa.select(domains.c.domain).where(domains.c.removed_at.is_(None))))
    names_round = itertools.cycle(names)
    kinds: dict[str, Callable[[], str]] = {
        **{f"list {path}": _varied(path) for path in ("/domains", "/domains/available", "/domains/archive")},
        "report": lambda: f"/domains/{next(names_round)}",
        "account": lambda: "/account",
        "operator": lambda: "/admin",
    }
    assert account.operator
    found: dict[str, list[tuple[float, int]]] = {kind: [] for kind in kinds}
    for _ in range(requests):
        for kind, path in kinds.items():
            spent, status, size = await asked(app, path(), f"afterdrop_session={token}")
            assert status == 200, (kind, status)
            found[kind].append((spent, size))
    return found


def _varied(path: str) -> Callable[[], str]:
    turns: Iterator[str] = itertools.cycle(FILTERS)
    return lambda: path + next(turns)


async def _member(database: Database, token: str) -> Account:
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
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--requests", type=int, default=500, help="of each kind of page")
    parser.add_argument("--most", type=float, default=50.0, help="milliseconds a list's p95 may take")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = copied(given.data_dir, folder)
        database = open_database(f"sqlite+aiosqlite:///{path}", pool_size=5)
        found = await measured(database, folder, given.requests)
        await database.close()
    slow = False
    print(f"{'page':<28}{'requests':>9}{'median ms':>11}{'p95 ms':>9}{'worst ms':>10}{'KB':>7}")
    for kind, times in found.items():
        spent = sorted(each for each, _ in times)
        p95 = statistics.quantiles(spent, n=20)[-1]
        size = max(bytes_ for _, bytes_ in times) / 1024
        slow |= kind.startswith("list") and p95 > given.most
        print(
            f"{kind:<28}{len(spent):>9}{statistics.median(spent):>11.1f}{p95:>9.1f}{spent[-1]:>10.1f}{size:>7.0f}"
        )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
