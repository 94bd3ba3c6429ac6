"""Strangers' hosts of a test's own: one server that stands for all of them, and our client of live pages before it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Live
from afterdrop.db.engine import Database
from afterdrop.sources.live.pages import LivePages, open_live_pages
from tests.support.nameserver import Zone, serving

Handler = Callable[[web.Request], web.StreamResponse]
Run = Callable[..., Awaitable[Any]]


async def here(task: Callable[..., Any], *given: Any) -> Any:
    """Run in this process what a page process would."""
    return task(*given)


@asynccontextmanager
async def _either(plain: int, secure: int) -> AsyncIterator[int]:
    """A port that leads to the port `secure` where a connection begins with a handshake of TLS, else to `plain`."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.read(65_536)
        port = secure if first.startswith(b"\x16") else plain
        answers, questions = await asyncio.open_connection("127.0.0.1", port)
        questions.write(first)
        await asyncio.gather(carry(reader, questions), carry(answers, writer), return_exceptions=True)

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def served(
    handler: Handler, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[str, list[tuple[str, str]]]]:
    """A server that stands for every host: its address, and what it was asked as `(host, path)`.

    It speaks http, and with `tls` https, too, at the same port.
    """
    asked: list[tuple[str, str]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append((request.host, request.path_qs))
        return handler(request)

    app = web.Application()
    app.router.add_route("GET", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    plain = runner.addresses[0][1]
    try:
        if tls is None:
            yield f"127.0.0.1:{plain}", asked
            return
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        async with _either(plain, runner.addresses[-1][1]) as port:
            yield f"127.0.0.1:{port}", asked
    finally:
        await runner.cleanup()


@asynccontextmanager
async def visitor(
    settings: Settings,
    database: Database,
    handler: Handler,
    host_seconds: float = 0,
    zone: Zone | None = None,
    run: Run = here,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[tuple[LivePages, list[tuple[str, str]]]]:
    """Our client, and what the hosts were asked as `(host, path)`.

    `name.com` and `parked-name.com` exist, or what is in `zone`. `run` stands for the page processes. With `tls` the
    hosts have https as well.
    """
    async with AsyncExitStack() as stack:
        relay, asked = await stack.enter_async_context(served(handler, tls))
        address = stack.enter_context(serving(zone or Zone()))
        changed = settings.model_copy(
            update={
                "live": Live(relay=relay, host_seconds=host_seconds),
                "dns": settings.dns.model_copy(update={"resolvers": (address,), "timeout_seconds": 2}),
            }
        )
        yield await stack.enter_async_context(open_live_pages(changed, database, clock.epoch, run)), asked
