"""Downloads whose answer is odd: content codings, and what is called current."""

from __future__ import annotations

import gzip
import zlib
from datetime import timedelta

import pytest
from aiohttp import web

from afterdrop.core.errors import FeedError
from tests.support.desk import feed
from tests.support.feed_shop import NOW, Answer, Get, Shop

LOTS = b"Domain;Price\nkettle.com;40\n"
BR = b"\x0b\x00\x80ab\x03"


@pytest.mark.parametrize(
    ("coding", "body", "kept"),
    [
        ("gzip", gzip.compress(LOTS, mtime=0), LOTS),
        ("gzip", gzip.compress(gzip.compress(LOTS, mtime=0), mtime=0), gzip.compress(LOTS, mtime=0)),
        ("x-gzip", gzip.compress(gzip.compress(LOTS, mtime=0), mtime=0), gzip.compress(LOTS, mtime=0)),
        ("deflate", zlib.compress(LOTS), LOTS),
        ("deflate", zlib.compress(LOTS, wbits=-15), LOTS),
        ("deflate, gzip", gzip.compress(zlib.compress(LOTS), mtime=0), LOTS),
        ("gzip, identity", gzip.compress(LOTS, mtime=0), LOTS),
        # A header that says what is not so.
        ("gzip", LOTS, LOTS),
        ("deflate", LOTS, LOTS),
        ("br", LOTS, LOTS),
        ("utf-8", gzip.compress(LOTS, mtime=0), gzip.compress(LOTS, mtime=0)),
    ],
)
async def test_content_codings_are_undone_as_the_header_says(
    shop: Shop, get: Get, coding: str, body: bytes, kept: bytes
) -> None:
    shop.gives("/l", body, **{"Content-Encoding": coding})
    assert (await get()).path.read_bytes() == kept


@pytest.mark.parametrize(
    ("coding", "body", "why"),
    [
        ("gzip", gzip.compress(LOTS, mtime=0)[:-4], "undone of its gzip coding"),
        ("deflate", zlib.compress(LOTS)[:-4], "undone of its deflate coding"),
        ("br", BR, "undone of its br coding .which nobody asked for"),
        ("gzip", gzip.compress(b"x" * 5000, mtime=0), "unpacks to more than 1000 bytes"),
        ("gzip, " * 5, gzip.compress(LOTS, mtime=0), "5 content codings"),
    ],
)
async def test_codings_that_cannot_be_undone_keep_the_old_file(
    shop: Shop, get: Get, coding: str, body: bytes, why: str
) -> None:
    shop.gives("/l", LOTS)
    await get()
    shop.gives("/l", body, **{"Content-Encoding": coding})
    with pytest.raises(FeedError, match=why):
        await get(max_bytes=1000)
    kept = await get(fresh_since=NOW)
    assert (len(shop.asked), kept.path.read_bytes()) == (2, LOTS)
    assert not list(kept.path.parent.glob("*.undone"))


async def unchanged(_request: web.Request) -> web.Response:
    return web.Response(status=304)


async def test_a_304_without_a_condition_is_a_fault(shop: Shop, get: Get) -> None:
    shop.answers["/l"] = unchanged
    with pytest.raises(FeedError, match="304"):
        await get()
    shop.gives("/l", LOTS)  # without validators
    await get()
    shop.answers["/l"] = unchanged
    with pytest.raises(FeedError, match="304"):
        await get(now=NOW + timedelta(days=1))


@pytest.mark.parametrize("path", ["/m", "/l?currency=EUR"])
async def test_a_304_never_takes_the_file_of_another_address(shop: Shop, get: Get, path: str) -> None:
    shop.gives("/l", b"one", ETag='"1"')
    await get()
    shop.answers[path.partition("?")[0]] = unchanged
    with pytest.raises(FeedError, match="304"):
        await get(feed(url=f"{shop.url}{path}"))
    assert "If-None-Match" not in shop.asked[-1].headers
    shop.gives(path.partition("?")[0], b"two")
    again = await get(feed(url=f"{shop.url}{path}"), fresh_since=NOW, now=NOW)
    assert (again.changed, again.path.read_bytes()) == (True, b"two")


async def test_the_validators_of_a_file_before_are_forgotten(shop: Shop, get: Get) -> None:
    shop.gives("/l", b"one", ETag='"1"')
    await get()
    shop.gives("/l", b"two")
    await get()
    await get()
    assert shop.asked[1].headers["If-None-Match"] == '"1"'
    assert "If-None-Match" not in shop.asked[2].headers


async def test_validators_go_to_the_address_that_gave_them(shop: Shop, other: Shop, get: Get) -> None:
    def to(path: str) -> Answer:
        async def redirect(_request: web.Request) -> web.Response:
            return web.Response(status=302, headers={"Location": f"{other.url}{path}"})

        return redirect

    shop.answers["/l"] = to("/monday")
    other.gives("/monday", b"one", ETag='"1"')
    await get()
    other.answers["/monday"] = unchanged
    assert (await get()).changed is False
    assert other.asked[-1].headers["If-None-Match"] == '"1"'
    shop.answers["/l"] = to("/tuesday")
    other.gives("/tuesday", b"two", ETag='"1"')
    assert (await get()).path.read_bytes() == b"two"
    assert "If-None-Match" not in other.asked[-1].headers
