"""Run the HTTP servers of `serve` and `worker`: the service itself, and the probes on an address of their own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Final, Literal

import uvicorn
from starlette.types import ASGIApp

from afterdrop import __version__
from afterdrop.cli.bootstrap import hang_up
from afterdrop.cli.sockets import admit_no_more, bind_socket
from afterdrop.core.log_lines import figures
from afterdrop.core.settings import Settings
from afterdrop.web.http_protocol import LEAVING, http_protocol
from afterdrop.web.probes import Probes
from afterdrop.web.request_guards import ForwardedVisitors
from afterdrop.worker.observation import Deployment

log = logging.getLogger("afterdrop.server")

# In this time a connection that is being opened is open, and accepted.
_OPENING_SECONDS: Final = 0.1


class _Server(uvicorn.Server):
    """A server that logs when it listens, and stops without losing a request."""

    def __init__(self, config: uvicorn.Config, what: str, drain_seconds: float = 0) -> None:
        super().__init__(config)
        self._what = what
        self._drain_seconds = drain_seconds

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and say why: what is under way is finished first."""
        log.info("%s received: stopping", signal.Signals(sig).name)
        super().handle_exit(sig, frame)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take SIGHUP, too, as uvicorn takes SIGTERM: it is raised again once the server has closed."""
        with super().capture_signals():
            before = {number: signal.signal(number, self.handle_exit) for number in hang_up()}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say where."""
        await super().startup(sockets)
        for each in sockets or ():
            host, port = each.getsockname()[:2]
            address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
            extra = figures(address=address, version=__version__)
            log.info("%s listening on %s (version %s)", self._what, address, __version__, extra=extra)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Go on answering until the balancers know that we leave, accept what knocked before now, then close."""
        self.lifespan.state[LEAVING] = True
        await asyncio.sleep(self._drain_seconds)
        for each in sockets or ():
            admit_no_more(each)
        # In two parts: between them the loop surely looks at the sockets, however long it was busy.
        await asyncio.sleep(_OPENING_SECONDS / 2)
        await asyncio.sleep(_OPENING_SECONDS / 2)
        await super().shutdown(sockets)


class _Inside(_Server):
    """A server beside another one, which alone takes the signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take no signals."""
        yield


def server_config(
    app: ASGIApp, settings: Settings, *, lifespan: Literal["auto", "on", "off"] = "auto", beside: bool = False
) -> uvicorn.Config:
    """The configuration of all our servers; `beside`: one that is beside another and stops at once, without proxies."""
    return uvicorn.Config(
        app if beside else ForwardedVisitors(app, settings.trusted_proxies),
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        # So many connections may be accepted at once beyond the limit; file descriptors are finite.
        backlog=256,
        timeout_keep_alive=settings.server.keep_alive_seconds,
        http=http_protocol(settings),
        ws="none",
        lifespan=lifespan,
        proxy_headers=False,  # ours are read above
        timeout_graceful_shutdown=1 if beside else 8,
    )


async def run_server(
    config: uvicorn.Config, server_socket: socket.socket, stop: asyncio.Event, drain_seconds: float = 0
) -> None:
    """Serve until a signal comes or `stop` is set, then `drain_seconds` longer."""
    server = _Server(config, "afterdrop", drain_seconds)
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
        config = server_config(app, settings, lifespan="off", beside=True)
        server = _Inside(config, "metrics")
        answering = asyncio.create_task(server.serve([server_socket]))
        try:
            yield
        finally:
            server.should_exit = True
            await answering
