"""The HTTP client against real servers on loopback: pace, bounds, redirects, private networks."""

from __future__ import annotations

import asyncio
import gzip
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from aiohttp import web

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher, open_fetcher, retry_after_seconds

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """A real HTTP server; yields its origin."""
    runner = web.ServerRunner(web.Server(handler))  # type: ignore[arg-type]  # a Request is what it passes
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield site.name.rstrip("/")
    finally:
        await runner.cleanup()


def out(
    database: Database, *origins: str, pace: float = 200, at_once: int = 8
) -> AbstractAsyncContextManager[Fetcher]:
    settings = Settings(
        trusted_origins=origins, pace=Pace(default=HostPace(per_second=pace, at_once=at_once), hosts={}),
        contact="mailto:op@example.org",
    )  # fmt: skip
    return open_fetcher(settings, database, time.time, random.Random(1))


async def test_it_sends_its_user_agent_and_reads_the_answer(database: Database) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=request.headers["User-Agent"], headers={"X-A": "1"})

    async with serving(answer) as origin, out(database, origin) as fetcher:
        found = await fetcher.get(f"{origin}/x")
    assert found.body == b"afterdrop/1.0 (+mailto:op@example.org)"
    assert (found.status, found.headers["x-a"], found.url, found.hops) == (200, "1", f"{origin}/x", 0)


async def test_a_private_address_is_refused_unless_its_origin_is_trusted(database: Database) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        raise AssertionError("must not be reached")

    async with serving(answer) as origin, out(database) as fetcher:
        port = origin.rsplit(":", 1)[1]
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"):
            with pytest.raises(UpstreamError) as caught:
                await fetcher.get(f"http://{host}:{port}/")
            assert caught.value.kind in ("refused_address", "connect"), host
        for odd in ("http://127.1/", "http://2130706433/", "http://0x7f000001/"):
            with pytest.raises(UpstreamError):
                await fetcher.get(odd)


async def test_redirects_are_followed_three_times_and_not_into_plain_http(database: Database) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        left = int(request.path.strip("/") or 0)
        if left > 50:
            raise web.HTTPFound("http://example.net/")
        if left:
            raise web.HTTPFound(f"/{left - 1}")
        return web.Response(text="there")

    async with serving(answer) as origin, out(database, origin) as fetcher:
        found = await fetcher.get(f"{origin}/3")
        assert (found.body, found.hops) == (b"there", 3)
        with pytest.raises(UpstreamError, match="more than 3 times"):
            await fetcher.get(f"{origin}/4")
        with pytest.raises(UpstreamError, match="not https"):
            await fetcher.get(f"{origin}/99")
        assert (await fetcher.get(f"{origin}/1", redirects=0)).status == 302


async def test_a_redirect_never_brings_a_user_name(database: Database) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/own":
            raise web.HTTPFound("/there")
        if request.path == "/there":
            return web.Response(text=request.headers.get("Authorization", ""))
        raise web.HTTPFound(f"http://you:secret@{request.host}/there")

    async with serving(answer) as origin, out(database, origin) as fetcher:
        with pytest.raises(UpstreamError, match="with a user name") as caught:
            await fetcher.get(f"{origin}/odd")
        assert (caught.value.kind, "secret" in str(caught.value)) == ("redirect", False)
        own = await fetcher.get(f"{origin.replace('//', '//me:key@')}/own")
    assert own.body.startswith(b"Basic ")


HOSTILE = (
    b"https://[",
    b"https://[::1]x/",
    b"http://[v1.x]/",
    b"https://",
    b"https:///x",
    b"https://a\xff.net/",
    b"https://\xe2\x84\x80.net/",
    b"https://" + b"a" * 4000 + b".net/",
    b"https://host:port/",
    b"//[",
    b"javascript:x",
    b"\xff",
)


