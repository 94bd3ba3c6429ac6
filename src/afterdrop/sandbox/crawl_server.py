"""Common Crawl's files over HTTP: the list of crawls, cluster files, blocks of the index, and WARC records by ranges.

Each crawl has what the world's archive captured last of an address since the crawl before, a few hours later. Some
sites are not in it at all, as real sites that forbid its crawler.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Final

import orjson
from aiohttp import web

from afterdrop.sandbox.captures import Capture
from afterdrop.sandbox.state import SandboxState, json_answer
from afterdrop.sandbox.world import World

# Weeks of the crawls: twice in 2013, then four times a year.
_WEEKS: Final = {2013: (20, 48)}
_EACH_YEAR: Final = (5, 18, 30, 43)
_BLOCK_LINES: Final = 100
_SHARDS: Final = 3
# Of a hundred sites so many are not in Common Crawl.
_LACKING: Final = 15


@dataclass(frozen=True, slots=True)
class _Crawl:
    """The files of one crawl by their path."""

    files: dict[str, bytes] = field(repr=False)


def crawls_until(now: datetime) -> list[tuple[str, datetime]]:
    """The ids of the crawls that have ended by `now`, and when each ended, the oldest first."""
    found: list[tuple[str, datetime]] = []
    for year in range(2013, now.year + 1):
        for week in _WEEKS.get(year, _EACH_YEAR):
            end = datetime.fromisocalendar(year, week, 7).replace(tzinfo=UTC)
            if end <= now:
                found.append((f"CC-MAIN-{year}-{week:02}", end))
    return found


def in_common_crawl(domain: str) -> bool:
    """Whether Common Crawl has the site."""
    return hashlib.sha256(f"crawl {domain}".encode()).digest()[0] * 100 // 256 >= _LACKING


def make_crawl(world: World, crawl: str, start: datetime, end: datetime) -> _Crawl:
    """The files of the crawl of what was captured from `start` to `end`."""
    rows: list[tuple[bytes, bytes]] = []
    archives: dict[str, bytearray] = {}
    for story in world.stories:
        if in_common_crawl(story.domain):
            for capture in _captured(world.captures(story), start, end):
                kind = "warc" if capture.page.status == HTTPStatus.OK else "crawldiagnostics"
                if capture.original.endswith("/robots.txt"):
                    kind = "robotstxt"
                name = f"crawl-data/{crawl}/segments/1.1/{kind}/CC-MAIN-0.warc.gz"
                rows.append(_row(capture, crawl, name, archives.setdefault(name, bytearray())))
    rows.sort()
    files = {name: bytes(content) for name, content in archives.items()}
    return _Crawl(files | _index_files(crawl, [line for _, line in rows]))


def _captured(captures: tuple[Capture, ...], start: datetime, end: datetime) -> Iterator[Capture]:
    first, last = (f"{at:%Y%m%d%H%M%S}" for at in (start, end))
    latest = {row.urlkey: row for row in captures if first < row.timestamp <= last}
    yield from latest.values()


def _row(capture: Capture, crawl: str, name: str, archive: bytearray) -> tuple[bytes, bytes]:
    """Append a capture's record to its file; gives the row's key, and its line."""
    seen = datetime.strptime(capture.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    later = hashlib.sha256(f"{crawl} {capture.original}".encode()).digest()[0]
    at = seen + timedelta(seconds=60 * later)
    record = gzip.compress(_record(capture, at), 1, mtime=0)
    page = capture.page
    value = {
        "url": capture.original, "mime": page.mimetype, "mime-detected": page.mimetype, "status": str(page.status),
        "digest": page.digest, "length": str(len(record)), "offset": str(len(archive)), "filename": name,
    }  # fmt: skip
    archive += record
    key = f"{capture.urlkey} {at:%Y%m%d%H%M%S}".encode()
    return key, key + b" " + orjson.dumps(value)


def _record(capture: Capture, at: datetime) -> bytes:
    """A response record with a payload that was decoded, and the coding that it had in a field of the crawler's."""
    page = capture.page
    head = [
        f"HTTP/1.1 {page.status} {HTTPStatus(page.status).phrase}",
        f"Content-Type: {page.content_type}",
        "X-Crawler-Content-Encoding: gzip",
        *([f"Location: {page.location}"] if page.location else []),
        f"Content-Length: {len(page.body)}",
    ]
    answer = "\r\n".join(head).encode() + b"\r\n\r\n" + page.body
    fields = [
        "WARC/1.0",
        "WARC-Type: response",
        f"WARC-Date: {at:%Y-%m-%dT%H:%M:%SZ}",
        f"WARC-Target-URI: {capture.original}",
        f"WARC-Payload-Digest: sha1:{page.digest}",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(answer)}",
    ]
    return "\r\n".join(fields).encode() + b"\r\n\r\n" + answer + b"\r\n\r\n"


