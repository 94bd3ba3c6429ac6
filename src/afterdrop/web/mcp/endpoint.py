"""`/mcp`: who may come in. Behind it the SDK speaks the protocol."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from afterdrop.accounts.account import Account
from afterdrop.accounts.rate_limits import RateLimiter
from afterdrop.web.environment import Environment
from afterdrop.web.problems import Problem, as_problem, problem_response, unauthenticated
from afterdrop.web.request_guards import is_loopback
from afterdrop.web.strict_input import read_body

if TYPE_CHECKING:
    from types import ModuleType

    from mcp.server.lowlevel import Server


def add_mcp(app: FastAPI, environment: Environment) -> None:
    """Open `/mcp`. It is no part of the API's description."""
    app.router.routes.append(Route("/mcp", McpEndpoint(environment), include_in_schema=False))


class Envelope(BaseModel):
    """A JSON-RPC message as far as the SDK's own reading would answer a stranger one with a page of details."""

    model_config = ConfigDict(frozen=True)

    jsonrpc: Literal["2.0"]
    method: Annotated[str, Field(strict=True, max_length=200)]
    id: Annotated[int, Field(strict=True)] | Annotated[str, Field(strict=True, max_length=200)] | None = None
    params: dict[str, Any] | None = None


class McpEndpoint:
    """POST only (nothing is streamed or kept), from our own origin or from no browser at all, with a key.

    Tool calls count as requests; what a client asks to get to know the service does not.
    """

    def __init__(self, environment: Environment) -> None:
        self._env = environment
        self._own = _origin(environment.settings.site_url)
        self._server: tuple[ModuleType, Server[Any]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in and answer, or refuse in the API's error shape."""
        heard: deque[Message] = deque()

        async def hearing() -> Message:
            heard.append(await receive())
            return heard[-1]

        async def again() -> Message:
            return heard.popleft() if heard else await receive()

        try:
            account = await self._visitor(scope)
            meter = await self._env.usage.limiter(account.id, self._env.now())
        except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes its answer
            await problem_response(as_problem(error), self._env.settings)(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count(MutableHeaders(scope=message), account, meter)
            await send(message)

        try:
            await read_body(Request(scope, hearing), Envelope)
            module, server = self._server or await self._opened()
        except Exception as error:  # noqa: BLE001  # the same edge, with an account whose rates are told
            await problem_response(as_problem(error), self._env.settings)(scope, receive, counted)
            return
        scope[module.ACCOUNT] = account
        await module.serve(server, scope, again, counted)

    def _count(self, headers: MutableHeaders, account: Account, meter: RateLimiter) -> None:
        """Say in an answer's headers how many requests of this minute are left."""
        now = self._env.now()
        limit = self._env.settings.plan(account.plan(now)).requests_per_minute
        meter.roll(int(now.timestamp()))
        headers["Cache-Control"] = "no-store"
        headers["X-RateLimit-Limit"] = str(limit)
        headers["X-RateLimit-Remaining"] = str(max(limit - meter.minute.used, 0))

    async def _visitor(self, scope: Scope) -> Account:
        """Whose key the request carries. Raises Problem."""
        headers = Headers(scope=scope)
        if scope["method"] != "POST":
            text = f"This path does not accept {scope['method']}."
            raise Problem("method_not_allowed", text, headers={"Allow": "POST"})
        if any(_origin(origin) != self._own for origin in headers.getlist("origin")):
            told = {"Origin": ["is not this service's origin"]}
            raise Problem(
                "validation_failed", "Web pages of other sites may not call this.", status=403, fields=told
            )
        scheme, _, key = headers.get("authorization", "").partition(" ")
        holder = await self._env.keys.owner(key.strip()) if scheme.lower() == "bearer" else None
        if holder is None:
            raise unauthenticated()
        self._env.usage.key_used(holder.key_id)
        return holder.account

    async def _opened(self) -> tuple[ModuleType, Server[Any]]:
        module = await asyncio.to_thread(_sdk)
        self._server = self._server or (module, module.make_server(self._env))
        return self._server


def _sdk() -> ModuleType:
    from afterdrop.web.mcp import server  # noqa: PLC0415  # a second and 16 MB, for services agents use

    return server


def _origin(text: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; loopback names are one host. None for what is no origin of a web page."""
    try:
        parts = urlsplit(text)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or parts.scheme not in ("http", "https"):
        return None
    return parts.scheme, "localhost" if is_loopback(parts.hostname) else parts.hostname, port
