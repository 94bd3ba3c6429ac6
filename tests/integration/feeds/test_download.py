"""Downloading feed files from a real server, with every failure on the way."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from aiohttp import encode_basic_auth, web
from typer.testing import CliRunner, Result

from afterdrop.cli.commands import app
from afterdrop.cli.feeds import feeds_app
from afterdrop.core.errors import FeedError, SettingsError
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_outages, host_pace
from afterdrop.feeds.download import Spool, fetch
from afterdrop.feeds.preset_files import open_preset
from afterdrop.http.client import Fetcher
from tests.support.desk import feed
from tests.support.feed_shop import NOW, Get, Shop


async def test_a_file_is_spooled_once_and_then_asked_for_by_its_validators(shop: Shop, get: Get) -> None:
    async def answer(request: web.Request) -> web.Response:
        if request.headers.get("If-None-Match") == '"1"':
            return web.Response(status=304)
        return web.Response(
            body=b"list", headers={"ETag": '"1"', "Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT"}
        )

    shop.answers["/l"] = answer
    first = await get()
    assert (first.changed, first.path.read_bytes()) == (True, b"list")
    assert shop.asked[0].headers["Accept-Encoding"] == "identity"
    assert shop.asked[0].headers["User-Agent"].startswith("afterdrop/1.0 (+")
    second = await get(now=NOW + timedelta(days=1))
    assert (second.changed, second.path.read_bytes()) == (False, b"list")
    assert shop.asked[1].headers["If-Modified-Since"] == "Fri, 20 Nov 2026 10:00:00 GMT"
    first.path.unlink()
    assert (await get()).path.read_bytes() == b"list"
    assert "If-None-Match" not in shop.asked[2].headers


async def test_a_killed_scan_goes_on_with_the_file_it_had(shop: Shop, get: Get) -> None:
    shop.gives("/l", b"list")
    await get(now=NOW)
    shop.gives("/l", b"newer")
    kept = await get(fresh_since=NOW, now=NOW + timedelta(hours=1))
    assert (kept.changed, kept.path.read_bytes(), len(shop.asked)) == (False, b"list", 1)
    newer = await get(fresh_since=NOW + timedelta(minutes=1), now=NOW + timedelta(hours=1))
    assert newer.path.read_bytes() == b"newer"


async def test_the_validators_of_another_url_are_not_sent(shop: Shop, get: Get) -> None:
    shop.gives("/l", b"one", ETag='"1"')
    shop.gives("/m", b"two", ETag='"1"')
    await get()
    assert (await get(feed(url=f"{shop.url}/m"))).path.read_bytes() == b"two"
    assert "If-None-Match" not in shop.asked[1].headers


async def test_signed_files_are_asked_for_letter_for_letter(shop: Shop, get: Get) -> None:
    signed = "/files/l.csv?Policy=eyJ%2Fa%2Bb&Signature=ab%2fcd~e%3D%3D"

    async def away(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": signed})

    shop.answers["/l"] = away
    shop.gives("/files/l.csv", b"list")
    assert (await get()).path.read_bytes() == b"list"
    assert (await get(feed(url=shop.url + signed))).path.read_bytes() == b"list"
    assert [asked.raw_path for asked in shop.asked[1:]] == [signed, signed]


async def test_headers_with_keys_go_to_the_feeds_own_origin_only(shop: Shop, other: Shop, get: Get) -> None:
    async def away(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": f"{other.url}/there"})

    shop.answers["/l"] = away
    other.gives("/there", b"list")
    spec = feed(url=f"{shop.url}/l?key=${{KEY}}", headers={"Authorization": "Bearer ${KEY}"})
    assert (await get(spec)).path.read_bytes() == b"list"
    assert shop.asked[0].headers["Authorization"] == "Bearer s3cret"
    assert shop.asked[0].query["key"] == "s3cret"
    assert "Authorization" not in other.asked[0].headers


async def test_the_url_of_the_file_may_come_from_another_answer(shop: Shop, other: Shop, get: Get) -> None:
    shop.gives("/where", json.dumps({"result": {"fileUrl": f"{other.url}/f.zip?Signature=abc"}}).encode())
    other.gives("/f.zip", b"zipped")
    spec = feed(
        url=f"{shop.url}/where", indirection={"url": "result.fileUrl"}, headers={"Accept": "application/json"}
    )
    assert (await get(spec)).path.read_bytes() == b"zipped"
    assert other.asked[0].query["Signature"] == "abc"
    for body, why in (
        (b"<html>", "is not JSON"),
        (b'{"result": {}}', "no address at result.fileUrl"),
        (b'{"result": {"fileUrl": "file:///etc/passwd"}}', "no address"),
        (b'{"result": {"fileUrl": "http://example.net/x"}}', "not https"),
        (b'{"result": {"fileUrl": "https://[::1"}}', "no usable URL"),
    ):
        shop.gives("/where", body)
        with pytest.raises(FeedError, match=why):
            await get(spec)
    del shop.answers["/where"]
    with pytest.raises(FeedError, match="refused with status 404"):
        await get(spec)


async def test_every_failure_says_what_happened_and_keeps_the_old_file(shop: Shop, get: Get) -> None:
    shop.gives("/l", b"good")
    kept = await get()

    async def short(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100000"})
        await response.prepare(request)
        await response.write(b"x" * 500)
        assert request.transport is not None
        request.transport.close()
        return response

    async def busy(_request: web.Request) -> web.Response:
        return web.Response(status=503)

    async def circle(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "/l"})

    async def plain(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "http://example.net/"})

    for answer, why in (
        (short, "broke off"),
        (busy, "status 503"),
        (circle, "more than 3 times"),
        (plain, "not https"),
    ):
        shop.answers["/l"] = answer
        with pytest.raises(FeedError, match=why):
            await get()
    shop.gives("/l", b"x" * 2000)
    with pytest.raises(FeedError, match="larger than 1000 bytes"):
        await get(max_bytes=1000)
    assert kept.path.read_bytes() == b"good"


async def test_retry_after_is_respected_and_secrets_stay_secret(shop: Shop, get: Get) -> None:
    async def wait(_request: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "3000"})

    shop.answers["/l"] = wait
    with pytest.raises(FeedError, match="asks to wait 3000 s"):
        await get()
    with pytest.raises(FeedError, match="blocked") as caught:
        await get(feed(url=f"{shop.url}/l?token=${{KEY}}"))
    assert "s3cret" not in str(caught.value)
    assert len(shop.asked) == 1
    with pytest.raises(SettingsError, match="needs the environment variable NAMESILO_KEY"):
        await get(open_preset("namesilo_auctions"), environ={})


async def test_a_key_before_the_host_is_kept_nowhere(
    shop: Shop, other: Shop, get: Get, database: Database, tmp_path: Path
) -> None:
    """It is sent to its host alone; pace, pauses, refusals and the file's memory are kept by host and port."""
    shop.gives("/l", b"acorn.com\n", ETag='"1"')
    mine = feed(url=shop.url.replace("http://", "http://me:${KEY}@") + "/l")
    for _ in range(2):
        await get(mine)
    assert {request.headers.get("Authorization") for request in shop.asked} == {
        encode_basic_auth("me", "s3cret")
    }
    assert shop.asked[1].headers["If-None-Match"] == '"1"'

    async def elsewhere(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": f"{other.url}/l"})

    shop.answers["/l"] = elsewhere
    other.gives("/l", b"acorn.com\n")
    await get(mine)
    assert "Authorization" not in other.asked[0].headers

    async def wait(_request: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "3000"})

    shop.answers["/l"] = wait
    with pytest.raises(FeedError, match="asks to wait"):
        await get(mine)
    async with database.read() as conn:
        kept = [
            tuple(row) for table in (host_pace, host_outages) for row in await conn.execute(sa.select(table))
        ]
    assert shop.url.removeprefix("http://") in str(kept)
    for text in (
        str(kept),
        *(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file()),
    ):
        assert "s3cret" not in text


