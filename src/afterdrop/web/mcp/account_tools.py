"""Tools over the account and the service's figures."""

from __future__ import annotations

from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions.account import account_json, service_stats
from afterdrop.web.mcp.response_paging import Position
from afterdrop.web.mcp.tool import NoArguments, Tool, ToolResult, single, tool


@tool("Read the account", "read")
async def get_me(request: ApiRequest, args: NoArguments, position: Position) -> ToolResult:
    """The account this key belongs to: plan, limits, today's requests, check credits, and how many rules, watches and
    webhooks are in use."""
    return single(await account_json(request, request.account))


@tool("Read the service's figures", "read")
async def get_stats(request: ApiRequest, args: NoArguments, position: Position) -> ToolResult:
    """The last scan, and how many domains are on the lists."""
    return single(await service_stats(request))


TOOLS: tuple[Tool, ...] = (get_me, get_stats)
