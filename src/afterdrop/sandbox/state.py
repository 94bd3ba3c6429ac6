"""The state that all servers of a running sandbox share: world, clock, faults, log, received mails and webhooks."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from afterdrop.sandbox.fault_rules import FaultRule, FaultRules
from afterdrop.sandbox.sandbox_clock import SandboxClock
from afterdrop.sandbox.world import World

_LOG_ROWS = 200_000
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class SandboxState:
    """One running sandbox. `origins` maps a server's key to `http://127.0.0.1:PORT`."""

    world: World
    clock: SandboxClock
    epoch: Callable[[], float]
    faults: FaultRules = field(default_factory=FaultRules)
    origins: dict[str, str] = field(default_factory=dict)
    log: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_LOG_ROWS))
    mails: list[dict[str, Any]] = field(default_factory=list)
    hooks: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    dns: tuple[str, int] = ("127.0.0.1", 0)
    smtp: tuple[str, int] = ("127.0.0.1", 0)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, server: str, host: str, method: str, path: str, status: int, agent: str) -> None:
        """Log one request; `at` is in epoch milliseconds of the real clock."""
        self.log.append({
            "at": round(self.epoch() * 1000), "server": server, "host": host, "method": method, "path": path,
            "status": status, "agent": agent,
        })  # fmt: skip

    async def pause(self, seconds: float) -> None:
        """Wait, but stop waiting when the sandbox closes."""
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return


def json_answer(value: Any, status: int = 200, content_type: str = "application/json") -> web.Response:
    """A JSON response."""
    return web.Response(body=orjson.dumps(value), status=status, content_type=content_type)


def request_middleware(sandbox: SandboxState, server: str) -> Any:
    """Middleware that logs every request of `server` and applies the fault rules, except below `/_sandbox/`."""

    @web.middleware
    async def watch(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith("/_sandbox/"):
            return await handler(request)
        status = 0
        try:
            rule = sandbox.faults.strike(server, request.path_qs)
            response = await (_faulty(sandbox, rule, request, handler) if rule else handler(request))
            status = response.status
            return response
        except web.HTTPException as error:
            status = error.status
            raise
        finally:
            agent = request.headers.get("User-Agent", "")
            sandbox.note(server, request.host, request.method, request.path_qs, status, agent)

    return watch


async def _faulty(
    sandbox: SandboxState, rule: FaultRule, request: web.Request, handler: Handler
) -> web.StreamResponse:
    if rule.kind in ("timeout", "slow"):
        await sandbox.pause(rule.seconds)
    if rule.kind == "slow":
        return await handler(request)
    if rule.kind in ("timeout", "reset"):
        return _hung_up(request)
    if rule.kind == "cut":
        return await _cut(request, await handler(request))
    if rule.kind == "429":
        headers = {"Retry-After": rule.retry_after} if rule.retry_after is not None else {}
        return web.Response(status=429, text="Too Many Requests", headers=headers)
    if rule.kind == "wrong_json":
        return web.Response(body=b'{"unexpected": ["cut sh', content_type="application/json")
    if rule.kind == "html":
        return web.Response(
            text="<html><body>Please enable JavaScript</body></html>", content_type="text/html"
        )
    return web.Response(status=rule.status, text="fault on demand")


def _hung_up(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=499)


async def _cut(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Half of the body with a Content-Length for the whole of it; then the connection is closed."""
    body = response.body if isinstance(response, web.Response) and isinstance(response.body, bytes) else b""
    cut = web.StreamResponse(status=response.status)
    cut.content_type = response.content_type
    cut.content_length = len(body) + 2
    await cut.prepare(request)
    await cut.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return cut
