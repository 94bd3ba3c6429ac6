"""Strangers' hosts of a test's own: one server that stands for all of them, and our client of live pages before it."""

from __future__ import annotations

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
async def served(handler: Handler) -> AsyncIterator[tuple[str, list[tuple[str, str]]]]:
    """A server that stands for every host: its address, and what it was asked as `(host, path)`."""
    asked: list[tuple[str, str]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append((request.host, request.path_qs))
        return handler(request)

    app = web.Application()
    app.router.add_route("GET", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"127.0.0.1:{runner.addresses[0][1]}", asked
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
) -> AsyncIterator[tuple[LivePages, list[tuple[str, str]]]]:
    """Our client, and what the hosts were asked as `(host, path)`.

    `name.com` and `parked-name.com` exist, or what is in `zone`. `run` stands for the page processes.
    """
    async with AsyncExitStack() as stack:
        relay, asked = await stack.enter_async_context(served(handler))
        address = stack.enter_context(serving(zone or Zone()))
        changed = settings.model_copy(
            update={
                "live": Live(relay=relay, host_seconds=host_seconds),
                "dns": settings.dns.model_copy(update={"resolvers": (address,), "timeout_seconds": 2}),
            }
        )
        yield await stack.enter_async_context(open_live_pages(changed, database, clock.epoch, run)), asked
