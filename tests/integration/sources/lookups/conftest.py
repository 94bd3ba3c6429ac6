"""The tests' own registry, settings that trust it, a fetcher, and the sources of the look-ups."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.settings import Dns, HostPace, Pace, Settings
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher, open_fetcher
from afterdrop.sources.lookups.sources import Sources, open_sources
from tests.support.registry import Registry, bootstrap_file, rdap, running

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    """The time of the tests."""
    return NOW


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    """A registry for .com and .shop whose bootstrap names itself."""
    async with running(Registry()) as serving:

        async def bootstrap(_request: web.Request) -> web.Response:
            base = f"{serving.url}/rdap/"
            return rdap(
                bootstrap_file(com=base, cz=base, shop=base),
                {"ETag": '"one"', "Cache-Control": "max-age=3600"},
            )

        serving.bootstrap = bootstrap
        yield serving


@pytest.fixture
def outward(tmp_path: Path, registry: Registry) -> Settings:
    """Settings that trust the registry's origin and ask it as fast as it answers."""
    return Settings(
        data_dir=tmp_path / "data",
        trusted_origins=(registry.url,),
        registry=RegistrySettings(
            bootstrap_url=f"{registry.url}/dns.json", timeout_seconds=1, shipped_rdap_servers=False
        ),
        pace=Pace(default=HostPace(per_second=2000, at_once=20)),
        dns=Dns(timeout_seconds=1),
    )


@pytest.fixture
async def fetcher(outward: Settings, database: Database) -> AsyncIterator[Fetcher]:
    """The HTTP client of this process."""
    async with open_fetcher(outward, database, clock.epoch, random.Random(1)) as opened:
        yield opened


@pytest.fixture
def sources(outward: Settings, database: Database, fetcher: Fetcher) -> Sources:
    """The look-ups' sources without metric providers."""
    return open_sources(outward, database, fetcher)


Opening = Callable[..., AbstractAsyncContextManager[Sources]]


@pytest.fixture
def opening(database: Database) -> Opening:
    """Sources over other settings."""

    @asynccontextmanager
    async def opened(settings: Settings, **more: Any) -> AsyncIterator[Sources]:
        async with open_fetcher(settings, database, clock.epoch, random.Random(1)) as way_out:
            yield open_sources(settings, database, way_out, **more)

    return opened
