"""Between an agent on stdio and a service's `/mcp`: each request is asked of the service and its answer given back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types.version import LATEST_MODERN_VERSION

from afterdrop import __version__
from afterdrop.web.agents.words import INSTRUCTIONS

_ANSWER_SECONDS = 120.0
Answer = TypeVar("Answer")
Context = ServerRequestContext[Any, Any]
# What the service said to a request it refused as a whole (a wrong key, say); the SDK's client does not hand it on.
_refused: ContextVar[list[str]] = ContextVar("refused")


@dataclass(frozen=True, slots=True)
class Service:
    """A running service, asked over HTTP."""

    site: str
    http: httpx2.AsyncClient

    async def ask(self, question: Callable[[Client], Awaitable[Answer]]) -> Answer:
        """The service's answer. Raises MCPError saying why there is none.

        Every question has a client of its own over the shared connections: named by its version, the newest protocol
        needs no handshake, and one lost connection ends one question.
        """
        refused: list[str] = []
        _refused.set(refused)
        transport = streamable_http_client(f"{self.site}/mcp", http_client=self.http)
        try:
            async with Client(transport, mode=LATEST_MODERN_VERSION) as client:
                try:
                    return await question(client)
                except MCPError as error:
                    failure = MCPError(error.code, refused[-1] if refused else error.message)
        except (httpx2.HTTPError, ExceptionGroup) as error:
            failure = MCPError(INTERNAL_ERROR, f"The service at {self.site} does not answer ({_why(error)}).")
        raise failure from None


def _why(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


async def _note_refusal(response: httpx2.Response) -> None:
    if response.status_code >= 400:
        text = (await response.aread()).decode("utf-8", "replace")
        _refused.get([]).append(
            text if '"error"' in text else f"The service answered {response.status_code}."
        )


def make_bridge(service: Service) -> Server[Any]:
    """The server an agent talks to: it has the service's tools and nothing of its own."""

    async def list_tools(_: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        cursor = params.cursor if params else None
        return await service.ask(lambda client: client.list_tools(cursor=cursor))

    async def call_tool(_: Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            return await service.ask(lambda client: client.call_tool(params.name, params.arguments))
        except MCPError as error:
            # Said in the result, a model sees it and can tell the person.
            return CallToolResult(content=[TextContent(type="text", text=error.message)], is_error=True)

    return Server(
        "afterdrop",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def bridge(site: str, key: str) -> None:
    """Serve stdio until it ends."""
    async with httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {key}"},
        timeout=httpx2.Timeout(_ANSWER_SECONDS, connect=10.0),
        event_hooks={"response": [_note_refusal]},
    ) as http:
        server = make_bridge(Service(site, http))
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
