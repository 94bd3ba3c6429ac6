"""The official MCP client, in process over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from mcp_types.version import LATEST_MODERN_VERSION

from tests.support.service import SITE, Service


@asynccontextmanager
async def client_of(
    service: Service, key: str, *, mode: str = LATEST_MODERN_VERSION
) -> AsyncIterator[Client]:
    """The official client, in process over HTTP."""
    transport = httpx2.ASGITransport(app=service.app)
    async with (
        httpx2.AsyncClient(transport=transport, headers={"Authorization": f"Bearer {key}"}) as http,
        Client(streamable_http_client(f"{SITE}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def call(service: Service, tool: str, who: str = "pro", **arguments: Any) -> CallToolResult:
    """One call of a tool as `who`."""
    async with client_of(service, service.keys[who]) as client:
        return await client.call_tool(tool, arguments)
