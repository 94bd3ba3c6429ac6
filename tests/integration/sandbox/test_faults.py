"""Every kind of fault as a client meets it, and what the control endpoints refuse."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from afterdrop.sandbox import RunningSandbox

BOOTSTRAP = "/data.iana.org/rdap/dns.json"


async def _fault(session: aiohttp.ClientSession, running: RunningSandbox, **rule: Any) -> None:
    async with session.put(f"{running.url}/_sandbox/faults", json=[{"path": "rdap", **rule}]) as response:
        assert response.status == 200


async def test_error_responses(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    for rule, status in (
        ({"kind": "429"}, 429),
        ({"kind": "status"}, 503),
        ({"kind": "status", "status": 500}, 500),
    ):
        await _fault(session, running, **rule)
        async with session.get(running.url + BOOTSTRAP) as response:
            assert response.status == status
            assert "Retry-After" not in response.headers


async def test_responses_of_the_wrong_type(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    await _fault(session, running, kind="wrong_json")
    async with session.get(running.url + BOOTSTRAP) as response:
        assert response.content_type == "application/json"
        with pytest.raises(ValueError, match="Unterminated"):
            await response.json()
    await _fault(session, running, kind="html")
    async with session.get(running.url + BOOTSTRAP) as response:
        assert response.content_type == "text/html"


async def test_responses_that_break_off(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    await _fault(session, running, kind="cut")
    with pytest.raises(aiohttp.ClientPayloadError):
        async with session.get(running.url + BOOTSTRAP) as response:
            await response.read()
    for kind in ("reset", "timeout"):
        await _fault(session, running, kind=kind, seconds=0.05)
        with pytest.raises((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
            async with session.get(running.url + BOOTSTRAP):
                pass


async def test_slow_answers_come(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    await _fault(session, running, kind="slow", seconds=0.02)
    async with session.get(running.url + BOOTSTRAP) as response:
        assert response.status == 200
    async with session.get(f"{running.url}/_sandbox/faults") as response:
        assert (await response.json())[0]["done"] == 1


async def test_control_endpoints_refuse_unreadable_bodies(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    for switch, body in (
        ("faults", b'[{"kind": "sulk"}]'),
        ("faults", b"{"),
        ("now", b'"yesterday"'),
        ("now", b"{"),
    ):
        async with session.put(f"{running.url}/_sandbox/{switch}", data=body) as response:
            assert response.status == 400
            assert "error" in await response.json()


async def test_the_clock_is_set_and_set_back(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    for body, shown in (
        ({"now": "2026-11-17T08:00:00Z"}, "2026-11-17T08:00:00Z"),
        ("2026-11-18T08:00:00+01:00", "2026-11-18T07:00:00Z"),
        ({"now": "2026-11-17T08:00:00Z", "running": True}, "2026-11-17T08:00:00Z"),
        (None, "2026-11-20T12:00:00Z"),
    ):
        async with session.put(f"{running.url}/_sandbox/now", json=body) as response:
            assert (await response.json())["now"] == shown


async def test_the_log_is_cleared_and_leaves_out_control_endpoints(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    async with session.get(running.url + BOOTSTRAP) as response:
        etag = response.headers["ETag"]
    async with session.get(running.url + BOOTSTRAP, headers={"If-None-Match": etag}) as response:
        assert response.status == 304
    async with session.get(f"{running.url}/no/such/path") as response:
        assert response.status == 404
    async with session.get(f"{running.url}/_sandbox/log?path=rdap|such") as response:
        assert [row["status"] for row in await response.json()] == [200, 304, 404]
    async with session.delete(f"{running.url}/_sandbox/log"):
        pass
    async with session.get(f"{running.url}/_sandbox/log") as response:
        assert await response.json() == []
