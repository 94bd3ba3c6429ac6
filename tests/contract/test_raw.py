"""Raw bytes instead of well-formed requests: everything under the base address is answered in JSON."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.web.problems import CODES
from tests.contract.described import described
from tests.contract.routes import every_call
from tests.support.running import Running, running_service


@dataclass
class Wire:
    """A served API, spoken to in bytes."""

    running: Running

    def request(self, line: bytes, *headers: bytes, body: bytes = b"", key: str = "pro") -> bytes:
        """A request with our host and a key."""
        host = self.running.url.removeprefix("http://").encode()
        own = [b"Host: " + host, b"Connection: close"]
        if key:
            own.append(b"Authorization: Bearer " + self.running.keys[key].encode())
        return b"\r\n".join([line + b" HTTP/1.1", *own, *headers]) + b"\r\n\r\n" + body

    async def answer(self, sent: bytes, *, finish: bool = False) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body. `finish`: half-close at once."""
        port = int(self.running.url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        if finish:
            writer.write_eof()
        try:
            found = await asyncio.wait_for(reader.read(), 180)
        finally:
            writer.close()
        head, _, body = found.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        return int(first.split()[1]), headers, body

    async def error(self, sent: bytes) -> tuple[int, str, dict[str, str]]:
        """Status, code and headers of an answer that has the error shape."""
        status, headers, body = await self.answer(sent)
        assert headers["content-type"] == "application/json", (sent[:80], status, headers)
        answered: dict[str, Any] = json.loads(body)
        assert described().faults({"$ref": "#/components/schemas/ErrorBody"}, answered) == []
        error = answered["error"]
        assert error["code"] in CODES
        assert error["docs"] == f"{self.running.url}/docs/errors#{error['code']}"
        return status, error["code"], headers


@pytest.fixture
async def wire(database: Database, settings: Settings) -> AsyncIterator[Wire]:
    """A service on a port."""
    async with running_service(settings, database) as running:
        yield Wire(running)


NOT_FOUND = (
    b"/", b"", b"//me", b"/me/", b"/me//", b"/../v2/me", b"/%2e%2e/me", b"/me%2f", b"/domains/a%2fb.com", b"/ME",
    b"/domains/%zz", b"/domains/%", b"/domains/%ff%fe", b"/domains/%ED%A0%80", b"/domains/a%00.com", b"/alerts/%00",
    b"/alerts/-1", b"/alerts/1e3", b"/alerts/9223372036854775808", b"/alerts/%D9%A1", b"/webhooks/" + b"9" * 5000,
    b"/checks/chk_%0a", b"/domains/" + b"a" * 50_000, b"/domains/" + b"%41" * 10_000, b"/openapi.json/", b"/docs",
)  # fmt: skip


async def test_e_01_e_09_whatever_the_path_it_is_answered_in_json(wire: Wire) -> None:
    for path in NOT_FOUND:
        status, code, _ = await wire.error(wire.request(b"GET /api/v1" + path))
        assert (status, code) == (404, "not_found"), path[:60]
    for path in (b"/api", b"/api/", b"/api/v2/me", b"/api/v11/me", b"/operator/v1/accounts/a@b.org/grants"):
        assert (await wire.error(wire.request(b"POST " + path)))[:2] == (404, "not_found"), path


async def test_e_08_e_09_every_method_of_every_path(wire: Wire) -> None:
    """A method a path does not take is 405 with `Allow`, also those that frameworks answer by themselves."""
    methods = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")
    taken: dict[str, set[str]] = {}
    for method, path in every_call():
        taken.setdefault(path, set()).update({"GET", "HEAD"} if method == "GET" else {method})
    for path, allowed in taken.items():
        for method in set(methods) - allowed:
            status, headers, body = await wire.answer(
                wire.request(f"{method} /api/v1{path}".encode(), key="")
            )
            assert (status, headers["content-type"]) == (405, "application/json"), (method, path)
            assert set(headers["allow"].split(", ")) == allowed, (method, path)
            assert (body == b"") == (method == "HEAD")
            assert "x-ratelimit-limit" not in headers


async def test_e_09_head_has_the_length_of_the_body_that_it_leaves_out(wire: Wire) -> None:
    for path in (b"/api/v1/me", b"/api/v1/domains", b"/api/v1/openapi.json", b"/api/v1/nowhere", b"/docs"):
        status, headers, body = await wire.answer(wire.request(b"GET " + path))
        found, told, nothing = await wire.answer(wire.request(b"HEAD " + path))
        assert (found, nothing) == (status, b""), path
        assert told["content-length"] == headers["content-length"] == str(len(body)), path


async def test_e_01_what_is_no_http_is_refused_in_json_too(wire: Wire) -> None:
    long = b"GET /api/v1/domains?q=" + b"a" * 200_000
    for sent in (
        wire.request(b"BREW /api/v1/me"),
        wire.request("GET /api/v1/domains/bücher.de".encode()),
        wire.request(b"GET /api/v1/me\x00"),
        wire.request(b"GET /api/v1/me", b"no header"),
        wire.request(b"POST /api/v1/checks", b"Content-Length: x"),
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
    ):
        status, code, headers = await wire.error(sent)
        assert (status, code, headers["connection"]) == (400, "validation_failed", "close"), sent[:40]
    assert (await wire.error(wire.request(long)))[:2] == (431, "validation_failed")
    assert (await wire.error(wire.request(long[:60_000])))[:2] == (422, "validation_failed")


async def test_e_10_a_body_that_breaks_off_is_nobodys_fault_but_the_callers(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    json_type = b"Content-Type: application/json"
    half = wire.request(b"POST /api/v1/alerts", json_type, b"Content-Length: 50", body=b'{"name"')
    with caplog.at_level(logging.WARNING, "afterdrop"):
        port = int(wire.running.url.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half)
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        too_long = wire.request(b"POST /api/v1/alerts", json_type, b"Content-Length: 99999999999")
        assert (await wire.error(too_long))[:2] == (422, "validation_failed")
        odd = wire.request(b"POST /api/v1/alerts", json_type, b"Transfer-Encoding: chunked", body=b"zz\r\n")
        assert (await wire.error(odd))[0] == 400
    assert not caplog.records
    status, _, body = await wire.answer(wire.request(b"GET /api/v1/alerts"))
    assert (status, json.loads(body)) == (200, {"data": []})


async def test_an_upgrade_is_not_taken_up(wire: Wire) -> None:
    upgrade = wire.request(
        b"GET /api/v1/me", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: eA=="
    ).replace(b"Connection: close", b"Connection: Upgrade, close")
    status, headers, _ = await wire.answer(upgrade)
    assert (status, headers["content-type"]) == (200, "application/json")
