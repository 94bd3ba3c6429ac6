"""Strangers' pages over HTTP: robots.txt first, never too often, never to private addresses, within bounds."""

from __future__ import annotations

import asyncio
import gzip
import random
import socket
from collections import Counter
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.http import pace
from afterdrop.http.answers import open_session
from afterdrop.http.public_addresses import is_public
from afterdrop.http.ssrf_guard import ThreadedPublicResolver, guarded_connector
from afterdrop.review.page.pool import PagePool
from afterdrop.sources.live import pages as live
from afterdrop.sources.live.pages import LivePages
from afterdrop.sources.live.warc_record import warc_record
from tests.support.live_hosts import here, visitor
from tests.support.pages import killed


def page(request: web.Request) -> web.StreamResponse:
    if request.path == "/robots.txt":
        return web.Response(text="User-agent: *\nDisallow: /private/\n")
    return web.Response(text=f"<p>{request.path}</p>", content_type="text/html")


async def test_robots_txt_is_read_first_and_once(settings: Settings, database: Database) -> None:
    async with visitor(settings, database, page) as (pages, asked):
        seen = await pages.read("http://name.com/a?b=c#d")
        await pages.read("http://name.com/b")
        with pytest.raises(UpstreamError, match=r"robots\.txt forbids it") as refused:
            await pages.read("http://name.com/private/c")
    assert (seen.status, seen.body, seen.url) == (200, b"<p>/a</p>", "http://name.com/a?b=c#d")
    assert refused.value.kind == "forbidden"
    assert asked == [("name.com", "/robots.txt"), ("name.com", "/a?b=c"), ("name.com", "/b")]


async def test_a_redirect_leads_to_a_host_with_rules_of_its_own(
    settings: Settings, database: Database
) -> None:
    def moved(request: web.Request) -> web.StreamResponse:
        if request.host == "name.com" and request.path != "/robots.txt":
            path = "/private/b" if request.path == "/hidden" else request.path
            return web.Response(status=301, headers={"Location": f"http://parked-name.com{path}"})
        return page(request)

    async with visitor(settings, database, moved) as (pages, asked):
        seen = await pages.read("http://name.com/a")
        with pytest.raises(UpstreamError, match="forbids"):
            await pages.read("http://name.com/hidden")
    assert (seen.url, seen.hops) == ("http://parked-name.com/a", 1)
    assert ("parked-name.com", "/private/b") not in asked


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("http://127.0.0.1:1/", "refused_address"),
        ("http://169.254.169.254/latest/meta-data/", "refused_address"),
        ("http://[::1]/", "refused_address"),
        ("http://user:pass@parked-name.com/", "refused_address"),
        ("ftp://parked-name.com/", "refused_address"),
        ("javascript:alert(1)", "refused_address"),
        ("http://[", "redirect"),
        ("/loop", "redirect"),
        ("http://no-such-name.com/", "no_host"),
        ("http://parked-name.com:8080/", "refused_address"),
        ("http://parked-name.com:22/", "refused_address"),
    ],
)
async def test_redirects_that_nobody_follows(
    settings: Settings, database: Database, location: str, kind: str
) -> None:
    def trap(request: web.Request) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        return web.Response(status=302, headers={"Location": location})

    async with visitor(settings, database, trap) as (pages, _):
        with pytest.raises(UpstreamError) as refused:
            await pages.read("http://name.com/loop")
    assert refused.value.kind == kind, str(refused.value)


async def test_a_name_that_turns_private_is_refused(settings: Settings, database: Database) -> None:
    """Nobody is told that it is private: it is like a name that does not exist."""

    def lookup(host: str, port: int) -> list[tuple[object, ...]]:
        if host == "rebound.com":
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.20.30.40", port))]
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    resolver = ThreadedPublicResolver(is_public, lookup)
    connector = guarded_connector(set(), resolver=live._CountedAddress())
    told = set[tuple[str, str]]()
    async with open_session(connector, aiohttp.ClientTimeout(total=5)) as session:
        pages = LivePages(settings, database, session, resolver, clock.epoch, 0, here)
        for name in ("rebound.com", "not-there.com"):
            with pytest.raises(UpstreamError) as refused:
                await pages.read(f"http://{name}/")
            told.add((refused.value.kind, refused.value.message.replace(name, "NAME")))
            assert not await pages.exists(name)
    assert told == {("no_host", "NAME has no public address")}


