"""Starts and stops the sandbox's servers on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import orjson
from aiohttp import web

from afterdrop.core import clock
from afterdrop.sandbox import (
    archive_server,
    control_server,
    dns_server,
    expected,
    feed_server,
    graph_server,
    registry_server,
    smtp_server,
    vendor_server,
    webhook_receiver,
)
from afterdrop.sandbox.registries import REGISTRIES
from afterdrop.sandbox.sandbox_clock import SandboxClock
from afterdrop.sandbox.state import SandboxState, request_middleware
from afterdrop.sandbox.world import World

_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class RunningSandbox:
    """A sandbox whose servers answer. `origins` maps main, archive and each registry's key to `http://127.0.0.1:PORT`."""

    state: SandboxState

    @property
    def origins(self) -> dict[str, str]:
        """The HTTP servers' addresses by key."""
        return self.state.origins

    @property
    def url(self) -> str:
        """The main server's address: feeds, vendors, bootstrap, rates, web graph, control endpoints."""
        return self.state.origins["main"]

    @property
    def environment(self) -> dict[str, str]:
        """The vendors' keys, by the environment variables that the provider presets read."""
        return dict(vendor_server.KEYS)

    @property
    def world(self) -> World:
        """The world that is served."""
        return self.state.world

    @property
    def clock(self) -> SandboxClock:
        """The clock it answers by; tests set it."""
        return self.state.clock


@asynccontextmanager
async def start(
    seed: int = 1,
    size: int = 250,
    port: int = 0,
    *,
    day: date | None = None,
    data_dir: Path | None = None,
    now: Callable[[], datetime] = clock.now,
) -> AsyncIterator[RunningSandbox]:
    """Serve a world of `size` domains made from `seed` until the context ends.

    `port` 0 takes free ports; otherwise the main server takes `port` and the others the ports after it. `day` is the
    world's day. By default it is today, or the day in `data_dir`'s `truth.json` if that is of the same world.
    """
    world = World(seed, size, day or _kept_day(data_dir, seed, size) or now().date())
    state = SandboxState(world, SandboxClock(now), clock.epoch)
    async with AsyncExitStack() as stack:
        for number, (server, routes) in enumerate(_servers(state)):
            await _serve(stack, state, server, list(routes), port + number if port else 0)
        await _serve_others(stack, state, port + len(state.origins) if port else 0)
        stack.callback(state.closing.set)
        running = RunningSandbox(state)
        if data_dir is not None:
            _write_truth(data_dir, running)
        yield running


def _write_truth(data_dir: Path, running: RunningSandbox) -> None:
    data_dir.mkdir(parents=True, exist_ok=True)
    content = orjson.dumps(expected.expected_document(running.world, running.url), option=orjson.OPT_INDENT_2)
    (data_dir / "truth.json").write_bytes(content)


def _servers(state: SandboxState) -> Iterable[tuple[str, Iterable[web.RouteDef]]]:
    main = (feed_server, vendor_server, graph_server, control_server, webhook_receiver)
    yield "main", [route for server in main for route in server.routes(state)]
    yield "archive", archive_server.routes(state)
    for registry in REGISTRIES:
        yield registry.key, registry_server.routes(state, registry)


async def _serve(
    stack: AsyncExitStack, state: SandboxState, server: str, routes: list[web.RouteDef], port: int
) -> None:
    app = web.Application(middlewares=[request_middleware(state, server)], client_max_size=16 * 1024**2)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2, handle_signals=False)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    site = web.TCPSite(runner, _HOST, port)
    await site.start()
    bound = runner.addresses[0][1]
    state.origins[server] = f"http://{_HOST}:{bound}"


async def _serve_others(stack: AsyncExitStack, state: SandboxState, port: int) -> None:
    datagram, stream = await dns_server.serve(state, _HOST, port)
    stack.callback(datagram.close)
    stack.callback(stream.close)
    mail = await smtp_server.serve(state, _HOST, port + 1 if port else 0)
    stack.callback(mail.close)
    state.smtp = (_HOST, mail.sockets[0].getsockname()[1])


def _kept_day(data_dir: Path | None, seed: int, size: int) -> date | None:
    """The day of the same world if it was started with this folder before: it continues instead of beginning anew."""
    if data_dir is None or not (data_dir / "truth.json").exists():
        return None
    kept = orjson.loads((data_dir / "truth.json").read_bytes())
    return date.fromisoformat(kept["day"]) if (kept["seed"], kept["size"]) == (seed, size) else None
