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


async def test_a_webhook_receiver_keeps_requests_and_behaves_as_told(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    address = f"{running.url}/_sandbox/hooks/mine"
    statuses = []
    for behaviour in ("200", "500", "redirect", "777"):
        async with session.post(f"{address}?do={behaviour}", data=b"{}", allow_redirects=False) as response:
            statuses.append(response.status)
    assert statuses == [200, 500, 302, 200]
    for behaviour in ("reset", "hang"):
        with pytest.raises((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, TimeoutError)):
            quick = aiohttp.ClientTimeout(total=0.3)
            async with session.post(f"{address}?do={behaviour}", data=b"{}", timeout=quick):
                pass
    async with session.post(f"{address}?do=stream", data=b"x") as response:
        assert await response.content.readexactly(3) == b"..."
    async with session.get(address) as response:
        kept: list[dict[str, Any]] = await response.json()
    assert len(kept) == 7 and kept[0]["body"] == "{}" and kept[1]["query"] == {"do": "500"}
    async with session.delete(address):
        pass
    async with session.get(address) as response:
        assert await response.json() == []


async def test_sources_refuse_as_the_real_ones_do(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    ahrefs = f"{running.url}/api.ahrefs.com/v3/public/domain-rating-free"
    for headers, names, status in (({}, 1, 401), ({"Authorization": "Bearer x"}, 1001, 400)):
        async with session.post(ahrefs, json={"targets": ["a.com"] * names}, headers=headers) as response:
            assert response.status == status
    majestic, many = (
        f"{running.url}/api.majestic.com/api/json",
        {f"item{each}": "a.com" for each in range(101)},
    )
    query = {"app_api_key": "x", "cmd": "GetIndexItemInfo", "items": "101", "DesiredTopics": "3", **many}
    async with session.get(majestic, params=query) as response:
        assert (await response.json())["Code"] == "TooManyItems"
    for path, status in (
        ("/cdx/search/cdx?url=a.com&output=xml", 400),
        ("/cdx/search/cdx?url=a.com&matchType=prefix", 400),
        ("/cdx/search/cdx?url=a.com&filter=statuscode:200", 400),
        ("/web/whenever/a.com", 404),
    ):
        async with session.get(running.origins["archive"] + path) as response:
            assert response.status == status


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
