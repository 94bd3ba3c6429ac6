"""Common Crawl's files over HTTP with byte ranges: the list of crawls, and each crawl's index and records.

A crawl has each page of the world at most once, as it was last in the crawl's time, and once as a redirect. About one
site in seven is in no crawl. Beside every third site stands a neighbour, whose name goes on with a hyphen, that only
crawls have. The files are made when the first of a crawl is asked for. While `whole_files` plays, ranges are ignored.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from http import HTTPStatus

from aiohttp import web

from afterdrop.sandbox.captures import Capture, surt
from afterdrop.sandbox.graph_server import ranged
from afterdrop.sandbox.pages import SitePage
from afterdrop.sandbox.state import SandboxState, json_answer
from afterdrop.sandbox.world import World

LIST_PATH = "/collinfo.json"
_FIRST_YEAR = 2013
# Real blocks have 3,000 lines, and real indexes 300 files.
_BLOCK_LINES = 40
_SHARDS = 3
_IN_ANY, _IN_ONE = 0.85, 0.9
_ID = re.compile(r"CC-MAIN-\d{4}-\d{2}")
_GONE = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code><Key>{}</Key></Error>"


@dataclass(frozen=True, slots=True)
class Crawl:
    """A crawl: its id, and the days from which and before which it captured."""

    id: str
    start: date
    end: date


def crawls(day: date) -> tuple[Crawl, ...]:
    """All crawls of a world, newest first: two a year, monthly since the year before that of `day`."""
    made: list[Crawl] = []
    for year in range(_FIRST_YEAR, day.year + 1):
        months = 1 if year >= day.year - 1 else 6
        for first in range(1, 13, months):
            week = date(year, first + months // 2, 15).isocalendar().week
            end = date(year + (first + months > 12), (first + months - 1) % 12 + 1, 1)
            made.append(Crawl(f"CC-MAIN-{year}-{week:02}", date(year, first, 1), end))
    return tuple(reversed(made))


def captures_of(world: World, crawl: Crawl) -> list[Capture]:
    """The captures of a crawl, by key and time."""
    taken = [capture for story in world.stories for capture in _of_site(world, story.index, crawl)]
    return sorted(taken, key=lambda capture: (capture.urlkey, capture.timestamp))


def _of_site(world: World, index: int, crawl: Crawl) -> Iterator[Capture]:
    story = world.stories[index]
    label, _, extension = story.domain.partition(".")
    if index % 3 == 0 and not label.startswith("xn--"):
        domain = f"{label}-bazaar.{extension}"
        body = f"<!doctype html><title>{domain}</title><h1>The bazaar of {crawl.start.year}</h1>".encode()
        digest = base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()
        page = SitePage(200, "text/html", "utf-8", body, digest=digest)
        stamp = f"{crawl.start:%Y%m%d}120000"
        yield Capture(surt(domain, "/"), stamp, f"http://{domain}/", "text/html", "200", page)
    if not in_common_crawl(story.domain) or random.Random(f"{crawl.id}:{story.domain}").random() > _IN_ONE:
        return
    start, end = f"{crawl.start:%Y%m%d}", f"{crawl.end:%Y%m%d}"
    # A page's captures are in the order of time, so that the last one stays, beside the last redirect to it.
    yield from {
        (capture.urlkey, capture.page.status): capture
        for capture in world.captures(story)
        if start <= capture.timestamp < end
    }.values()


def in_common_crawl(domain: str) -> bool:
    """Whether any crawl has this site of the world."""
    return random.Random(f"crawled:{domain}").random() < _IN_ANY


@dataclass
class _CrawlFiles:
    """The files of one crawl by their paths, while they are made."""

    crawl: Crawl
    files: dict[str, bytearray] = field(default_factory=dict)

    def add(self, path: str, content: bytes) -> tuple[str, int, int]:
        """Add a gzip member to a file; gives the file, the member's offset and its length."""
        packed = gzip.compress(content, mtime=0)
        file = self.files.setdefault(path, bytearray())
        file += packed
        return path, len(file) - len(packed), len(packed)

    def add_record(self, capture: Capture) -> str:
        """Add a capture's record; gives the line of the index."""
        page, kind = capture.page, _kind(capture)
        path = f"crawl-data/{self.crawl.id}/segments/1720763514387.30/{kind}/{self.crawl.id}-00000.warc.gz"
        filename, offset, length = self.add(path, _record(capture))
        row = {
            "url": capture.original,
            "mime": "unk" if page.location else page.mimetype,
            "mime-detected": page.mimetype,
            "status": str(page.status),
            "digest": page.digest,
            "length": str(length),
            "offset": str(offset),
            "filename": filename,
            **({"charset": page.charset.upper()} if page.charset else {}),
            **({"redirect": page.location} if page.location else {}),
        }
        return f"{capture.urlkey} {capture.timestamp} {json.dumps(row)}\n"

    def add_index(self, lines: list[str]) -> None:
        """Add the index of these lines: blocks in several files, and the list of their first keys."""
        folder = f"cc-index/collections/{self.crawl.id}/indexes"
        starts = range(0, len(lines), _BLOCK_LINES)
        cluster = ""
        for number, start in enumerate(starts):
            shard = f"cdx-{number * _SHARDS // len(starts):05}.gz"
            block = "".join(lines[start : start + _BLOCK_LINES]).encode()
            _, offset, length = self.add(f"{folder}/{shard}", block)
            key = " ".join(lines[start].split(" ", 2)[:2])
            cluster += f"{key}\t{shard}\t{offset}\t{length}\t{number + 1}\n"
        self.files[f"{folder}/cluster.idx"] = bytearray(cluster.encode())


