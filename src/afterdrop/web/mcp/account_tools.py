"""Tools over the account and the service's figures."""

from __future__ import annotations

from afterdrop.web import api_account
from afterdrop.web.agents.parts import Place
from afterdrop.web.agents.tool import Found, NoArguments, Tool, body_of, one, tool
from afterdrop.web.deps import Ask


@tool("Read the account", "read")
async def get_me(ask: Ask, args: NoArguments, place: Place) -> Found:
    """The account this key belongs to: plan, limits, requests today, check credits, and what is used of rules,
    watchlist and webhooks."""
    return one(body_of(await api_account.me(ask))["data"])


@tool("Read the service's figures", "read")
async def get_stats(ask: Ask, args: NoArguments, place: Place) -> Found:
    """The last scan, and how many domains are on the lists."""
    return one(body_of(await api_account.service_stats(ask))["data"])


TOOLS: tuple[Tool, ...] = (get_me, get_stats)
