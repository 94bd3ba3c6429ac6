"""A server of feed files, and downloads from it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.feeds.download import Spool, Spooled, fetch
from afterdrop.feeds.spec import FeedSpec
from afterdrop.http.client import Fetcher, open_fetcher
from tests.support.desk import feed

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Shop:
    """A server that answers each path by a prepared function and keeps its requests."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[web.Request] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer as prepared, 404 otherwise."""
        self.asked.append(request)
        prepared = self.answers.get(request.path)
        return await prepared(request) if prepared else web.Response(status=404)

    def gives(self, path: str, body: bytes, **headers: str) -> None:
        """Put a plain answer under a path."""

        async def plain(_request: web.Request) -> web.Response:
            return web.Response(body=body, headers=headers)

        self.answers[path] = plain


@asynccontextmanager
async def open_shop() -> AsyncIterator[Shop]:
    shop = Shop()
    runner = web.ServerRunner(web.Server(shop.answer))  # type: ignore[arg-type]  # a Request is what it passes
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    shop.url = site.name.rstrip("/")
    try:
        yield shop
    finally:
        await runner.cleanup()


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with open_shop() as serving:
        yield serving


@pytest.fixture
async def other() -> AsyncIterator[Shop]:
    async with open_shop() as serving:
        yield serving


@pytest.fixture
async def way(shop: Shop, other: Shop, database: Database) -> AsyncIterator[Fetcher]:
    pace = Pace(default=HostPace(per_second=2000, at_once=8), hosts={})
    using = Settings(trusted_origins=(shop.url, other.url), pace=pace)
    async with open_fetcher(using, database, clock.epoch, random.Random(1)) as opened:
        yield opened


@pytest.fixture
def get(shop: Shop, way: Fetcher, tmp_path: Path) -> Callable[..., Awaitable[Spooled]]:
    async def ask(spec: FeedSpec | None = None, **options: Any) -> Spooled:
        values: dict[str, Any] = {"now": NOW, "environ": {"KEY": "s3cret"}, "max_bytes": 1_000_000, **options}
        limit = values.pop("max_bytes")
        return await fetch(spec or feed(url=f"{shop.url}/l"), way, Spool(tmp_path / "spool", limit), **values)

    return ask


Get = Callable[..., Awaitable[Spooled]]
