"""The circuit breaker against a real server: who is left alone, for how long, and who may try again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.circuit_breaker import any_paused, outages, pause_seconds
from afterdrop.http.client import Fetcher, open_fetcher
from tests.integration.http.test_client import serving

PACE = Pace(default=HostPace(per_second=5000, at_once=8), hosts={})


@dataclass
class Host:
    """A server whose status can be set, and the clock that everybody goes by."""

    moved: float = 1e9
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.02
    asked: int = 0

    def now(self) -> float:
        """Seconds; they pass by themselves, as a pace waits for them, and can be moved on."""
        return self.moved + clock.monotonic()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked += 1
        if self.status == 0:
            assert request.transport is not None
            request.transport.abort()
        await asyncio.sleep(self.seconds)
        return web.Response(status=self.status or 200, headers=self.headers)


@asynccontextmanager
async def node(host: Host, origin: str, database: Database) -> AsyncIterator[Fetcher]:
    """A process of the deployment."""
    settings = Settings(trusted_origins=(origin,), pace=PACE)
    async with open_fetcher(settings, database, host.now, random.Random(1)) as fetcher:
        yield fetcher


async def kinds(fetcher: Fetcher, url: str, times: int = 1) -> list[str]:
    """What became of so many requests, one after the other."""
    found = []
    for _ in range(times):
        try:
            found.append(str((await fetcher.get(url)).status))
        except UpstreamError as error:
            found.append(error.kind)
    return found


@pytest.mark.parametrize(("status", "told"), [(0, "connect"), (503, "503")])
async def test_after_three_failures_in_a_row_nobody_asks(database: Database, status: int, told: str) -> None:
    host = Host(status=status)
    async with (
        serving(host.answer) as url,
        node(host, url, database) as one,
        node(host, url, database) as two,
    ):
        assert await kinds(one, url, 5) == [told, told, told, "paused", "paused"]
        assert await kinds(two, url) == ["paused"]
        sends = 2 if status == 0 else 1  # aiohttp sends a GET again whose connection is reset
        assert host.asked == 3 * sends
        async with database.read() as conn:
            [outage] = await outages(conn)
            assert await any_paused(conn, {outage.host}, host.now())
            assert not await any_paused(conn, {"another.example"}, host.now())
        assert outage.host == url.removeprefix("http://")
        assert outage.next_try_at - host.now() == pytest.approx(60, abs=3)

        host.moved += 61
        got = await asyncio.gather(kinds(one, url), kinds(two, url), kinds(two, url))
        assert sorted(map(str, got)) == sorted([f"['{told}']", "['paused']", "['paused']"])
        assert host.asked == 4 * sends, "one request tries for all"
        assert await kinds(two, url) == ["paused"]

        host.moved, host.status = host.moved + 70, 200
        assert await kinds(two, url, 2) == ["200", "200"]
        host.moved += 2  # by then the other has heard of it
        assert await kinds(one, url) == ["200"]
        async with database.read() as conn:
            assert await outages(conn) == []


async def test_an_answer_ends_a_row_of_failures(database: Database) -> None:
    host = Host()
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        for _ in range(3):
            host.status = 500
            await kinds(fetcher, url, 2)
            host.status = 404
            await kinds(fetcher, url)
        assert await kinds(fetcher, url) == ["404"]


async def test_an_archived_error_is_an_answer(database: Database) -> None:
    """A memento's status and headers are the old site's."""
    host = Host(headers={"Memento-Datetime": "Mon, 06 May 2013 07:08:09 GMT", "Retry-After": "3600"})
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        for host.status in (429, 500, 503):
            assert await kinds(fetcher, url, 4) == [str(host.status)] * 4


async def test_retry_after_counts_on_a_503_too(database: Database) -> None:
    host = Host(status=503, headers={"Retry-After": "120"})
    async with serving(host.answer) as url, node(host, url, database) as one:
        with pytest.raises(UpstreamError) as caught:
            await one.get(url)
        assert (caught.value.kind, caught.value.http_status, caught.value.retry_after) == (
            "rate_limited", 503, 120.0,
        )  # fmt: skip
        with pytest.raises(UpstreamError, match="is blocked for another 12"):
            await one.get(url, patience=10)
        assert host.asked == 1


async def test_who_is_gone_while_trying_does_not_keep_the_host_from_being_tried(database: Database) -> None:
    host = Host(status=503)
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        await kinds(fetcher, url, 3)
        host.moved, host.seconds = host.moved + 60, 5
        trying = asyncio.create_task(fetcher.get(url, timeout=5))
        while host.asked < 4:
            await asyncio.sleep(0.001)
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        host.status, host.seconds = 200, 0.02
        assert await kinds(fetcher, url) == ["paused"]
        host.moved += 36
        assert await kinds(fetcher, url) == ["200"]


async def test_pauses_double_up_to_half_an_hour() -> None:
    trouble = 0.0
    pauses: list[float] = []
    while len(pauses) < 8:
        pauses.append(pause_seconds(trouble, PACE))
        trouble += pauses[-1]
    assert pauses == [60, 60, 120, 240, 480, 960, 1800, 1800]
