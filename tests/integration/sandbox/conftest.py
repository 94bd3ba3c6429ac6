"""One sandbox of sixty domains per test, and a client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime

import aiohttp
import pytest

from afterdrop.sandbox import RunningSandbox, start

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
async def running() -> AsyncIterator[RunningSandbox]:
    """A sandbox whose clock stands at noon of its day."""
    async with start(3, 60, day=date(2026, 11, 20), now=lambda: NOON) as served:
        yield served


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """A plain client that gives up after ten seconds."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as opened:
        yield opened
