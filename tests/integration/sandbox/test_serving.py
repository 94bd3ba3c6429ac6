"""The sandbox over real HTTP: feeds, registries and archive of one world, and its control endpoints."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import aiohttp

from afterdrop.core.settings_file import load
from afterdrop.sandbox import RunningSandbox, settings_toml


async def _truth(session: aiohttp.ClientSession, running: RunningSandbox) -> dict[str, Any]:
    async with session.get(f"{running.url}/_sandbox/truth") as response:
        found: dict[str, Any] = await response.json()
        return found


async def test_inventory_file_holds_the_listings_of_the_day(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    truth = await _truth(session, running)
    async with session.get(truth["feeds"]["godaddy_auctions"]["url"]) as response:
        packed = zipfile.ZipFile(io.BytesIO(await response.read()))
    rows = json.loads(packed.read(packed.namelist()[0]))["data"]
    named = {row["domainName"].lower() for row in rows}
    due = {
        name
        for name, told in truth["domains"].items()
        if told["listing"]["feed"] == "godaddy_auctions"
        and told["listing"]["start"] <= "2026-11-20T12:00:00Z"
        and (told["listing"]["withdrawn"] or told["listing"]["end"]) > "2026-11-20T12:00:00Z"
    }
    assert due and due <= named
    assert len(named - due) == truth["feeds"]["godaddy_auctions"]["bad_rows"]


async def test_index_and_replay_agree(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    name = running.world.stories[0].domain
    archive = running.origins["archive"]
    query = {"url": name, "fl": "timestamp,original,statuscode", "filter": "statuscode:200", "limit": "-1"}
    async with session.get(f"{archive}/cdx/search/cdx", params=query) as response:
        stamp, original, _ = (await response.text()).split()
    async with session.get(f"{archive}/web/{stamp}id_/{original}", allow_redirects=False) as response:
        assert response.status == 200
        assert "Memento-Datetime" in response.headers
        assert "WAYBACK TOOLBAR" not in await response.text()
    async with session.get(f"{archive}/web/2100id_/{original}", allow_redirects=False) as response:
        assert response.status == 302
        assert response.headers["Location"].startswith(f"{archive}/web/2")
    async with session.get(f"{archive}/web/2020id_/http://never-archived.com/") as response:
        assert response.status == 404
        assert "Memento-Datetime" not in response.headers


async def test_faults_happen_as_often_as_asked_and_the_log_shows_them(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    rule = {"server": "archive", "path": "^/cdx/", "kind": "429", "retry_after": 7, "count": 1}
    async with session.put(f"{running.url}/_sandbox/faults", json=[rule]) as response:
        assert response.status == 200
    address = f"{running.origins['archive']}/cdx/search/cdx?url={running.world.stories[0].domain}"
    statuses = []
    for _ in range(2):
        async with session.get(address) as response:
            statuses.append((response.status, response.headers.get("Retry-After")))
    assert statuses == [(429, "7"), (200, None)]
    async with session.get(f"{running.url}/_sandbox/log?server=archive") as response:
        rows = await response.json()
    assert [row["status"] for row in rows] == [429, 200]
    assert rows[0]["at"] <= rows[1]["at"]


async def test_settings_file_is_one_the_service_takes(running: RunningSandbox, tmp_path: Any) -> None:
    file = tmp_path / "afterdrop.toml"
    file.write_text(settings_toml(running), encoding="utf-8")
    settings = load({}, file)
    assert len(settings.feeds) == 11
    assert set(settings.trusted_origins) - set(running.origins.values()) == {
        "http://{}:{}".format(*running.state.whois)
    }
    assert settings.registry.canaries["com"] == "nic.com"


async def test_dropping_names_are_found_through_a_signed_address(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    truth = await _truth(session, running)
    async with session.get(truth["feeds"]["dropcatch_dropping"]["url"]) as response:
        address = (await response.json())["result"]["fileUrl"]
    async with session.get(address) as response:
        packed = zipfile.ZipFile(io.BytesIO(await response.read()))
    assert packed.read(packed.namelist()[0]).startswith(b"Domain,TLD,Type,Drop Date\n")
    async with session.get(address.replace("AllDays", "DaysOut3")) as response:
        assert response.status == 200
    async with session.get(address.partition("?")[0]) as response:
        assert response.status == 403
    async with session.get(
        f"{running.url}/client.dropcatch.com/GetFileUrl?FileType=csv&BackorderDay=x"
    ) as response:
        assert response.status == 400


async def test_the_uk_list_has_its_checksum_beside_it(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    address = f"{running.url}/droplists.nominet.uk/current/uk.csv.gz"
    async with session.get(address) as response:
        body = await response.read()
    async with session.get(f"{address}.sha256") as response:
        assert (await response.text()).split() == [hashlib.sha256(body).hexdigest(), "uk.csv.gz"]


async def test_rates_are_served_as_the_central_bank_does(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    async with session.get(
        f"{running.url}/www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
    ) as response:
        assert response.content_type == "text/xml"
        assert "currency='USD'" in await response.text()


async def test_archive_refuses_bad_questions(session: aiohttp.ClientSession, running: RunningSandbox) -> None:
    archive = running.origins["archive"]
    for path, status in (("/cdx/search/cdx?url=a.com&filter=x", 400), ("/web/whenever/a.com", 404)):
        async with session.get(archive + path) as response:
            assert response.status == status
    async with session.get(f"{archive}/cdx/search/cdx?url=a.com&gzip=false&output=json") as response:
        assert await response.json() == []


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
            assert response.status == status, path
            assert response.content_type == "application/rdap+json"


async def test_the_vendors_keys_are_given(running: RunningSandbox) -> None:
    assert set(running.environment) >= {"AHREFS_API_KEY", "MAJESTIC_API_KEY"}
