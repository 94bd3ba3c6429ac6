"""The vendors' server, settings that trust it, and a fetcher."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterdrop.core import clock
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher, open_fetcher
from tests.integration.sources.metrics.vendors import Vendors, running

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    """The time of the tests."""
    return NOW


@pytest.fixture
async def vendors() -> AsyncIterator[Vendors]:
    """Every vendor on loopback."""
    async with running(Vendors()) as serving:
        yield serving


@pytest.fixture
def outward(tmp_path: Path, vendors: Vendors, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings that trust the vendors' origin and ask it as fast as it answers."""
    # A provider gives up sooner than its host is left alone; `tests/integration/http` shows the latter.
    monkeypatch.setattr("afterdrop.http.circuit_breaker.FAILURES_IN_A_ROW", 100)
    return Settings(
        data_dir=tmp_path / "data",
        trusted_origins=(vendors.url,),
        pace=Pace(
            hosts={vendors.url.removeprefix("http://"): HostPace(per_second=2000, at_once=20)},
        ),
    )


@pytest.fixture
async def fetcher(outward: Settings, database: Database) -> AsyncIterator[Fetcher]:
    """The HTTP client of this process."""
    async with open_fetcher(outward, database, clock.epoch, random.Random(1)) as opened:
        yield opened
