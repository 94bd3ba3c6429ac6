"""Limits of a connection: heads and waits are bounded, and many idle connections keep nobody out."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from afterdrop.core.settings import Server, Settings
from afterdrop.db.engine import Database
from afterdrop.web.http_protocol import BoundedProtocol
from tests.support.running import Running, running_service
from tests.support.speed import slowness

HOST = b"Host: 127.0.0.1\r\n"
ASK = b"GET /api/v1/openapi.json HTTP/1.1\r\n" + HOST
LIMIT = 65_536
Start = Callable[..., Any]


@pytest.fixture
def database_url(sqlite_empty: str) -> str:
    """These connections never come as far as a database."""
    return sqlite_empty


@pytest.fixture
def start(settings: Settings, database: Database) -> Start:
    """Starts a service whose `[server]` settings are the given ones."""

    @asynccontextmanager
    async def started(**bounds: Any) -> AsyncIterator[Running]:
        changed = settings.model_copy(update={"server": Server(**bounds)})
        async with running_service(changed, database) as running:
            yield running

    return started


async def connect(running: Running) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", int(running.url.rpartition(":")[2]))


async def said(reader: asyncio.StreamReader, seconds: float = 180) -> bytes:
    """Everything until the service closes; empty also where it resets."""
    try:
        return await asyncio.wait_for(reader.read(), seconds)
    except ConnectionError:
        return b""


async def answer(running: Running, *parts: bytes) -> bytes:
    """The answer to what is sent, part by part, on a connection of its own."""
    reader, writer = await connect(running)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        return await said(reader)
    finally:
        writer.close()


def padded(size: int) -> bytes:
    """A whole head of `size` bytes."""
    bare = ASK + b"Connection: close\r\nX: \r\n\r\n"
    return bare[:-4] + b"a" * (size - len(bare)) + b"\r\n\r\n"


async def test_a_head_is_at_most_64_kib(start: Start) -> None:
    async with start() as running:
        assert (await answer(running, padded(LIMIT))).startswith(b"HTTP/1.1 200 ")
        too_long = await answer(running, padded(LIMIT + 1))
        assert too_long.startswith(b"HTTP/1.1 431 ")
        assert b"content-type: application/json" in too_long and b'"code":"validation_failed"' in too_long
        many = ASK + b"".join(b"X-%d: a\r\n" % n for n in range(10_000)) + b"\r\n"
        assert (await answer(running, many)).startswith(b"HTTP/1.1 431 ")
        line = b"GET /?" + b"a" * LIMIT + b" HTTP/1.1\r\n" + HOST + b"\r\n"
        assert (await answer(running, line)).startswith(b"HTTP/1.1 431 ")


async def test_an_old_client_gets_a_list_without_chunks(start: Start) -> None:
    """RFC 9112, 6.1: no transfer coding for HTTP/1.0, which would read the chunks' lengths as rows."""
    async with start() as running:
        asked = HOST + b"Authorization: Bearer " + running.keys["pro"].encode() + b"\r\n"
        new, old = [
            await answer(
                running, b"GET /api/v1/exports/live?format=csv " + line + asked + b"Connection: close\r\n\r\n"
            )
            for line in (b"HTTP/1.1\r\n", b"HTTP/1.0\r\n")
        ]
        assert b"transfer-encoding: chunked" in new
        head, _, body = old.partition(b"\r\n\r\n")
        assert b"transfer-encoding" not in head
        assert b"content-length: %d\r\n" % len(body) in head + b"\r\n"
        assert body.startswith(b"domain,") and body.count(b"\n") > 1
        unchanged = await answer(running, b"GET /api/v1/openapi.json HTTP/1.0\r\n" + HOST + b"\r\n")
        assert b"\r\n\r\n{" in unchanged


async def endless(running: Running, head: bytes) -> int:
    """How much of a line without end the service takes before it hangs up; at most 80 MB."""
    reader, writer = await connect(running)
    writer.write(head)
    sent = 0
    with suppress(ConnectionError):
        while sent < 80_000_000:
            writer.write(b"a" * 100_000)
            sent += 100_000
            await writer.drain()
    assert (await said(reader))[:13] in (b"HTTP/1.1 431 ", b"HTTP/1.1 401 ", b"")
    writer.close()
    return sent


async def test_a_line_without_end_is_cut_off(start: Start) -> None:
    async with start() as running:
        before = time.process_time()
        assert await endless(running, ASK + b"X: ") < 20_000_000
        chunked = b"POST /api/v1/checks HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
        for trailer in (b"0\r\nX: ", b"1;"):
            assert await endless(running, chunked + trailer) < 20_000_000
        assert time.process_time() - before < 2 * slowness()


async def test_unfinished_heads_are_not_waited_for(start: Start) -> None:
    async with start(head_seconds=0.3) as running:
        assert await answer(running) == b""
        assert (await answer(running, ASK)).startswith(b"HTTP/1.1 408 ")
        reader, writer = await connect(running)
        dripping = asyncio.create_task(_drip(writer, b"\r\n"))
        assert await said(reader, 9) == b""
        dripping.cancel()
        writer.close()


