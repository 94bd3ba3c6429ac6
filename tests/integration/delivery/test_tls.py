"""Encrypted deliveries: the certificate is checked for the name, and broken TLS is a failure in words."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp.connector
import pytest

from afterdrop.core.settings import Webhook
from afterdrop.delivery.webhooks.retry_schedule import ReceiverAnswer
from afterdrop.delivery.webhooks.send import open_sender
from tests.integration.delivery.test_send import BODY, SECRET
from tests.support import receivers
from tests.support.receivers import OK, Receiver, receiver

NAME = "hooks.example.org"


def at_home(_host: str, _port: int) -> list[tuple[Any, ...]]:
    """A name service with one address."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))]


async def send(target: Receiver, name: str = NAME, seconds: float = 2) -> ReceiverAnswer:
    """One attempt at a name that resolves to the receiver."""
    settings = Webhook(answer_seconds=seconds)
    async with open_sender(settings, lambda: 1.0, allow=lambda _: True, lookup=at_home) as sender:
        return await sender.send(f"https://{name}:{target.port}/hook", SECRET, "ping", "evt_1", BODY)


def trust(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Trust the certificate that the tests' server made."""
    context = ssl.create_default_context(cafile=str(folder / "server.pem"))
    monkeypatch.setattr(aiohttp.connector, "_SSL_CONTEXT_VERIFIED", context)


async def test_the_name_is_asked_for_and_checked_though_an_address_is_connected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = receivers.server_tls(tmp_path, NAME)
    asked: list[str | None] = []
    tls.sni_callback = lambda _socket, name, _context: asked.append(name)
    trust(monkeypatch, tmp_path)
    async with receiver(OK, tls=tls) as target:
        assert await send(target) == ReceiverAnswer(200)
        assert asked == [NAME]
        assert target.posts[0].headers["host"] == f"{NAME}:{target.port}"
        other = await send(target, "else.example.org")
    assert asked == [NAME, "else.example.org"]
    assert other.error is not None
    assert other.error.startswith("TLS failed: ")
    assert "else.example.org" in other.error
    assert len(target.posts) == 1, "nothing is sent to whom the certificate does not vouch for"


@asynccontextmanager
async def raw(talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]) -> AsyncIterator[Receiver]:
    """A server without TLS."""
    running: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            await reader.read(1)
            await talk(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield Receiver(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def garbage(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x00\xff" * 5000)
    await writer.drain()


async def plain_http(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(OK)
    await writer.drain()


async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def half_a_hello(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(bytes.fromhex("160303004a02000046"))
    await writer.drain()
    await asyncio.sleep(30)


async def alert(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(bytes.fromhex("15030300020228"))
    await writer.drain()


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        (garbage, ("TLS failed: ",)),
        (plain_http, ("TLS failed: ",)),
        (alert, ("TLS failed: ",)),
        (hang_up, ("cannot connect: ", "the connection was closed without an answer", "TLS failed: ")),
        (half_a_hello, ("no answer within 0.5 seconds",)),
    ],
)
async def test_a_server_without_tls_is_a_failure_with_a_reason(talk: Any, words: tuple[str, ...]) -> None:
    async with raw(talk) as target:
        answer = await send(target, seconds=0.5)
    assert answer.code is None
    assert answer.error is not None
    assert answer.error.startswith(words), answer.error
    assert "Error" not in answer.error, "words for the endpoint's owner, no class names"
