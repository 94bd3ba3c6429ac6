"""Tools over the account and the service's figures."""

from __future__ import annotations

from afterdrop.web.api import account
from afterdrop.web.api.request import ApiRequest
from afterdrop.web.mcp.response_paging import Place
from afterdrop.web.mcp.tool import Found, NoArguments, Tool, body_of, one, tool


@tool("Read the account", "read")
async def get_me(ask: ApiRequest, args: NoArguments, place: Place) -> Found:
    """The account this key belongs to: plan, limits, requests today, check credits, and what is used of rules,
    watchlist and webhooks."""
    return one(body_of(await account.me(ask))["data"])


@tool("Read the service's figures", "read")
async def get_stats(ask: ApiRequest, args: NoArguments, place: Place) -> Found:
    """The last scan, and how many domains are on the lists."""
    return one(body_of(await account.service_stats(ask))["data"])


TOOLS: tuple[Tool, ...] = (get_me, get_stats)