async def _drip(writer: asyncio.StreamWriter, text: bytes) -> None:
    while not writer.is_closing():
        writer.write(text)
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("path", ["/sign-in", "/api/v1/checks", "/mcp"])
async def test_unfinished_bodies_are_not_waited_for(start: Start, path: str) -> None:
    async with start(body_seconds=0.3) as running:
        key = b"Authorization: Bearer " + running.keys["pro"].encode() + b"\r\n"
        form = b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"
        head = b"POST " + path.encode() + b" HTTP/1.1\r\n" + HOST + key + form
        reader, writer = await connect(running)
        writer.write(head)
        dripping = asyncio.create_task(_drip(writer, b" "))
        assert (await said(reader, 25)).startswith(b"HTTP/1.1 408 ")
        dripping.cancel()
        writer.close()


async def test_a_body_dripped_after_its_response_holds_no_connection(start: Start) -> None:
    async with start(body_seconds=0.3) as running:
        head = b"POST /api/v1/checks HTTP/1.1\r\n" + HOST + b"Content-Length: 60000\r\n\r\n{"
        reader, writer = await connect(running)
        writer.write(head)
        dripping = asyncio.create_task(_drip(writer, b" "))
        assert (await said(reader, 25)).startswith(b"HTTP/1.1 401 ")
        dripping.cancel()
        writer.close()


async def test_a_client_that_reads_nothing_is_cut_off(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterdrop.web.http_protocol._STALLED_SECONDS", 0.3)
    async with start() as running:
        _, writer = await asyncio.open_connection(
            "127.0.0.1", int(running.url.rpartition(":")[2]), limit=1024
        )
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # of its read half
        # Enough responses to fill the buffers of both sides.
        with pytest.raises(ConnectionError):
            for _ in range(2000):
                writer.write(ASK + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0.005)
        writer.close()


async def test_half_sent_requests_make_room_for_whole_ones(start: Start) -> None:
    async with start(connections=20) as running:
        held = [await connect(running) for _ in range(60)]
        for _, writer in held:
            writer.write(ASK)
        for _ in range(5):
            assert (await answer(running, ASK + b"Connection: close\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        closed = [await said(reader, 9) for reader, _ in held[:40]]
        assert closed == [b""] * 40
        for _, writer in held:
            writer.close()


async def test_too_many_pipelined_requests_end_the_connection(start: Start) -> None:
    async with start() as running:
        whole = await answer(running, *[(ASK + b"\r\n") * 8 + ASK + b"Connection: close\r\n\r\n"])
        assert whole.count(b"HTTP/1.1 200 ") == 9
        assert (await answer(running, (ASK + b"\r\n") * 1000)).count(b"HTTP/1.1 200 ") <= 17


@pytest.mark.parametrize("path", ["/sign-in", "/unsubscribe/x", "/api/v1/checks", "/mcp", "/domains"])
async def test_a_client_that_leaves_is_not_logged_as_our_fault(
    start: Start, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with start() as running:
        with caplog.at_level(logging.WARNING):
            key = b"Authorization: Bearer " + running.keys["pro"].encode() + b"\r\n"
            head = b"POST " + path.encode() + b" HTTP/1.1\r\n" + HOST + key
            for rest in (b"", b"Content-Length: 50\r\n\r\n", b"Content-Length: 50\r\n\r\n{", b"\r\n"):
                _, writer = await connect(running)
                writer.write(head + b"Content-Type: application/json\r\n" + rest)
                await writer.drain()
                writer.transport.abort()
            assert (await answer(running, ASK + b"Connection: close\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1#evil",
        "127.0.0.1?evil",
        "127.0.0.1/evil",
        "127.0.0.1\t",
        "[::1%25evil]",
        "@127.0.0.1",
        "a@127.0.0.1",
    ],
)
async def test_a_host_is_a_host_and_nothing_more(start: Start, host: str) -> None:
    async with start() as running:
        ask = f"GET /domains HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
        assert (await answer(running, ask)).startswith(b"HTTP/1.1 400 ")


async def test_answers_on_a_kept_connection_do_not_wait_for_each_other(start: Start) -> None:
    async with start() as running:
        reader, writer = await connect(running)
        waited = []
        for _ in range(12):
            began = time.perf_counter()
            writer.write(ASK.replace(b"/api/v1/openapi.json", b"/api/v1/me") + b"\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 401 ")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]))
            waited.append(time.perf_counter() - began)
        writer.close()
    # With Nagle's algorithm every answer after the first few takes over 40 ms. A busy machine may delay some of them.
    assert min(waited[6:]) < 0.03, waited


async def test_every_accepted_connection_sends_at_once(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    plain = BoundedProtocol.data_received

    def watched(self: BoundedProtocol, data: bytes) -> None:
        connection = self.transport.get_extra_info("socket")
        made.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        plain(self, data)

    monkeypatch.setattr(BoundedProtocol, "data_received", watched)
    async with start() as running:
        reader, writer = await connect(running)
        for _ in range(2):
            writer.write(ASK.replace(b"/api/v1/openapi.json", b"/api/v1/me") + b"\r\n")
            await reader.readuntil(b"}}")
        writer.close()
    assert len(made) >= 2 and all(made)
