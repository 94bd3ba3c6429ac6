"""Common Crawl as the sandbox serves it, and as a server of a few files does, with a client for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from aiohttp import web

from afterdrop.db.engine import Database
from afterdrop.sandbox import RunningSandbox, start
from afterdrop.sandbox.graph_server import ranged
from afterdrop.sources.archive.common_crawl import CommonCrawl
from tests.support.crawls import client

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def database_url(sqlite_empty: str) -> str:
    """What is tested here does not depend on the kind of database."""
    return sqlite_empty


@pytest.fixture
async def running() -> AsyncIterator[RunningSandbox]:
    """A sandbox whose clock stands at noon of its day."""
    async with start(3, 30, day=date(2026, 11, 20), now=lambda: NOON) as served:
        yield served


@pytest.fixture
async def crawl(running: RunningSandbox, database: Database, tmp_path: Path) -> AsyncIterator[CommonCrawl]:
    """A client of the sandbox's Common Crawl, without tables."""
    async with client(running.origins["crawl"], database, tmp_path / "crawls") as opened:
        yield opened


@dataclass
class Files:
    """A file host: `files` by their paths, and instead of one of them, `answers`. `asked_for` notes path and range."""

    files: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, tuple[int, Mapping[str, str], bytes]] = field(default_factory=dict)
    asked_for: list[tuple[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """A file's range, or what is to be answered instead of it."""
        self.asked_for.append((request.path, request.headers.get("Range", "")))
        if request.path in self.answers:
            status, headers, body = self.answers[request.path]
            return web.Response(status=status, headers=headers, body=body)
        if request.path not in self.files:
            return web.Response(status=404)
        return ranged(request, self.files[request.path])


@asynccontextmanager
async def serving(files: Files) -> AsyncIterator[str]:
    """A real HTTP server of these files; yields its origin."""
    app = web.Application()
    app.router.add_get("/{path:.*}", files.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield site.name.rstrip("/")
    finally:
        await runner.cleanup()


@dataclass
class Hosted:
    """A client, and the host of a few files that it asks."""

    crawl: CommonCrawl
    host: Files


@pytest.fixture
async def hosted(database: Database, tmp_path: Path) -> AsyncIterator[Hosted]:
    """A client of a host without files."""
    host = Files()
    async with serving(host) as origin, client(origin, database, tmp_path / "crawls") as opened:
        yield Hosted(opened, host)
