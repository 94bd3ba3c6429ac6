"""Slots leased together keep the same pace as slots leased one by one, and the same blocks."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.http import pace
from afterdrop.http.client import Fetcher
from tests.support.registry import Registry


@pytest.fixture
def outward(outward: Settings) -> Settings:
    return outward.model_copy(update={"pace": Pace(default=HostPace(per_second=20, at_once=10))})


@pytest.fixture
async def arrivals(registry: Registry) -> AsyncIterator[list[float]]:
    times: list[float] = []

    async def arrive(_request: web.Request) -> web.Response:
        times.append(time.monotonic())
        return web.Response()

    registry.answers = {f"name{number}.com": arrive for number in range(40)}
    yield times


async def get(fetcher: Fetcher, registry: Registry, number: int, patience: float = 600) -> int:
    return (await fetcher.get(f"{registry.url}/rdap/domain/name{number}.com", patience=patience)).status


async def test_two_processes_share_one_pace(
    fetcher: Fetcher, registry: Registry, arrivals: list[float]
) -> None:
    one, other = fetcher.with_priority(), fetcher.with_priority()
    await asyncio.gather(*(get(way, registry, number) for number in range(24) for way in (one, other)))
    assert len(arrivals) == 48
    # Less a second for the way to the server on a busy machine; at a pace each it would be half as long.
    late = sorted(arrivals)
    assert late[-1] - late[0] >= 47 / 20 - 1
    assert all(late[place + 24] - late[place] >= 24 / 20 - 1 for place in range(24))


async def test_waiting_requests_share_leases(
    fetcher: Fetcher, registry: Registry, arrivals: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    way = fetcher.with_priority()
    leases = []
    lease = pace.lease_slot

    async def counted(*arguments: object) -> float:
        leases.append(arguments)
        return await lease(*arguments)  # type: ignore[arg-type]  # passed through

    monkeypatch.setattr(pace, "lease_slot", counted)
    await asyncio.gather(*(get(way, registry, number) for number in range(10)))
    assert len(arrivals) == 10
    assert len(leases) <= 4


async def test_a_block_also_stops_requests_that_hold_slots(
    fetcher: Fetcher, registry: Registry, arrivals: list[float]
) -> None:
    async def slow_down(_request: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "60"})

    registry.answers["name0.com"] = slow_down
    way = fetcher.with_priority()
    asked = [asyncio.create_task(get(way, registry, number, patience=1)) for number in range(12)]
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    refused = [one for one in outcomes if isinstance(one, UpstreamError)]
    assert {one.kind for one in refused} == {"rate_limited"}
    assert len(refused) >= 8
    assert len(arrivals) <= 4


async def test_slots_of_abandoned_requests_are_lost_and_not_made_up_for(
    fetcher: Fetcher, registry: Registry, arrivals: list[float]
) -> None:
    way = fetcher.with_priority()
    asked = [asyncio.create_task(get(way, registry, number)) for number in range(10)]
    await asyncio.sleep(0.12)
    for task in asked:
        task.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    await asyncio.sleep(0.5)
    before = len(arrivals)
    started = time.monotonic()
    await asyncio.gather(*(get(way, registry, number) for number in range(20, 26)))
    late = sorted(arrivals[before:])
    assert late[-1] - late[0] >= 0.1
    assert time.monotonic() - started < 5
