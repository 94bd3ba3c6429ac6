"""Hostile requests against a started service: answered, cheap, and never a fault of ours."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from tests.hostile.requests import CLASSES, FORM, JSON, Cases
from tests.hostile.service import Watched, watched
from tests.support.speed import slowness

pytestmark = [pytest.mark.long, pytest.mark.timeout(3_600)]

MOST_MIB = 400
MOST_SECONDS = 2.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def attacked(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> AsyncIterator[Watched]:
    """One service for all classes of requests."""
    folder = tmp_path_factory.mktemp("attacked")
    async with watched(folder, sqlite_template, AFTERDROP_SERVER__BODY_SECONDS="3") as service:
        yield service


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("cases", CLASSES, ids=lambda each: each.__name__)
async def test_requests(cases: Callable[[Watched], Cases], attacked: Watched) -> None:
    """None takes two seconds of processor time or is answered with a fault; all together stay in the memory's bound."""
    statuses: Counter[str] = Counter()
    worst = (0.0, "")
    for what, sent in cases(attacked):
        before = attacked.seconds
        answer = await attacked.send(sent)
        spent = attacked.seconds - before
        worst = max(worst, (spent, what))
        status = answer[9:12].decode()
        statuses[status] += 1
        assert not status.startswith("5"), (what, answer[:300])
        assert spent < MOST_SECONDS or spent < MOST_SECONDS * slowness(), (what, spent)
        assert attacked.peak < MOST_MIB, (what, attacked.peak)
    await attacked.is_well()
    print(f"\n{statuses.total()} cases {dict(statuses)}, worst {worst}, peak {attacked.peak} MiB")
    assert attacked.faults == []


async def test_slow_and_broken_off(tmp_path: Path, sqlite_template: Path) -> None:
    """Clients that drip, stall or leave at any byte of a request keep nothing and are no fault."""
    bounds = {"AFTERDROP_SERVER__HEAD_SECONDS": "1", "AFTERDROP_SERVER__BODY_SECONDS": "1"}
    async with watched(tmp_path, sqlite_template, **bounds) as service:
        form = f"csrf={service.csrf}&list=live&name=a".encode()
        whole = [
            service.request("GET /domains"),
            service.request("GET /domains", b"X: " + b"a" * 60_000),
            service.request("POST /account/filters", FORM, body=form),
            service.request("POST /api/v1/alerts", JSON, body=b'{"name":"a","keywords":["a"]}'),
            service.request("POST /mcp", JSON, body=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'),
        ]
        for sent in whole:
            for part in range(0, len(sent), max(1, len(sent) // 60)):
                await leave(service, sent[:part])
            await leave(service, sent)
        began = time.monotonic()
        stalled = [service.send(sent[: len(sent) - 3]) for sent in whole for _ in range(20)]
        dripped = [service.send(*drops(sent)) for sent in whole]
        answers = await asyncio.gather(*stalled, *dripped)
        assert time.monotonic() - began < 20
        assert {answer[9:12] for answer in answers} <= {b"408", b"200", b"201", b"303", b"406", b"422", b""}
        await service.is_well()
        assert (service.peak < MOST_MIB, service.faults) == (True, [])


def drops(sent: bytes) -> list[bytes]:
    """A request in many small pieces."""
    return [sent[at : at + 7] for at in range(0, len(sent), 7)]


async def leave(service: Watched, sent: bytes) -> None:
    """Send and reset the connection without reading."""
    _, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write(sent)
    with suppress(ConnectionError):
        await writer.drain()
    writer.transport.abort()


@pytest.mark.parametrize("whole_head", [False, True])
async def test_many_connections(tmp_path: Path, sqlite_template: Path, whole_head: bool) -> None:
    """1,000 connections that hold half a head or half a body, renewed as they are closed, keep no member out."""
    async with watched(tmp_path, sqlite_template) as service:
        sent = service.request("POST /account/filters", FORM, body=b"csrf=" + b"a" * 30_000)
        half = sent[:-1] if whole_head else sent[:200]
        ending = asyncio.Event()
        crowd = [asyncio.create_task(hold(service, half, ending)) for _ in range(1000)]
        for _ in range(10):
            await asyncio.sleep(0.5)
            await service.is_well()
        ending.set()
        await asyncio.gather(*crowd)
        await service.is_well()
        assert (service.peak < MOST_MIB, service.faults) == (True, [])


async def hold(service: Watched, half: bytes, ending: asyncio.Event) -> None:
    """Keep a connection with half a request open, a new one 3 seconds after each that is closed."""
    ended = asyncio.create_task(ending.wait())
    while not ended.done():
        with suppress(ConnectionError):
            reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
            writer.write(half)
            closed = asyncio.create_task(reader.read())
            await asyncio.wait([ended, closed], return_when=asyncio.FIRST_COMPLETED)
            writer.transport.abort()
            await asyncio.wait([closed])
            closed.exception()
        await asyncio.wait([ended], timeout=3)