async def test_private_networks_are_refused(way: Fetcher, tmp_path: Path) -> None:
    for url in ("http://127.0.0.1:9/l", "http://localhost:9/l", "http://nowhere.invalid/l"):
        with pytest.raises(FeedError, match="cannot be fetched"):
            await fetch(feed(url=url), way, Spool(tmp_path, 1000), now=NOW, environ={})


async def test_local_paths_need_no_network(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("x")
    local = open_preset("nominet_uk", {"path": str(tmp_path / "l.csv")})
    assert (await fetch(local, None, Spool(tmp_path, 10), now=NOW)).path == tmp_path / "l.csv"
    missing = open_preset("nominet_uk", {"path": str(tmp_path / "none.csv")})
    with pytest.raises(FeedError, match="there is no file"):
        await fetch(missing, None, Spool(tmp_path, 10), now=NOW)
    with pytest.raises(FeedError, match="no way out"):
        await fetch(open_preset("nominet_uk"), None, Spool(tmp_path, 10), now=NOW)


async def run(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, feeds_app, list(words))


@pytest.fixture
def settings_file(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "afterdrop.toml"
    path.write_text(
        f'data_dir = "{tmp_path}/data"\ntrusted_origins = ["{shop.url}"]\n'
        f'[[feeds]]\npreset = "iis_se"\nurl = "{shop.url}/se.json"\nsource = "drops"\n'
    )
    monkeypatch.setenv("AFTERDROP_SETTINGS", str(path))
    return path


async def test_feeds_try_downloads_once_and_shows_rows_and_unmapped_columns(
    shop: Shop, settings_file: Path
) -> None:
    items = [{"name": f"n{number}.se", "release_at": "2026-12-13", "why": 1} for number in range(9)]
    shop.gives("/se.json", json.dumps({"data": [*items, {"name": "bad name", "release_at": ""}]}).encode())
    got = await run("try", "iis_se", "--url", f"{shop.url}/se.json", "--json")
    assert got.exit_code == 0, got.output
    told = json.loads(got.stdout)
    assert [row["domain"] for row in told["rows"]] == [f"n{number}.se" for number in range(5)]
    assert told["rows"][0]["ends_at"] == "2026-12-13T06:00:00Z"
    assert told["bad"]["domain_characters"]["line"] == 10
    assert (told["read"], told["unmapped"], told["not_found"]) == (10, ["why"], [])
    assert len(shop.asked) == 1
    text = (await run("try", "iis_se", "--url", f"{shop.url}/se.json")).stdout
    assert (
        "n4.se" in text and "columns not mapped: why" in text and "not usable, domain_characters: 1" in text
    )
    assert 'n0.se: domain n0.se from "n0.se"; ' in text
    assert told["written"]["domain"] == ["n0.se"]


async def test_feeds_try_of_a_file_with_nothing_usable(settings_file: Path, tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("roid,domain,when\nx,no name,y\n")
    got = await run("try", "nominet_uk", "--url", str(tmp_path / "l.csv"))
    assert got.exit_code == 1
    assert "not found: drop_time" in got.stdout and "none of its first 1 rows can be used" in got.stdout


async def test_feeds_try_and_a_dry_run_leave_out_names_in_zones_that_are_not_listed(
    settings_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("shop.com.se", "www.example.se", "a.myspreadshop.se")
    items = [{"name": name, "release_at": "2099-12-13"} for name in names]
    (tmp_path / "drops.json").write_text(json.dumps({"data": items}))
    monkeypatch.setenv("AFTERDROP_SCAN__SALE_ZONES", "myspreadshop.se")
    told = json.loads((await run("try", "iis_se", "--url", str(tmp_path / "drops.json"), "--json")).stdout)
    assert [row["domain"] for row in told["rows"]] == ["example.se", "a.myspreadshop.se"]
    assert told["bad"] == {"unlisted_zone": {"count": 1, "line": 1, "sample": str(items[0])}}
    over = {"name": "over.se", "release_at": "2020-01-01"}
    (tmp_path / "drops.json").write_text(json.dumps({"data": [*items, over]}))
    dry_run = ("scan", "--dry-run", "--preset", "iis_se", "--feed", str(tmp_path / "drops.json"))
    for form in ((), ("--json",)):
        got = await asyncio.to_thread(CliRunner().invoke, app, [*dry_run, *form])
        assert got.exit_code == 0, got.output
    [plan] = json.loads(got.stdout)["feeds"]
    # one is over; the others drop further ahead than the feed lists names: nobody is asked about them yet
    assert plan == {"feed": "iis_se", "rows": 4, "unlisted_zone": 1, "ended": 1, "waits": 2, "error": None}


async def test_feeds_list(settings_file: Path, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.loads((await run("list", "--json")).stdout)
    assert {"godaddy_auctions", "nominet_uk"} <= {row["name"] for row in told["presets"]}
    assert told["configured"] == [
        {
            "name": "iis_se",
            "title": "The Swedish Internet Foundation (.se)",
            "source": "drops",
            "format": "json",
            "complete": "yes",
            "evidence": "code",
            "licence": "attribution",
            "usable": True,
            "address": f"{shop.url}/se.json",
        }
    ]
    assert "csv in gzip" in (await run("list")).stdout
    settings_file.write_text("")
    assert "No feeds are configured" in (await run("list")).output


PAGING: dict[str, Any] = {"until_ended": True, "most": 5}


@pytest.mark.parametrize(
    ("ends", "asked", "whole"),
    [
        ([21, 21, 19, 18], 3, True),  # the latest end first: what is over ends the list
        ([18, 19, 21, 21], 5, True),  # the oldest first: the page without rows ends it
        ([18, 19, 19, 19, 19, 21], 5, False),  # too long: a part
        ([21, 21, 21, 21, 21, 21], 5, False),
        ([21, None], 1, True),  # it says itself that no page follows
    ],
)
async def test_pages_are_walked_until_nothing_runs_or_within_a_bound(
    shop: Shop, get: Get, ends: list[int | None], asked: int, whole: bool
) -> None:
    async def page(request: web.Request) -> web.Response:
        number = int(request.query["page"])
        day = ends[number - 1] if number <= len(ends) else None
        row = {"d": f"p{number}.com", "t": "bid", "e": f"2026-11-{day}T00:00:00Z", "id": str(number)}
        more = ends[number : number + 1] != [None]
        return web.json_response({"rows": [row] if day else [], "more": more})

    shop.answers["/l"] = page
    paging = {**PAGING, "more": "more"} if None in ends else PAGING
    spec = feed(url=f"{shop.url}/l?k=1", format="json", json={"path": "rows"}, paging=paging)
    spooled = await get(spec)
    assert (len(shop.asked), spooled.whole) == (asked, whole)
    assert len(spooled.path.read_bytes().splitlines()) == min(asked, len(ends))
    # A killed scan goes on with the file that it had, and knows what it is.
    again = await get(spec, fresh_since=NOW)
    assert (len(shop.asked), again.changed, again.whole) == (asked, False, whole)
