"""The endpoint `/mcp`: authentication and bounds. Behind it the SDK speaks the protocol."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import orjson
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from afterdrop.accounts.account import Account
from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.accounts.rate_limits import RateLimiter
from afterdrop.web.account_request import admit_owner, authenticate
from afterdrop.web.context import WebContext
from afterdrop.web.problems import Problem, as_problem, problem_response
from afterdrop.web.request_guards import origin_of
from afterdrop.web.strict_input import read_body

if TYPE_CHECKING:
    from types import ModuleType

    from mcp.server.lowlevel import Server


# Kinds of requests for the list of tools, of some 75 kB each.
_MOST_LISTS: Final = 32


def add_mcp(app: FastAPI, context: WebContext) -> None:
    """Add the route `/mcp`. It is no part of the OpenAPI document."""
    app.router.routes.append(Route("/mcp", McpEndpoint(context), include_in_schema=False))


class JsonRpcMessage(BaseModel):
    """A JSON-RPC message, checked here because the SDK would answer a bad one with a page of internal details."""

    model_config = ConfigDict(frozen=True)

    jsonrpc: Literal["2.0"]
    method: Annotated[str, Field(strict=True, max_length=200)]
    id: Annotated[int, Field(strict=True)] | Annotated[str, Field(strict=True, max_length=200)] | None = None
    params: dict[str, Any] | None = None


class McpEndpoint:
    """Takes POST only (nothing is streamed or kept), with an API key, from our own origin or from no browser.

    Tool calls count as requests. The messages with which a client learns what the service offers do not; the largest
    of them, the list of tools, is kept ready-made, and counts where it has to be made for one more kind of request.
    """

    def __init__(self, context: WebContext) -> None:
        self._context = context
        self._own = origin_of(context.settings.site_url)
        self._server: tuple[ModuleType, Server[Any]] | None = None
        # The rest of an answer after its id, by all of a request that it can depend on.
        self._lists: dict[bytes, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message, or refuse it in the API's error shape."""
        received: deque[Message] = deque()

        async def record() -> Message:
            received.append(await receive())
            return received[-1]

        async def replay() -> Message:
            return received.popleft() if received else await receive()

        try:
            owner = await self._owner(scope)
            account = owner.account
            meter = await self._context.rate_limits.limiter(account.id, self._context.now())
        except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes a response
            await problem_response(as_problem(error), self._context.settings)(scope, receive, send)
            return

        async def send_with_rate(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_rate(MutableHeaders(scope=message), account, meter)
            await send(message)

        try:
            message = await read_body(Request(scope, record), JsonRpcMessage)
            module, server = self._server or await self._load()
        except Exception as error:  # noqa: BLE001  # the same edge; here the account and its rate are known
            await problem_response(as_problem(error), self._context.settings)(scope, receive, send_with_rate)
            return
        scope[module.KEY_OWNER] = owner
        if message.method == "tools/list" and message.id is not None:
            await self._list_tools(message, owner, scope, replay, send_with_rate)
        else:
            await module.serve(server, scope, replay, send_with_rate)

    async def _list_tools(
        self, message: JsonRpcMessage, owner: KeyOwner, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer `tools/list`; answers to messages of one kind differ by the id alone."""
        head = b'{"jsonrpc":"2.0","id":%b,' % orjson.dumps(message.id)
        kind = _kind(Headers(scope=scope), message)
        ready = self._lists.pop(kind, None)
        if ready is not None:
            self._lists[kind] = ready
            await Response(head + ready, media_type="application/json")(scope, receive, send)
            return
        if len(self._lists) >= _MOST_LISTS:
            admission = await admit_owner(self._context, owner)
            if admission.refusal:
                refused = problem_response(admission.refusal, self._context.settings)
                await refused(scope, receive, send)
                return
        status, body = 0, b""

        async def keep(part: Message) -> None:
            nonlocal status, body
            status = part.get("status", status)
            body += part.get("body", b"")
            await send(part)

        module, server = self._server or await self._load()
        await module.serve(server, scope, receive, keep)
        if status == 200 and body.startswith(head + b'"result":'):
            self._lists[kind] = body.removeprefix(head)
            if len(self._lists) > _MOST_LISTS:
                del self._lists[next(iter(self._lists))]

    def _add_rate(self, headers: MutableHeaders, account: Account, meter: RateLimiter) -> None:
        """Tell in a response's headers how many requests of this minute are left."""
        now = self._context.now()
        limit = self._context.settings.plan(account.plan(now)).requests_per_minute
        meter.roll(int(now.timestamp()))
        headers["Cache-Control"] = "no-store"
        headers["X-RateLimit-Limit"] = str(limit)
        headers["X-RateLimit-Remaining"] = str(max(limit - meter.minute.used, 0))

    async def _owner(self, scope: Scope) -> KeyOwner:
        """The owner of the key that the request carries. Raises Problem."""
        headers = Headers(scope=scope)
        if scope["method"] != "POST":
            text = f"This path does not accept {scope['method']}."
            raise Problem("method_not_allowed", text, headers={"Allow": "POST"})
        if any(origin_of(origin) != self._own for origin in headers.getlist("origin")):
            raise Problem(
                "validation_failed",
                "Web pages of other sites may not call this.",
                status=403,
                fields={"Origin": ["is not this service's origin"]},
            )
        return await authenticate(self._context, headers.get("authorization"))

    async def _load(self) -> tuple[ModuleType, Server[Any]]:
        module = await asyncio.to_thread(_import_server)
        self._server = self._server or (module, module.make_server(self._context))
        return self._server


def _kind(headers: Headers, message: JsonRpcMessage) -> bytes:
    """The inputs of the answer to a message besides its id: the protocol's headers and the parameters."""
    own = [(name, value) for name, value in headers.items() if name == "accept" or name.startswith("mcp-")]
    told = orjson.dumps([sorted(own), message.params], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(told).digest()


def _import_server() -> ModuleType:
    from afterdrop.web.mcp import server  # noqa: PLC0415  # a second and 16 MB, only where agents use the service

    return server
