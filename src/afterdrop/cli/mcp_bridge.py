"""Forwards MCP requests from an agent on stdio to a service's `/mcp`, and its answers back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

import httpx2
import orjson
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
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
)
from mcp_types.version import LATEST_MODERN_VERSION

from afterdrop import __version__
from afterdrop.web.mcp import INSTRUCTIONS

_ANSWER_SECONDS = 120.0
Result = TypeVar("Result")
# An error in the API's shape: its code, message and whatever else it says, under `error`.
ErrorBody = dict[str, dict[str, object]]
# The service's error body for a request that it refused as a whole (a wrong key, say), which the SDK's client drops.
_refused: ContextVar[list[ErrorBody]] = ContextVar("refused")


class ServiceRefused(MCPError):
    """The service refused the request or did not answer; `body` is an error in the API's shape."""

    def __init__(self, body: ErrorBody) -> None:
        super().__init__(INTERNAL_ERROR, f"{body['error']['code']}: {body['error']['message']}")
        self.body = body


@dataclass(frozen=True, slots=True)
class RunningService:
    """A running service, called over HTTP."""

    site: str
    http: httpx2.AsyncClient

    async def ask(self, question: Callable[[Client], Awaitable[Result]]) -> Result:
        """The service's answer. Raises MCPError for an error of the protocol, ServiceRefused when there is no answer.

        Each request has its own client over the shared connections: the newest protocol needs no handshake when the
        client names its version, and a lost connection ends one request only.
        """
        refused: list[ErrorBody] = []
        _refused.set(refused)
        transport = streamable_http_client(f"{self.site}/mcp", http_client=self.http)
        try:
            async with Client(transport, mode=LATEST_MODERN_VERSION) as client:
                try:
                    return await question(client)
                except MCPError as error:
                    failure = ServiceRefused(refused[-1]) if refused else error
        except (httpx2.HTTPError, ExceptionGroup) as error:
            message = f"The service at {self.site} is not answering ({_why(error)})."
            failure = ServiceRefused({"error": {"code": "server_error", "message": message}})
        raise failure from None

    async def list_tools(
        self, _: ServerRequestContext, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """The service's tools."""
        cursor = params.cursor if params else None
        return await self.ask(lambda client: client.list_tools(cursor=cursor))

    async def call_tool(self, _: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
        """A tool's result. An error inside the result reaches the model, which can tell the person."""
        try:
            return await self.ask(lambda client: client.call_tool(params.name, params.arguments))
        except ServiceRefused as error:
            text = TextContent(type="text", text=orjson.dumps(error.body).decode())
            return CallToolResult(content=[text], structured_content=error.body, is_error=True)

    async def list_prompts(
        self, _: ServerRequestContext, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        """The service's prompts."""
        return await self.ask(lambda client: client.list_prompts())

    async def get_prompt(self, _: ServerRequestContext, params: GetPromptRequestParams) -> GetPromptResult:
        """One prompt."""
        return await self.ask(lambda client: client.get_prompt(params.name, params.arguments))

    async def list_resources(
        self, _: ServerRequestContext, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """The service's resources."""
        return await self.ask(lambda client: client.list_resources())

    async def list_templates(
        self, _: ServerRequestContext, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """The service's templates of resources."""
        return await self.ask(lambda client: client.list_resource_templates())

    async def read_resource(
        self, _: ServerRequestContext, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """One resource."""
        return await self.ask(lambda client: client.read_resource(str(params.uri)))


def _why(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


async def _note_refusal(response: httpx2.Response) -> None:
    """Keep an error of the service itself; the client handles errors of the protocol."""
    if response.status_code < 400:
        return
    try:
        body = orjson.loads(await response.aread())
        ours = isinstance(body["error"]["code"], str) and isinstance(body["error"]["message"], str)
    except (ValueError, TypeError, KeyError):
        message = f"{response.request.url} answered {response.status_code}: is Afterdrop running there?"
        body, ours = {"error": {"code": "server_error", "message": message}}, True
    if ours:
        _refused.get([]).append(body)


def make_bridge(service: RunningService) -> Server:
    """The server for the agent: it offers the service's tools, prompts and resources, and none of its own."""
    return Server(
        "afterdrop",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_prompts=service.list_prompts,
        on_get_prompt=service.get_prompt,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_templates,
        on_read_resource=service.read_resource,
    )


async def bridge(site: str, key: str) -> None:
    """Serve standard input until it ends."""
    async with httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {key}"},
        timeout=httpx2.Timeout(_ANSWER_SECONDS, connect=10.0),
        event_hooks={"response": [_note_refusal]},
    ) as http:
        server = make_bridge(RunningService(site, http))
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
