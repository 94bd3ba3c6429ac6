"""The endpoint `/mcp`: authentication, origins, malformed messages, and what the protocol answers."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from afterdrop.accounts import members
from afterdrop.web.mcp import endpoint, server
from afterdrop.web.mcp.tools import TOOLS
from tests.integration.mcp.conftest import body_of, call, client_of, told
from tests.support import ON_SQLITE
from tests.support.service import SITE, Service, code

# The endpoint is the same on either database; the tools' tests run on both.
pytestmark = ON_SQLITE
MCP = f"{SITE}/mcp"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


async def post(service: Service, who: str = "pro", body: Any = LIST, **headers: str) -> httpx2.Response:
    """One raw request."""
    raw = {"content": body} if isinstance(body, bytes) else {"json": body}
    sent = {**ACCEPT, "Content-Type": "application/json", **headers}
    return await service.ask("POST", MCP, who, headers=sent, **raw)


async def test_the_key(service: Service) -> None:
    for headers in (
        {},
        {"Authorization": "Bearer ad_live_nonsense"},
        {"Authorization": f"Basic {service.keys['pro']}"},
        {"Authorization": f"Bearer {service.keys['pro'][:-1]}"},
    ):
        answer = await post(service, "", **headers)
        assert code(answer) == (401, "unauthenticated")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert set(answer.json()["error"]) == {"code", "message", "docs", "request_id"}
        assert "X-RateLimit-Limit" not in answer.headers
    assert (await post(service)).status_code == 200


async def test_only_post(service: Service) -> None:
    for method in ("GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"):
        answer = await service.ask(method, MCP, "")
        assert answer.status_code == 405
        assert answer.headers["Allow"] == "POST"
        if method != "HEAD":
            assert answer.json()["error"]["code"] == "method_not_allowed"
    assert (await service.ask("POST", f"{MCP}/", "pro")).status_code == 404


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (SITE, 200),
        ("http://localhost:8000", 200),
        ("http://evil.example", 403),
        ("http://127.0.0.1:8001", 403),
        ("https://127.0.0.1:8000", 403),
        ("http://127.0.0.1:8000.evil.example", 403),
        ("http://127.0.0.1:port", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_the_origin(service: Service, origin: str, status: int) -> None:
    answer = await post(service, Origin=origin)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["error"]["fields"] == {"Origin": ["is not this service's origin"]}
        assert "Access-Control-Allow-Origin" not in answer.headers


async def test_the_host(service: Service) -> None:
    assert (await post(service, Host="rebound.example")).status_code == 400
    assert (await post(service, Host="localhost:8000")).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","id":2}',
        b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1,"method":7}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whois","arguments":{"domain":"\\ud800"}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
        b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 70_000 + b'"}',
    ],
)
async def test_malformed_messages(service: Service, body: bytes) -> None:
    answer = await post(service, body=body)
    assert code(answer) == (422, "validation_failed")
    assert "input_value" not in answer.text
    assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == ("120", "120")


async def test_a_wrong_content_type(service: Service) -> None:
    answer = await post(service, body=json.dumps(LIST).encode(), **{"Content-Type": "text/plain"})
    assert code(answer) == (422, "validation_failed")
    assert answer.headers["X-RateLimit-Remaining"] == "120"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_old_and_new_clients(service: Service, mode: str) -> None:
    async with client_of(service, service.keys["pro"], mode=mode) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == list(TOOLS)
        assert body_of(await client.call_tool("get_me"))["data"]["plan"] == "pro"
        with pytest.raises(MCPError, match="There is no tool 'create_webhook'"):
            await client.call_tool("create_webhook")


async def test_the_instructions_warn(service: Service) -> None:
    async with client_of(service, service.keys["pro"], mode="legacy") as client:
        assert client.instructions and "untrusted_text" in client.instructions
        assert client.server_info is not None and client.server_info.name == "afterdrop"
        # In process, a client that leaves cancels what the service is doing: let the handshake come to its end.
        await client.list_tools()


async def test_every_response_tells_the_remaining_requests(service: Service) -> None:
    for left in ("120", "120"):
        answer = await post(service)
        assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == ("120", left)
        assert answer.headers["Cache-Control"] == "no-store"
    message = {**LIST, "method": "tools/call", "params": {"name": "get_stats", "arguments": {}}}
    assert (await post(service, body=message)).headers["X-RateLimit-Remaining"] == "119"


async def test_nothing_is_kept_between_requests(service: Service) -> None:
    first = await post(service)
    assert "mcp-session-id" not in first.headers
    assert (await post(service, **{"Mcp-Session-Id": "anything"})).status_code == 200


async def test_the_openapi_document_does_not_name_it(service: Service) -> None:
    answer = await service.get("/openapi.json", "")
    assert answer.status_code == 200
    assert not [path for path in answer.json()["paths"] if "mcp" in path]
    assert code(await service.get("/mcp")) == (404, "not_found")


async def test_no_tool_makes_webhooks_or_keys(service: Service) -> None:
    async with client_of(service, service.keys["pro"]) as client:
        tools = (await client.list_tools()).tools
    assert not [tool.name for tool in tools if "webhook" in tool.name or "key" in tool.name]
    for tool in tools:
        assert tool.description and tool.title and tool.annotations
        assert tool.input_schema["additionalProperties"] is False
        reads = TOOLS[tool.name].kind in ("read", "lookup")
        assert tool.annotations.read_only_hint is reads
        assert all(member["description"] for member in tool.input_schema.get("properties", {}).values()), (
            tool.name
        )


async def test_an_unverified_account(service: Service) -> None:
    result = await call(service, "get_me", "unverified")
    assert body_of(result)["error"]["code"] == "email_unverified"


async def test_a_revoked_key(service: Service) -> None:
    await told(service, "get_stats")
    async with service.database.write() as conn:
        for key in await members.list_keys(conn, service.accounts["pro"].id):
            await members.revoke_key(conn, service.accounts["pro"].id, key["id"])
    assert code(await post(service)) == (401, "unauthenticated")


async def test_the_list_of_tools_is_made_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await post(service)
    served: list[str] = []
    real = server.serve

    async def counted(*args: Any) -> None:
        served.append("made")
        await real(*args)

    monkeypatch.setattr(server, "serve", counted)
    for number in (2, "b\u00e9", 2**60):
        again = await post(service, "free", {**LIST, "id": number})
        assert again.json() == {**first.json(), "id": number}
        assert again.headers["content-type"] == first.headers["content-type"]
        assert again.headers["x-ratelimit-remaining"] == "30"
    assert served == []
    assert (await post(service, body={**LIST, "params": {"cursor": 5}})).json().keys() == {
        "jsonrpc",
        "id",
        "error",
    }
    old = await post(service, **{"MCP-Protocol-Version": "2025-06-18"})
    assert old.json()["result"]["tools"]
    assert len(served) == 2


async def test_lists_made_for_ever_new_requests_count(service: Service) -> None:
    """Otherwise a caller could have them made without end."""
    left = []
    for number in range(endpoint._MOST_LISTS + 3):
        answer = await post(service, body={**LIST, "params": {"_meta": {"x": number}}})
        left.append(answer.headers["X-RateLimit-Remaining"])
    assert left[-4:] == ["120", "119", "118", "117"]
    assert set(left[:-3]) == {"120"}
    assert (await post(service, body={**LIST, "params": {"_meta": {"x": number}}})).headers[
        "X-RateLimit-Remaining"
    ] == "117"