async def test_a_second_answer_of_a_name_server_is_not_asked_for(
    settings: Settings, database: Database
) -> None:
    """DNS rebinding: the address that is connected to is the one that was checked and counted."""
    async with visitor(settings, database, page) as (pages, asked):
        found = await pages._addresses("name.com", "http://name.com/")
        resolved: list[str] = []

        async def once(host: str, port: int = 0, family: int = 0) -> list[Any]:
            resolved.append(host)
            return found

        pages.resolver.resolve = once  # type: ignore[method-assign]
        await pages.read("http://name.com/a")
    assert resolved == ["name.com"] * len(asked)


async def test_a_host_in_trouble_is_not_read(settings: Settings, database: Database) -> None:
    async with visitor(settings, database, lambda request: web.Response(status=500)) as (pages, asked):
        with pytest.raises(UpstreamError, match="could not be read"):
            await pages.read("http://name.com/a")
        with pytest.raises(UpstreamError, match="could not be read"):
            await pages.read("http://name.com/b")
    assert asked == [("name.com", "/robots.txt")]


async def test_rules_whose_reading_died_are_no_rules_and_are_read_again(
    settings: Settings, database: Database
) -> None:
    async with (
        PagePool(1, ready=killed) as dying,
        visitor(settings, database, page, run=dying.run) as (pages, asked),
    ):
        with pytest.raises(UpstreamError) as died:
            await pages.read("http://name.com/a")
        assert (died.value.kind, [path for _, path in asked]) == ("died", ["/robots.txt"])
        pages.run = here
        assert (await pages.read("http://name.com/a")).status == 200


async def test_a_host_that_asks_to_wait_is_left_alone(settings: Settings, database: Database) -> None:
    def busy(request: web.Request) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        return web.Response(status=429, headers={"Retry-After": "3000"})

    async with visitor(settings, database, busy) as (pages, asked):
        for path in ("a", "b"):
            with pytest.raises(UpstreamError) as refused:
                await pages.read(f"http://name.com/{path}")
            assert refused.value.kind == "rate_limited"
    assert len(asked) == 2


async def test_a_body_without_end_is_cut(settings: Settings, database: Database) -> None:
    def endless(request: web.Request) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(body=b"#" * 3_000_000)
        return web.Response(body=b"<p>x</p>" * 2_000_000, content_type="text/html")

    async with visitor(settings, database, endless) as (pages, _):
        cut = await pages.read("http://name.com/a")
    assert (len(cut.body), cut.truncated) == (2_000_000, "length")
    assert b"\r\nWARC-Truncated: length\r\n" in gzip.decompress(warc_record(cut, clock.now()))


BODY = b"<p>A page of some words.</p>" * 100


@pytest.mark.parametrize(
    ("body", "coding", "truncated"),
    [
        (BODY, None, None),
        (b"x" * 2_000_000, None, None),
        (b"x" * 2_000_001, None, "length"),
        (gzip.compress(BODY), "gzip", None),
        (gzip.compress(b"x" * 3_000_000), "gzip", "length"),
        (gzip.compress(random.Random(1).randbytes(3_000_000)), "gzip", "length"),
        (gzip.compress(BODY)[:-9], "gzip", "unspecified"),
        (BODY, "gzip", None),
        (b"\0" + BODY, "of-nobody", None),
    ],
    ids=[
        *("plain", "as long as may be", "longer", "packed", "long when unpacked", "long when packed"),
        *("cut", "not packed at all", "unknown coding"),
    ],
)
async def test_evidence_says_whether_the_page_is_whole(
    settings: Settings, database: Database, body: bytes, coding: str | None, truncated: str | None
) -> None:
    def handler(request: web.Request) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        headers = {"Content-Encoding": coding} if coding else {}
        return web.Response(body=body, content_type="text/html", headers=headers)

    async with visitor(settings, database, handler) as (pages, _):
        seen = await pages.read("http://name.com/")
    record = gzip.decompress(warc_record(seen, clock.now()))
    head = record.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    said = [line.removeprefix("WARC-Truncated: ") for line in head if line.startswith("WARC-Truncated")]
    assert (seen.truncated, said) == (truncated, [truncated] if truncated else [])


