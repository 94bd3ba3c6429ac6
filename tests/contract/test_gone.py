"""The key of an account deleted a moment ago, which this process still remembers, gets 401 and never 500."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.accounts import store, versions
from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.web.mcp.tools import TOOLS, answer_call
from tests.support.service import Service, code, row

WRITES: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("PUT", "/watchlist/a.com", None),
    ("DELETE", "/watchlist/a.com", None),
    ("POST", "/alerts", {"name": "late"}),
    ("PATCH", "/alerts/1", {"name": "late"}),
    ("DELETE", "/alerts/1", None),
    ("POST", "/checks", {"domain": "a.com"}),
    ("POST", "/webhooks", {"url": "https://hooks.example.org/"}),
    ("PATCH", "/webhooks/1", {"active": True}),
    ("POST", "/webhooks/1/test", None),
    ("DELETE", "/webhooks/1", None),
)


async def test_a_07_writes_of_an_account_just_deleted_are_unauthenticated(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(row("a.com"))
    assert (await service.get("/me")).status_code == 200
    monkeypatch.setattr(versions, "FRESH_SECONDS", 1e9)
    async with service.database.write() as conn:
        await store.delete_account(conn, service.accounts["pro"].id)
    assert (await service.get("/domains")).status_code == 200, "still remembered, or this test shows nothing"
    refused = []
    for method, path, body in WRITES:
        more: dict[str, Any] = {"json": body} if body else {}
        answer = await service.ask(method, path, **more)
        if answer.status_code == 401:
            refused.append((method, path))
            assert code(answer) == (401, "unauthenticated")
            assert "X-RateLimit-Limit" not in answer.headers
        else:
            assert answer.status_code in (204, 404), (method, path, answer.text)
    assert refused == [
        ("PUT", "/watchlist/a.com"),
        ("POST", "/alerts"),
        ("POST", "/checks"),
        ("POST", "/webhooks"),
    ]
    for tool, arguments in (("watch_domain", {"domain": "a.com"}), ("create_rule", {"name": "late"})):
        owner = KeyOwner(1, "full", service.accounts["pro"])
        body, fault = await answer_call(service.context, owner, TOOLS[tool], arguments)
        assert (fault, body["error"]["code"]) == (True, "unauthenticated")
    for path in ("/me", "/watchlist", "/alerts", "/alerts/matches", "/checks", "/webhooks"):
        assert (await service.get(path)).status_code == 200
