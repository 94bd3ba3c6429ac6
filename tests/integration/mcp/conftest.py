"""The service of the contract tests, asked by the official MCP client."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import CallToolResult

from tests.support.mcp_client import call, client_of
from tests.support.service import SITE, Service, clock, more_settings, service

__all__ = ["SITE", "Service", "call", "client_of", "clock", "more_settings", "service"]


def body_of(result: CallToolResult) -> dict[str, Any]:
    """A result's JSON, which must be the same in both of its forms; several rows are within bounds."""
    (content,) = result.content
    assert content.type == "text"
    body: dict[str, Any] = json.loads(content.text)
    assert len(content.text) <= 8_000 or not isinstance(body["data"], list) or len(body["data"]) == 1
    assert body == result.structured_content
    assert result.is_error == ("error" in body)
    return body


async def told(service: Service, tool: str, who: str = "pro", **arguments: Any) -> dict[str, Any]:
    """The answer of a tool that must succeed."""
    body = body_of(await call(service, tool, who, **arguments))
    assert "error" not in body, body
    return body


async def refused(service: Service, tool: str, who: str = "pro", **arguments: Any) -> dict[str, Any]:
    """The error of a tool that must fail, in the API's shape."""
    body = body_of(await call(service, tool, who, **arguments))
    assert set(body) == {"error"}, body
    error: dict[str, Any] = body["error"]
    assert error["docs"] == f"{SITE}/docs/errors#{error['code']}"
    return error


async def all_of(service: Service, tool: str, who: str = "pro", **arguments: Any) -> list[dict[str, Any]]:
    """Every answer of a tool up to the last."""
    answers = [await told(service, tool, who, **arguments)]
    while answers[-1]["next_cursor"] is not None:
        assert len(answers) < 100
        arguments["cursor"] = answers[-1]["next_cursor"]
        answers.append(await told(service, tool, who, **arguments))
    return answers
