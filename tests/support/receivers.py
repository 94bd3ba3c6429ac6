"""Receivers of webhooks that behave in every way real ones do, on loopback sockets of the test's own."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter
Behaviour = Callable[[Reader, Writer], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class Post:
    """What came in: the head's lines and the body."""

    head: list[str]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """Headers by lowercase name."""
        return {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in self.head[1:])
        }


@dataclass
class Receiver:
    """A listening receiver and what it got."""

    port: int
    posts: list[Post] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/hook"


async def read_post(reader: Reader) -> Post:
    """One request as it was sent."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
    post = Post(head, b"")
    post.body = await reader.readexactly(int(post.headers.get("content-length", "0")))
    return post


@asynccontextmanager
async def receiver(
    behave: Behaviour | bytes, *, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """A receiver that reads requests and then does what it does: writes these bytes, or whatever `behave` says."""
    made = Receiver(0)
    running: set[asyncio.Task[None]] = set()

    async def talk(reader: Reader, writer: Writer) -> None:
        made.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                made.posts.append(await read_post(reader))
                if callable(behave):
                    await behave(reader, writer)
                    return
                writer.write(behave)
                await writer.drain()

    async def connected(reader: Reader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            await talk(reader, writer)
        finally:
            running.discard(task)
            writer.close()

    server = await asyncio.start_server(connected, host, port, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def hang(_reader: Reader, _writer: Writer) -> None:
    """Says nothing."""
    await asyncio.sleep(60)


async def reset(_reader: Reader, writer: Writer) -> None:
    """Hangs up rudely."""
    writer.transport.abort()


async def slam(_reader: Reader, writer: Writer) -> None:
    """Hangs up as a process does that is killed: the connection is reset."""
    at_once = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    writer.transport.abort()


async def close(_reader: Reader, writer: Writer) -> None:
    """Hangs up politely, without a word."""
    writer.close()


def endless(head: bytes, chunk: bytes) -> Behaviour:
    """Says `head`, then `chunk` for ever."""

    async def behave(_reader: Reader, writer: Writer) -> None:
        writer.write(head)
        while True:
            writer.write(chunk)
            await writer.drain()

    return behave


def says(text: bytes, then: Behaviour = close) -> Behaviour:
    """Says one thing, then does another."""

    async def behave(reader: Reader, writer: Writer) -> None:
        writer.write(text)
        await writer.drain()
        await then(reader, writer)

    return behave


def server_tls(folder: Path, name: str, ends_in: timedelta = timedelta(days=1)) -> ssl.SSLContext:
    """A TLS server with a certificate for `name` that nobody vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + ends_in)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    pem.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context