@pytest.mark.parametrize("location", HOSTILE)
async def test_a_hostile_location_is_an_upstream_error(database: Database, location: bytes) -> None:
    async def hostile(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(hostile, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, out(database, origin) as fetcher:
        with pytest.raises(UpstreamError) as caught:
            await fetcher.get(f"{origin}/")
    assert caught.value.kind in ("redirect", "refused_address", "connect")


async def test_long_headers_of_real_sites_are_read(database: Database) -> None:
    async def answer(_request: web.Request) -> web.StreamResponse:
        many = {f"X-Archive-Orig-Link-{number}": "</a>; rel=preload" for number in range(900)}
        return web.Response(text="page", headers={"X-Archive-Orig-Policy": "x" * 60_000, **many})

    async with serving(answer) as origin, out(database, origin) as fetcher:
        found = await fetcher.get(f"{origin}/")
    assert (found.body, len(found.headers["X-Archive-Orig-Policy"])) == (b"page", 60_000)


async def test_addresses_are_asked_for_letter_for_letter_also_where_a_redirect_leads(
    database: Database,
) -> None:
    there = "/files/lots.csv?Policy=eyJ%2Fa%2Bb&Signature=ab%2fcd~e%7E%3D%3D"

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.raw_path.startswith("/a"):
            return web.Response(status=302, headers={"Location": there})
        return web.Response(text=request.raw_path)

    async with serving(answer) as origin, out(database, origin) as fetcher:
        for path in ("/a", there):
            found = await fetcher.get(origin + path)
            assert (found.body.decode(), found.url) == (there, origin + there)


@pytest.mark.parametrize("path", ["/x HTTP/1.1\r\nX-Injected: 1\r\n\r\n", "/x?a=\u2028\x00b", "/ü?ö=\udcff"])
async def test_no_address_sends_more_than_an_address(database: Database, path: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=request.raw_path, headers={"X-Got": str("X-Injected" in request.headers)})

    async with serving(answer) as origin, out(database, origin) as fetcher:
        found = await fetcher.get(origin + path)
    assert found.body.isascii() and b" " not in found.body and found.headers["X-Got"] == "False"


async def test_too_large_late_and_broken_answers_are_errors(database: Database) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/big":
            body = gzip.compress(b"\0" * 5_000_000)
            return web.Response(body=body, headers={"Content-Encoding": "gzip"})
        if request.path == "/cut":
            response = web.StreamResponse(headers={"Content-Length": "1000"})
            await response.prepare(request)
            await response.write(b"half")
            assert request.transport is not None
            request.transport.close()
            return response
        if request.path == "/chunks":
            assert request.transport is not None
            request.transport.write(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n"
            )
        await asyncio.sleep(1)
        return web.Response()

    async with serving(answer) as origin, out(database, origin) as fetcher:
        for path, kind in (
            ("/big", "too_large"),
            ("/cut", "truncated"),
            ("/chunks", "truncated"),
            ("/slow", "timeout"),
        ):
            with pytest.raises(UpstreamError) as caught:
                await fetcher.get(origin + path, max_bytes=1_000_000, timeout=0.4)
            assert caught.value.kind == kind
            assert "Error" not in caught.value.message, "people read it"
    async with out(database, "http://127.0.0.1:1") as fetcher:
        with pytest.raises(UpstreamError) as caught:
            await fetcher.get("http://127.0.0.1:1/")
        assert caught.value.kind == "connect"
        assert caught.value.message == "cannot be connected to (Connection refused)"


async def test_many_requests_keep_one_pace(database: Database) -> None:
    seen: list[float] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append(time.monotonic())
        return web.Response()

    async with (
        serving(answer) as origin,
        out(database, origin, pace=10) as one,
        out(database, origin, pace=10) as two,
    ):
        await asyncio.gather(*(fetcher.get(f"{origin}/") for fetcher in (one, two) for _ in range(12)))
    assert len(seen) == 24
    # Less eight intervals for the way from slot to server on a busy machine; at a pace each it would be eleven.
    assert max(seen) - min(seen) >= (23 - 8) * 0.1


async def test_retry_after_is_honoured_by_everyone(database: Database) -> None:
    seen: list[float] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append(time.monotonic())
        if len(seen) == 1:
            return web.Response(status=429, headers={"Retry-After": "1"})
        return web.Response(text="ok")

    async with serving(answer) as origin, out(database, origin) as one, out(database, origin) as two:
        with pytest.raises(UpstreamError) as caught:
            await one.get(f"{origin}/")
        assert (caught.value.kind, caught.value.retry_after, caught.value.http_status) == (
            "rate_limited",
            1.0,
            429,
        )
        with pytest.raises(UpstreamError, match="is blocked for another"):
            await one.get(f"{origin}/", patience=0.2)
        assert (await two.get(f"{origin}/")).body == b"ok"
    assert len(seen) == 2
    assert seen[1] - seen[0] >= 1.0


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [(403, {}, 3600), (503, {}, 60), (403, {"Retry-After": "7"}, 7), (503, {"Retry-After": "7"}, 7)],
    ids=["403", "503", "403 for a time", "503 for a time"],
)
async def test_a_refusal_may_ask_to_wait(
    database: Database, status: int, headers: dict[str, str], seconds: int
) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers=headers, text="SlowDown" * 1_000)

    async with serving(answer) as origin, out(database, origin) as one, out(database, origin) as two:
        with pytest.raises(UpstreamError) as caught:
            await one.get(f"{origin}/", refusal_waits=True)
        assert (caught.value.kind, caught.value.retry_after, caught.value.http_status) == (
            "rate_limited",
            seconds,
            status,
        )
        with pytest.raises(UpstreamError, match="is blocked for another"):
            await two.get(f"{origin}/", patience=1)


