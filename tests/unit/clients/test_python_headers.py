"""The Python client beside answers of others: headers that are no numbers, proxies' pages and status codes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest

SOURCE = Path(__file__).resolve().parents[3] / "clients" / "python" / "src"
NO_NUMBERS = ["", "\u00b2", "1\u00b9", "\u2460", "\u0661", "x", "-1"]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(SOURCE)
    return import_module("afterdrop_client")


@pytest.mark.parametrize("moment", [*NO_NUMBERS, "9" * 5000])
def test_a_signature_without_a_time_is_invalid(client: Any, moment: str) -> None:
    with pytest.raises(client.InvalidSignature, match="has no time"):
        client.read_event("whsec_x", f"t={moment},v1=a", b"{}")


@pytest.mark.parametrize("given", ["\u00e4", "\udc80", ""])
def test_a_signature_of_other_letters_is_invalid(client: Any, given: str) -> None:
    with pytest.raises(client.InvalidSignature, match="not of this body"):
        client.read_event("whsec_x", f"t=1,v1={given}", b"{}")


@pytest.mark.parametrize("told", NO_NUMBERS)
def test_a_wait_that_is_no_number_is_not_told(client: Any, told: str) -> None:
    asks = import_module("afterdrop_client.asks")
    assert asks.seconds(told) is None
    assert asks.wait_before(2, 429, told, 60) == 2.0
    assert asks.wait_before(2, 429, "7", 60) == 7.0
    assert asks.wait_before(2, 429, "9" * 5000, 60) is None


@pytest.mark.parametrize("status", [502, 520, 522, 524])
def test_a_proxy_that_did_not_reach_the_service_is_asked_again(client: Any, status: int) -> None:
    answers = [httpx.Response(status, text="<h1>Error</h1>"), httpx.Response(200, json={"data": {"id": 1}})]
    http = httpx.Client(transport=httpx.MockTransport(lambda request: answers.pop(0)))
    asked = client.Afterdrop("http://a.example/api/v1", "k", http=http, pause=lambda seconds: None)
    assert asked(client.operations.me()) == {"id": 1}


@pytest.mark.parametrize(
    ("status", "body", "code", "said"),
    [
        (403, b"<h1>Forbidden</h1>", "server_error", "<h1>Forbidden</h1>"),
        (403, b'{"error": "forbidden"}', "server_error", '{"error": "forbidden"}'),
        (403, b'["no"]', "server_error", '["no"]'),
        (403, b"null", "server_error", "null"),
        (403, b"", "server_error", ""),
        (404, b'{"error": {"code": "not_found", "message": "Nothing."}}', "not_found", "Nothing."),
        (200, b"<h1>Sign in to this network</h1>", "server_error", "<h1>Sign in to this network</h1>"),
        (200, b'{"ok": true}', "server_error", '{"ok": true}'),
        (200, b"\xff\xfe", "server_error", "\ufffd\ufffd"),
    ],
)
def test_any_answer_that_is_not_the_services_is_an_api_error(
    client: Any, status: int, body: bytes, code: str, said: str
) -> None:
    http = httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(status, content=body)))
    asked = client.Afterdrop("http://a.example/api/v1", "k", http=http)
    with pytest.raises(client.ApiError) as raised:
        asked(client.operations.me())
    assert (raised.value.status, raised.value.code, raised.value.message) == (status, code, said)
