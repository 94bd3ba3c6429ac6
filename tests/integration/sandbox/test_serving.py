"""The sandbox over real HTTP: what no client of the service asks for, but people and tests do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from afterdrop.core.settings_file import load
from afterdrop.sandbox import RunningSandbox, settings_toml

BOOTSTRAP = "/data.iana.org/rdap/dns.json"


async def _control(session: aiohttp.ClientSession, running: RunningSandbox, path: str) -> Any:
    async with session.get(f"{running.url}/_sandbox/{path}") as response:
        return await response.json()


@pytest.mark.parametrize(
    ("rule", "status", "kind"),
    [
        ({"kind": "429", "retry_after": 7}, 429, "text/plain"),
        ({"kind": "status"}, 503, "text/plain"),
        ({"kind": "wrong_json"}, 200, "application/json"),
        ({"kind": "html"}, 200, "text/html"),
        ({"kind": "slow", "seconds": 0.02}, 200, "application/json"),
    ],
)
async def test_a_fault_is_what_its_rule_says_and_the_log_shows_it(
    session: aiohttp.ClientSession, running: RunningSandbox, rule: dict[str, Any], status: int, kind: str
) -> None:
    async with session.put(
        f"{running.url}/_sandbox/faults", json=[{"path": "rdap", "count": 1, **rule}]
    ) as response:
        assert response.status == 204
    async with session.get(running.url + BOOTSTRAP) as response:
        assert (response.status, response.content_type) == (status, kind)
        assert response.headers.get("Retry-After") == ("7" if status == 429 else None)
    async with session.get(f"{running.url}/no/such/path") as response:
        assert response.status == 404
    assert [row["status"] for row in await _control(session, running, "log")] == [status, 404]


@pytest.mark.parametrize("kind", ["cut", "reset", "timeout"])
async def test_responses_that_break_off(
    session: aiohttp.ClientSession, running: RunningSandbox, kind: str
) -> None:
    running.state.faults.put([{"kind": kind, "seconds": 0.05}])
    with pytest.raises((aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
        async with session.get(running.url + BOOTSTRAP) as response:
            await response.read()


async def test_the_clock_is_set_and_set_back(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    for asked, shown in (({"now": "2026-11-17T08:00:00Z"}, "2026-11-17T08"), (None, "2026-11-20T12")):
        async with session.put(f"{running.url}/_sandbox/now", json=asked) as response:
            assert response.status == 204
        assert running.clock.now().isoformat().startswith(shown)


async def test_settings_file_is_one_the_service_takes(running: RunningSandbox, tmp_path: Path) -> None:
    file = tmp_path / "afterdrop.toml"
    file.write_text(settings_toml(running), encoding="utf-8")
    settings = load({}, file)
    assert (len(settings.feeds), len(settings.providers)) == (11, 8)
    whois = "http://{}:{}".format(*running.state.whois)
    assert set(settings.trusted_origins) == {*running.origins.values(), whois}


async def test_registries_know_their_canary_and_only_their_own(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    for registry, path, status in (
        ("verisign", "/com/v1/domain/NIC.COM.", 200),
        ("verisign", "/com/v1/domain/nic.org", 400),
        ("pir", "/rdap/domain/nobody-at-all.org", 404),
        ("nicbiz", "/domain/nic.biz", 404),
    ):
        async with session.get(running.origins[registry] + path) as response:
            assert (response.status, response.content_type) == (status, "application/rdap+json"), path


async def test_a_webhook_receiver_keeps_requests_and_answers_as_told(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    for asked, status in (("", 200), ("?do=500", 500)):
        async with session.post(f"{running.url}/_sandbox/hooks/mine{asked}", data=b"{}") as response:
            assert response.status == status
    assert [hook["body"] for hook in await _control(session, running, "hooks/mine")] == ["{}", "{}"]
    assert await _control(session, running, "hooks/other") == []


async def test_graph_files_can_be_downloaded_in_ranges(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    address = (await _control(session, running, "truth"))["graph"]["ranks"]
    async with session.get(address) as response:
        whole, etag = await response.read(), response.headers["ETag"]
    for asked, status, body in (
        ({"Range": "bytes=0-99"}, 206, whole[:100]),
        ({"Range": "bytes=100-", "If-Range": etag}, 206, whole[100:]),
        ({"Range": "bytes=100-", "If-Range": '"other"'}, 200, whole),
        ({"Range": f"bytes={len(whole)}-"}, 416, b""),
    ):
        async with session.get(address, headers=asked) as response:
            assert (response.status, await response.read()) == (status, body), asked
