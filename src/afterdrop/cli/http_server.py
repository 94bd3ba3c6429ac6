"""Run the HTTP servers of `serve` and `worker`: the service itself, and the probes on an address of their own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from afterdrop import __version__
from afterdrop.cli.sockets import bind_socket
from afterdrop.core.log_lines import figures
from afterdrop.core.settings import Settings
from afterdrop.web.http_protocol import http_protocol
from afterdrop.web.probes import Probes
from afterdrop.worker.observation import Deployment

log = logging.getLogger("afterdrop.server")


class _Server(uvicorn.Server):
    """A server that logs when it listens."""

    def __init__(self, config: uvicorn.Config, what: str) -> None:
        super().__init__(config)
        self._what = what

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say where."""
        await super().startup(sockets)
        for each in sockets or ():
            host, port = each.getsockname()[:2]
            address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
            extra = figures(address=address, version=__version__)
            log.info("%s listening on %s (version %s)", self._what, address, __version__, extra=extra)


class _Inside(_Server):
    """A server beside another one, which alone takes the signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """Take no signals."""
        yield


def server_config(app: Any, settings: Settings, **more: Any) -> uvicorn.Config:
    """How all our servers are set up."""
    return uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        # So many connections may be accepted at once beyond the limit; file descriptors are finite.
        backlog=256,
        timeout_keep_alive=settings.server.keep_alive_seconds,
        http=http_protocol(settings),
        ws="none",
        **{
            "forwarded_allow_ips": list(settings.trusted_proxies) or None,
            "proxy_headers": bool(settings.trusted_proxies),
            "timeout_graceful_shutdown": 8,
            **more,
        },
    )


async def run_server(config: uvicorn.Config, server_socket: socket.socket, stop: asyncio.Event) -> None:
    """Serve until a signal comes or `stop` is set."""
    server = _Server(config, "afterdrop")
    answering = asyncio.create_task(server.serve([server_socket]))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([answering, stopping], return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    stopping.cancel()
    await answering


@asynccontextmanager
async def probes_served(deployment: Deployment) -> AsyncIterator[None]:
    """Answer the probes on the address of `metrics.listen`, if there is one, while the block runs."""
    settings = deployment.settings
    if not settings.metrics.listen:
        yield
        return
    host, _, port = settings.metrics.listen.rpartition(":")
    with bind_socket(host.strip("[]"), int(port), "metrics.listen") as server_socket:
        app = Probes(None, deployment)
        config = server_config(
            app, settings, lifespan="off", proxy_headers=False, timeout_graceful_shutdown=1
        )
        server = _Inside(config, "metrics")
        answering = asyncio.create_task(server.serve([server_socket]))
        try:
            yield
        finally:
            server.should_exit = True
            await answering