def _index_files(crawl: str, lines: list[bytes]) -> dict[str, bytes]:
    """The shards of the index, blocks of gzip one after another, and the cluster file that tells where each stands."""
    folder = f"cc-index/collections/{crawl}/indexes"
    shards = [bytearray() for _ in range(_SHARDS)]
    cluster: list[bytes] = []
    each = -(-len(lines) // _SHARDS) or 1
    for start in range(0, len(lines), _BLOCK_LINES):
        number = start // each
        some = lines[start : start + _BLOCK_LINES]
        block = gzip.compress(b"\n".join(some) + b"\n", 1, mtime=0)
        first = b" ".join(some[0].split(b" ", 2)[:2])
        where = b"cdx-%05d.gz\t%d\t%d\t%d" % (number, len(shards[number]), len(block), len(cluster) + 1)
        cluster.append(first + b"\t" + where + b"\n")
        shards[number] += block
    files = {f"{folder}/cdx-{number:05}.gz": bytes(shard) for number, shard in enumerate(shards)}
    return {**files, f"{folder}/cluster.idx": b"".join(cluster)}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The routes of the list of crawls and of the files."""
    made: dict[str, _Crawl] = {}

    async def listed(_: web.Request) -> web.StreamResponse:
        known = crawls_until(sandbox.clock.now())
        return json_answer(
            [{"id": crawl, "to": f"{end:%Y-%m-%dT%H:%M:%S}"} for crawl, end in reversed(known)]
        )

    async def file(request: web.Request) -> web.StreamResponse:
        known = crawls_until(sandbox.clock.now())
        crawl = next((part for part in request.path.split("/") if part.startswith("CC-MAIN-2")), "")
        place = next((place for place, (name, _) in enumerate(known) if name == crawl), None)
        if place is None:
            return _no_such_key()
        if crawl not in made:
            start = known[place - 1][1] if place else datetime(2008, 1, 1, tzinfo=UTC)
            made[crawl] = make_crawl(sandbox.world, crawl, start, known[place][1])
        content = made[crawl].files.get(request.path.lstrip("/"))
        return _no_such_key() if content is None else _part(request, content)

    yield web.get("/collinfo.json", listed)
    yield web.get("/cc-index/{rest:.+}", file)
    yield web.get("/crawl-data/{rest:.+}", file)


def _no_such_key() -> web.Response:
    body = "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"
    return web.Response(status=404, text=body, content_type="application/xml")


def _part(request: web.Request, content: bytes) -> web.Response:
    """The bytes of the request's range (RFC 9110, section 14); without one all of them."""
    wanted = request.http_range
    if wanted.start is None:
        return web.Response(body=content)
    if wanted.start >= len(content):
        return web.Response(status=416, headers={"Content-Range": f"bytes */{len(content)}"})
    some = content[wanted.start : wanted.stop]
    told = f"bytes {wanted.start}-{wanted.start + len(some) - 1}/{len(content)}"
    return web.Response(status=206, body=some, headers={"Content-Range": told})
