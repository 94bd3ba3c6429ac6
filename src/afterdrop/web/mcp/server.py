"""Serves the tools through the official MCP SDK. Imported with the first request, because the SDK takes a second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, cast
from urllib.parse import unquote

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from afterdrop import __version__
from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.web.context import WebContext
from afterdrop.web.mcp import INSTRUCTIONS
from afterdrop.web.mcp.prompts import PROMPTS
from afterdrop.web.mcp.response_paging import json_text
from afterdrop.web.mcp.tool import Tool
from afterdrop.web.mcp.tools import TOOLS, answer_call, read_report
from afterdrop.web.problems import as_problem
from afterdrop.web.strict_input import BODY_LIMIT

REPORTS: Final = "afterdrop://reports/"
KEY_OWNER: Final = "afterdrop.key_owner"
Context = ServerRequestContext[Any, Any]


def make_server(web: WebContext) -> Server[Any]:
    """The MCP server of a service. Requests must carry the owner of their key in the scope, under KEY_OWNER."""
    tools = [_described(tool) for tool in TOOLS.values()]
    schemas = {tool.name: tool.input_schema for tool in tools}

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(call: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name[:60]!a}.")
        owner: KeyOwner = cast("Request", call.request).scope[KEY_OWNER]
        body, failed = await answer_call(web, owner, tool, params.arguments or {})
        text = TextContent(type="text", text=json_text(body))
        return CallToolResult(content=[text], structured_content=body, is_error=failed)

    return Server(
        "afterdrop",
        version=__version__,
        title=web.settings.site_name,
        instructions=INSTRUCTIONS,
        website_url=web.settings.site_url,
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_no_resources,
        on_list_resource_templates=_resource_templates,
        on_read_resource=_reading(web),
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )


def _reading(
    web: WebContext,
) -> Callable[[Context, ReadResourceRequestParams], Awaitable[ReadResourceResult]]:
    async def read_resource(call: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        if not uri.startswith(REPORTS):
            raise MCPError(INVALID_PARAMS, "There is no such resource.")
        owner: KeyOwner = cast("Request", call.request).scope[KEY_OWNER]
        try:
            found = await read_report(web, owner, unquote(uri.removeprefix(REPORTS)))
        except Exception as error:  # noqa: BLE001  # the message's edge: every failure becomes its answer
            problem = as_problem(error)
            raise MCPError(INVALID_PARAMS, f"{problem.code}: {problem.message}") from None
        text = TextResourceContents(uri=uri, mime_type="application/json", text=json_text(found))
        return ReadResourceResult(contents=[text])

    return read_resource


async def _no_resources(_: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
    return ListResourcesResult(resources=[])


async def _resource_templates(_: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    report = ResourceTemplate(
        name="report",
        title="Report of a domain",
        uri_template=REPORTS + "{domain}",
        description="The whole report of a listed domain, as the account sees it. Counts as one request.",
        mime_type="application/json",
    )
    return ListResourceTemplatesResult(resource_templates=[report])


async def _list_prompts(_: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=name,
                title=each.title,
                description=each.description,
                arguments=[
                    PromptArgument(name=blank, description=text, required=True)
                    for blank, text in each.arguments.items()
                ],
            )
            for name, each in PROMPTS.items()
        ]
    )


async def _get_prompt(_: Context, params: GetPromptRequestParams) -> GetPromptResult:
    asked = PROMPTS.get(params.name)
    if asked is None:
        raise MCPError(INVALID_PARAMS, f"There is no prompt {params.name[:60]!a}.")
    try:
        text = asked.filled(params.arguments or {})
    except ValueError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from None
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=asked.description, messages=[message])


def _described(tool: Tool) -> ListedTool:
    reads = tool.reads
    schema = tool.arguments.model_json_schema()
    schema.pop("description", None)
    schema.pop("title", None)
    members = schema.get("properties", {})
    schema["properties"] = {
        name: _plain(member) for name, member in members.items() if "readOnly" not in member
    }
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema,
        annotations=ToolAnnotations(
            read_only_hint=reads,
            # A credit spent does not come back: clients that ask a person before such calls should ask.
            destructive_hint=None if reads else tool.kind in ("delete", "spend"),
            idempotent_hint=None if reads else tool.kind in ("change", "delete"),
            open_world_hint=tool.kind == "lookup",
        ),
    )


def _plain(member: Any) -> Any:
    """A member without what an assistant pays for and cannot use: its title, and patterns, which the server checks."""
    if isinstance(member, dict):
        return {key: _plain(value) for key, value in member.items() if key not in ("title", "pattern")}
    return [_plain(item) for item in member] if isinstance(member, list) else member


async def serve(server: Server[Any], scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one HTTP request. Nothing is kept between requests, so the transport lives as long as one."""
    manager = StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        # Host and Origin were checked before, against the site's own address.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=BODY_LIMIT,
    )
    async with manager.run():
        await manager.asgi_app(scope, receive, send)