async def test_a_file_that_is_not_there_is_no_refusal(database: Database) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=403, text="<Error><Code>NoSuchKey</Code></Error>")

    async with serving(answer) as origin, out(database, origin) as fetcher:
        assert (await fetcher.get(f"{origin}/", refusal_waits=True)).status == 403
        assert (await fetcher.get(f"{origin}/", refusal_waits=True)).status == 403


async def test_a_check_goes_before_the_scan(database: Database) -> None:
    order: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        order.append(request.path)
        return web.Response()

    async with serving(answer) as origin, out(database, origin, pace=10) as fetcher:
        scan = [asyncio.create_task(fetcher.get(f"{origin}/scan{n}")) for n in range(12)]
        await asyncio.sleep(0.15)
        await fetcher.with_priority().get(f"{origin}/check")
        place = order.index("/check")
        await asyncio.gather(*scan)
    assert place <= 5, order


async def test_what_can_wait_goes_after_the_scan(database: Database) -> None:
    order: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        order.append(request.path)
        return web.Response()

    # Half a second between requests: no busy machine lets a scan's request sleep over a whole interval.
    async with serving(answer) as origin, out(database, origin, pace=2) as fetcher:
        await fetcher.get(f"{origin}/first")
        waiting = asyncio.create_task(fetcher.behind_the_scan().get(f"{origin}/visitor"))
        await asyncio.gather(*(fetcher.get(f"{origin}/scan{n}") for n in range(4)))
        await waiting
    assert order[-1] == "/visitor", order


def test_retry_after_reads_seconds_and_dates() -> None:
    assert retry_after_seconds("12", 0) == 12
    assert retry_after_seconds("999999999999", 0) == 3600
    assert retry_after_seconds(None, 0) == 60
    for nonsense in ("soon", "²", "\udcff", "Mon, 01 Jan 99999 00:00:00 GMT", "-5", "1e9", ""):
        assert retry_after_seconds(nonsense, 0) == 60
    assert retry_after_seconds("Thu, 01 Jan 1970 00:01:40 GMT", 40) == 60
    assert retry_after_seconds("Thu, 01 Jan 1970 00:01:40 GMT", 400) == 0