async def test_no_host_is_asked_faster_or_more_often_than_allowed(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(live, "HOST_REQUESTS", 6)
    async with visitor(settings, database, page, host_seconds=5) as (pages, asked):
        pages.sleep = sleep
        found = await asyncio.gather(
            *(
                pages.read(f"http://{host}/{number}")
                for number in range(8)
                for host in ("name.com", "parked-name.com")
            ),
            return_exceptions=True,
        )
    counted = Counter(host for host, _ in asked)
    assert counted == {"name.com": 6, "parked-name.com": 6}
    spared = [error for error in found if isinstance(error, UpstreamError)]
    assert {error.kind for error in spared} == {"spared"} and len(spared) == 6
    assert max(slept) > 20, "the sixth request waits for five pauses of five seconds"


async def test_a_name_without_an_address_is_told_from_one_that_nobody_could_look_up(
    settings: Settings, database: Database
) -> None:
    async with visitor(settings, database, page) as (pages, _):
        with pytest.raises(UpstreamError) as gone:
            await pages.read("http://www.no-such-name.com/a")
        assert not await pages.exists("no-such-name.com")
        assert await pages.exists("name.com")
    assert gone.value.kind == "no_host"


@pytest.mark.parametrize(
    "spelled", ["name.com:80", "NAME.com", "name.com.", "ｎame.com", "name.com:080", "name。com"]
)
async def test_a_host_is_one_host_however_it_is_spelled(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    monkeypatch.setattr(live, "HOST_REQUESTS", 2)
    async with visitor(settings, database, page) as (pages, asked):
        await pages.read("http://name.com/a")
        with pytest.raises(UpstreamError) as spared:
            await pages.read(f"http://{spelled}/b")
    assert (spared.value.kind, len(asked)) == ("spared", 2)


async def test_names_of_one_network_share_its_requests_of_the_day(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redirects count as well: they aim us at whom a stranger wants."""
    monkeypatch.setattr(live, "NETWORK_REQUESTS", 5)

    def moved(request: web.Request) -> web.StreamResponse:
        if request.host == "name.com" and request.path != "/robots.txt":
            return web.Response(status=301, headers={"Location": f"http://parked-name.com{request.path}"})
        return page(request)

    async with visitor(settings, database, moved) as (pages, asked):
        assert (await pages.read("http://name.com/a")).url == "http://parked-name.com/a"
        with pytest.raises(UpstreamError, match=r"93\.184\.216\.0/24 had its 5 requests of today") as spared:
            await pages.read("http://name.com/b")
    assert (spared.value.kind, len(asked)) == ("spared", 5)


@pytest.mark.parametrize("key", ["parked-name.com", "parked-name.com:443", "parked-name.com/cdx"])
async def test_no_redirect_leads_to_a_host_that_we_ask_for_ourselves(
    settings: Settings, database: Database, key: str
) -> None:
    async with database.write() as conn:
        await pace.lease_slot(conn, key, 1.0, clock.epoch(), 0.0)

    def moved(request: web.Request) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        return web.Response(status=301, headers={"Location": "http://parked-name.com/save/"})

    async with visitor(settings, database, moved) as (pages, asked):
        with pytest.raises(UpstreamError, match="which is asked otherwise"):
            await pages.read("http://name.com/a")
    assert {host for host, _ in asked} == {"name.com"}


async def test_a_stranger_that_asks_to_wait_blocks_nothing_of_ours(
    settings: Settings, database: Database
) -> None:
    def busy(request: web.Request) -> web.StreamResponse:
        return web.Response(status=429, headers={"Retry-After": "3000"})

    async with visitor(settings, database, busy) as (pages, _):
        with pytest.raises(UpstreamError) as refused:
            await pages.read("http://name.com/")
        assert (refused.value.kind, refused.value.retry_after) == ("rate_limited", 3001.0)
        async with database.read() as conn:
            assert await pace.blocked_until(conn, "name.com", clock.epoch()) == 0.0
            kept = [row.host for row in await pace.host_states(conn)]
    assert "live:name.com" in kept and "name.com" not in kept
