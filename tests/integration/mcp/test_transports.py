"""The official client against a service on a loopback port, over HTTP and through `afterdrop mcp` on stdio."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from afterdrop.cli.mcp import service_address_and_key
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from tests.integration.mcp.conftest import body_of
from tests.support import ON_SQLITE
from tests.support.ports import free_port
from tests.support.running import Running, running_service

# The transports are the same on either database; the tools' tests run on both.
pytestmark = ON_SQLITE


@pytest.fixture
async def running(settings: Settings, database: Database) -> AsyncIterator[Running]:
    """A service on a port of its own."""
    async with running_service(settings, database) as made:
        yield made


async def story(client: Client) -> None:
    """What an agent might do in a session."""
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"search_domains", "order_check", "whois", "list_matches"} <= names
    found = body_of(await client.call_tool("search_domains", {"sort": "ending"}))
    assert {row["domain"] for row in found["data"]} == {"alpine-hut.org", "locked.org"}
    report = body_of(await client.call_tool("get_report", {"domain": "alpine-hut.org"}))
    assert report["data"]["untrusted_text"]["title"] == "An old site"
    body_of(await client.call_tool("watch_domain", {"domain": "alpine-hut.org"}))
    assert body_of(await client.call_tool("list_watched"))["meta"] == {"total": 1}
    record = body_of(await client.call_tool("whois", {"domain": "alpine-hut.com"}))
    assert record["data"]["state"] == "registered"
    offer = body_of(await client.call_tool("order_check", {"domain": "alpine-hut.com"}))
    assert offer["data"]["cost"] == 1
    error = body_of(await client.call_tool("get_report", {"domain": "none.org"}))["error"]
    assert error["code"] == "not_found"


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_over_http(running: Running, mode: str) -> None:
    headers = {"Authorization": f"Bearer {running.keys['pro']}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{running.url}/mcp", http_client=http), mode=mode) as client,
    ):
        await story(client)


@asynccontextmanager
async def bridged(site: str, key: str, **environ: str) -> AsyncIterator[Client]:
    """The official client on the command's standard input and output."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "afterdrop", "mcp"],
        env={"AFTERDROP_SITE_URL": site, "AFTERDROP_API_KEY": key, **environ},
    )
    async with Client(command) as client:
        yield client


async def test_over_stdio(running: Running) -> None:
    async with bridged(running.url, running.keys["pro"]) as client:
        assert client.instructions and "untrusted_text" in client.instructions
        await story(client)
        with pytest.raises(MCPError, match="There is no tool 'no_such'"):
            await client.call_tool("no_such")
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {"vet_list", "why_below"}
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.name == "report"
        with pytest.raises(MCPError, match="not_found"):
            await client.read_resource("afterdrop://reports/never-listed.org")
    async with bridged(running.url, "ad_live_wrong") as client:
        with pytest.raises(MCPError, match="unauthenticated"):
            await client.list_tools()
        error = body_of(await client.call_tool("get_me"))["error"]
        assert (error["code"], error["docs"]) == (
            "unauthenticated",
            f"{running.url}/docs/errors#unauthenticated",
        )


async def test_a_service_that_is_not_there(database_url: str) -> None:
    site = f"http://127.0.0.1:{free_port()}"
    async with bridged(site, "ad_live_any") as client:
        for _ in range(2):
            error = body_of(await client.call_tool("get_me"))["error"]
            assert error["message"].startswith(f"The service at {site} is not answering (")


async def test_an_address_of_something_else(running: Running) -> None:
    async with bridged(f"{running.url}/api", running.keys["pro"]) as client:
        assert body_of(await client.call_tool("get_me"))["error"]["code"] == "not_found"
    async with bridged(f"{running.url}/elsewhere", running.keys["pro"]) as client:
        with pytest.raises(MCPError, match="answered 404: is Afterdrop running there"):
            await client.list_tools()


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, "AFTERDROP_API_KEY: is missing"),
        ({"AFTERDROP_API_KEY": " "}, "AFTERDROP_API_KEY: is missing"),
        ({"AFTERDROP_API_KEY": "a b"}, "AFTERDROP_API_KEY: is not an API key"),
        ({"AFTERDROP_API_KEY": "a\nb"}, "AFTERDROP_API_KEY: is not an API key"),
        ({"AFTERDROP_API_KEY": "k", "AFTERDROP_SITE_URL": "ftp://a.org"}, "must be http"),
        ({"AFTERDROP_API_KEY": "k", "AFTERDROP_SITE_URL": "https://u:p@a.org"}, "must be http"),
        ({"AFTERDROP_API_KEY": "k", "AFTERDROP_SITE_URL": "http://a.org"}, "must be https"),
    ],
)
async def test_what_it_needs(database_url: str, environ: dict[str, Any], wanted: str) -> None:
    with pytest.raises(SettingsError, match=wanted) as caught:
        service_address_and_key(environ)
    assert "a b" not in str(caught.value)


async def test_where_it_goes(database_url: str) -> None:
    key = {"AFTERDROP_API_KEY": "k"}
    assert service_address_and_key(key) == ("http://127.0.0.1:8000", "k")
    assert service_address_and_key({**key, "AFTERDROP_SITE_URL": "https://a.org/"})[0] == "https://a.org"
    loud = {**key, "AFTERDROP_SITE_URL": "http://a.org", "AFTERDROP_ALLOW_HTTP": "1"}
    assert service_address_and_key(loud)[0] == "http://a.org"
