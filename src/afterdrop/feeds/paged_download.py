"""Download a list that comes in pages into one file, a row a line (NDJSON)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import orjson

from afterdrop.core.errors import FeedError
from afterdrop.feeds.spec import FeedSpec
from afterdrop.http.client import Fetcher

_PAGE_BYTES: Final = 50_000_000
_PAGE_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class PagedFile:
    """Where the rows go: `begin` opens the part, `complete` puts it in place, `max_bytes` bounds it."""

    begin: Callable[[], BinaryIO]
    complete: Callable[[], None]
    max_bytes: int


async def save_pages(
    spec: FeedSpec, url: str, headers: Mapping[str, str], fetcher: Fetcher, into: PagedFile
) -> None:
    """Save the rows of all pages. Raises FeedError and UpstreamError; then no file was put in place."""
    paging = spec.paging
    assert paging is not None
    size, before = 0, b""
    with await asyncio.to_thread(into.begin) as file:
        for number in range(paging.most):
            address = page_address(url, paging.query, paging.first + number * paging.step)
            answer = await fetcher.get(address, headers=headers, max_bytes=_PAGE_BYTES, timeout=_PAGE_SECONDS)
            if answer.status != 200:
                raise FeedError(spec.name, f"page {number + 1} is answered with status {answer.status}")
            rows = page_rows(spec, answer.body, number + 1)
            if not rows:
                break
            if rows == before:
                raise FeedError(
                    spec.name,
                    f"pages {number} and {number + 1} are the same; is {paging.query!r} the right name?",
                )
            size, before = size + len(rows), rows
            if size > into.max_bytes:
                raise FeedError(
                    spec.name, f"the pages are larger than {into.max_bytes} bytes (spool_max_bytes)"
                )
            await asyncio.to_thread(file.write, rows)
        else:
            raise FeedError(spec.name, f"has more than {paging.most} pages (paging.most)")
    await asyncio.to_thread(into.complete)


def page_address(url: str, name: str, number: int) -> str:
    """The address of one page: the URL with its parameter set."""
    parts = urlsplit(url)
    others = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if key != name]
    return urlunsplit(parts._replace(query=urlencode([*others, (name, str(number))])))


def page_rows(spec: FeedSpec, body: bytes, number: int) -> bytes:
    """The rows of a page, a line each; empty for a page without rows. Raises FeedError."""
    try:
        found: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise FeedError(spec.name, f"page {number} is not JSON") from None
    for key in spec.json_.path.split(".") if spec.json_.path else ():
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, list):
        raise FeedError(spec.name, f"page {number} has no list of rows at {spec.json_.path or 'its top'!r}")
    return b"".join(orjson.dumps(row) + b"\n" for row in found)