def _kind(capture: Capture) -> str:
    """The part of a crawl in which a record lies."""
    if capture.original.endswith("/robots.txt"):
        return "robotstxt"
    return "warc" if capture.page.status == 200 else "crawldiagnostics"


def _record(capture: Capture) -> bytes:
    """A record as Common Crawl stores it: without the coding in which the page came, which a field tells."""
    page, at = capture.page, datetime.strptime(capture.timestamp, "%Y%m%d%H%M%S")  # noqa: DTZ007  # printed only
    answer = [
        f"HTTP/1.1 {page.status} {HTTPStatus(page.status).phrase}",
        f"Content-Type: {page.content_type}",
        "X-Crawler-Content-Encoding: gzip",
        "X-Crawler-Transfer-Encoding: chunked",
        f"Content-Length: {len(page.body)}",
        *([f"Location: {page.location}"] if page.location else []),
    ]
    block = "\r\n".join([*answer, "", ""]).encode() + page.body
    head = [
        "WARC/1.0",
        "WARC-Type: response",
        f"WARC-Date: {at:%Y-%m-%dT%H:%M:%S}Z",
        f"WARC-Target-URI: {capture.original}",
        f"WARC-Payload-Digest: sha1:{page.digest}",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join([*head, "", ""]).encode() + block + b"\r\n\r\n"


def crawl_files(world: World, crawl: Crawl) -> dict[str, bytes]:
    """The files of a crawl by their paths."""
    made = _CrawlFiles(crawl)
    made.add_index([made.add_record(capture) for capture in captures_of(world, crawl)])
    return {path: bytes(content) for path, content in made.files.items()}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The list of the crawls that have ended, and their files."""
    made: dict[str, dict[str, bytes]] = {}
    making = asyncio.Lock()

    def there() -> dict[str, Crawl]:
        today = sandbox.clock.now().date()
        return {crawl.id: crawl for crawl in crawls(sandbox.world.day) if crawl.end <= today}

    async def listed(request: web.Request) -> web.StreamResponse:
        return json_answer([
            {
                "id": crawl.id,
                "name": f"{crawl.start:%B %Y} Index",
                "timegate": f"https://index.commoncrawl.org/{crawl.id}/",
                "cdx-api": f"https://index.commoncrawl.org/{crawl.id}-index",
                "from": f"{crawl.start}T00:00:00",
                "to": f"{crawl.end}T00:00:00",
            }
            for crawl in there().values()
        ])  # fmt: skip

    async def file(request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/")
        named = _ID.search(path)
        crawl = there().get(named[0]) if named else None
        if crawl is None:
            return _gone(path)
        async with making:
            if crawl.id not in made:
                made[crawl.id] = await asyncio.to_thread(crawl_files, sandbox.world, crawl)
        content = made[crawl.id].get(path)
        if content is None:
            return _gone(path)
        if "whole_files" in sandbox.faults.playing:
            return web.Response(body=content, content_type="binary/octet-stream")
        return ranged(request, content)

    yield web.get(LIST_PATH, listed)
    yield web.get("/{path:(?:crawl-data|cc-index)/.+}", file)


def _gone(path: str) -> web.Response:
    return web.Response(status=404, text=_GONE.format(path), content_type="application/xml")
