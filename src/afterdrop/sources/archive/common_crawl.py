"""The client of Common Crawl by its files alone: tables of its crawls' indexes, blocks of rows, records of captures.

Its index server is never asked: it is under constant load and refuses an address after a few hundred questions. Files
are read by ranges, one request at a time. Source: the publisher's description of its index and of its WARC files.
"""

from __future__ import annotations

import asyncio
import io
import logging
import mmap
import re
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import orjson
from multidict import CIMultiDict

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive
from afterdrop.http.client import Fetched
from afterdrop.sources.archive.capture_file import surt
from afterdrop.sources.archive.warc import read_records
from afterdrop.sources.archive.wayback import MissingCapture, Replay, WebClient, joined_url
from afterdrop.sources.archive.zipnum import Block, CrawlRow, Place, blocks_of, compact, rows_in

log = logging.getLogger("afterdrop.archive")

_ID: Final = re.compile(r"CC-MAIN-(\d{4})-\d{2}")
# Files of earlier years have other forms.
_FIRST_YEAR: Final = 2013
_NEWEST: Final = 12
_LIST_BYTES: Final = 2_000_000
_RANGE: Final = 8_000_000
_MOST_INDEX: Final = 1_000_000_000
_CACHE_BYTES: Final = 64_000_000
_TABLE, _INDEX, _PART = ".blocks", ".idx.part", ".blocks.part"


@dataclass(frozen=True, slots=True)
class CrawlRows:
    """Captures of one domain: `lines` of the seven fields of `cdx_lines`, sorted, and where their records stand.

    `places` are by time (fourteen digits) and address as in the line, `crawls` the ids of the crawls that were asked.
    """

    lines: bytes
    places: Mapping[tuple[str, str], Place] = field(repr=False)
    crawls: tuple[str, ...]


@dataclass
class CommonCrawl:
    """Common Crawl over one paced HTTP client. `folder` has a table for each crawl that is asked."""

    web: WebClient
    settings: Archive
    folder: Path
    _blocks: OrderedDict[tuple[str, Block], bytes] = field(default_factory=OrderedDict, repr=False)
    _gone: set[str] = field(default_factory=set, repr=False)

    @property
    def host(self) -> str:
        """The pace key of the files."""
        return urlsplit(self.settings.crawl_url).netloc

    def tables(self) -> tuple[str, ...]:
        """The ids of the crawls whose table is there, the newest first."""
        names = (file.stem for file in self.folder.glob(f"*{_TABLE}"))
        return tuple(sorted(filter(_ID.fullmatch, names), reverse=True))

    async def fetch_tables(self, most: int | None = None) -> tuple[str, ...]:
        """Fetch the tables that are missing of the newest twelve crawls and of one a year before, at most `most`.

        Gives the ids of those that were fetched. What was fetched of a file before a failure is kept. Raises
        UpstreamError.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        wanted = chosen(await self._listed())
        missing = [crawl for crawl in wanted if crawl not in self.tables()][:most]
        for crawl in missing:
            await self._fetch_table(crawl)
        here = self.tables()
        if set(wanted) <= set(here):
            for crawl in set(here) - set(wanted):
                (self.folder / f"{crawl}{_TABLE}").unlink(missing_ok=True)
        return tuple(missing)

    async def _listed(self) -> list[str]:
        url = self.settings.crawls_url
        fetched = await self.web.get(url, max_bytes=_LIST_BYTES, timeout=self.settings.timeout_seconds)
        try:
            return [str(crawl["id"]) for crawl in orjson.loads(fetched.body)]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise UpstreamError(url, "bad_content", "answered with no list of crawls") from None

    async def _fetch_table(self, crawl: str) -> None:
        path = f"cc-index/collections/{crawl}/indexes/cluster.idx"
        part = self.folder / f"{crawl}{_INDEX}"
        while True:
            start = part.stat().st_size if part.exists() else 0
            fetched = await self._range(path, start, _RANGE)
            with part.open("ab") as file:
                file.write(fetched.body)
            if start + len(fetched.body) >= min(_total(fetched), _MOST_INDEX):
                break
        try:
            await asyncio.to_thread(_write_table, part, self.folder / f"{crawl}{_PART}")
        except ValueError as error:
            raise UpstreamError(f"{self.settings.crawl_url}/{path}", "bad_content", str(error)) from None
        finally:
            part.unlink(missing_ok=True)
        (self.folder / f"{crawl}{_PART}").rename(self.folder / f"{crawl}{_TABLE}")

    async def index(self, domain: str, without: Collection[str] = ()) -> CrawlRows:
        """The captures of `domain` (registrable, A-label) in the crawls whose table is there, but those of `without`.

        One request for each block that is not in memory. A crawl whose files have gone is left out. Raises
        UpstreamError.
        """
        blocks = await asyncio.to_thread(self._blocks_of, domain, frozenset(without) | self._gone)
        lines: list[bytes] = []
        places: dict[tuple[str, str], Place] = {}
        crawls: list[str] = []
        for crawl, its_blocks in blocks.items():
            try:
                for block in its_blocks:
                    for row in await self._rows(crawl, block, domain):
                        _, stamp, url, *_ = row.line.split(b" ")
                        lines.append(row.line)
                        places[stamp.decode(), url.decode("utf-8", "replace")] = row.place
            except UpstreamError as error:
                if error.http_status != 404:
                    raise
                log.warning("the files of %s have gone; it is no longer asked", crawl)
                self._gone.add(crawl)
            else:
                crawls.append(crawl)
        return CrawlRows(b"\n".join(sorted(lines)), places, tuple(crawls))

    def _blocks_of(self, domain: str, without: Collection[str]) -> dict[str, tuple[Block, ...]]:
        found: dict[str, tuple[Block, ...]] = {}
        for crawl in self.tables():
            if crawl in without:
                continue
            with (self.folder / f"{crawl}{_TABLE}").open("rb") as file:
                if size := file.seek(0, io.SEEK_END):
                    with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as table:
                        found[crawl] = blocks_of(table, domain)
        return found

    async def _rows(self, crawl: str, block: Block, domain: str) -> list[CrawlRow]:
        path = f"cc-index/collections/{crawl}/indexes/{block.shard}"
        packed = self._blocks.get((crawl, block))
        if packed is None:
            packed = (await self._range(path, block.offset, block.length)).body
        try:
            rows = await asyncio.to_thread(rows_in, packed, domain)
        except ValueError as error:
            raise UpstreamError(f"{self.settings.crawl_url}/{path}", "bad_content", str(error)) from None
        # Neighbours stand in the same block. A crawl never changes.
        self._blocks[crawl, block] = packed
        self._blocks.move_to_end((crawl, block))
        while sum(map(len, self._blocks.values())) > _CACHE_BYTES:
            self._blocks.popitem(last=False)
        return rows

    async def capture(self, place: Place, asked: datetime, url: str) -> Replay | MissingCapture:
        """The capture of `url` that stands at `place`. `asked` is told in the answer. Raises UpstreamError."""
        packed = (await self._range(place.filename, place.offset, place.length)).body
        faults: Counter[str] = Counter()
        records = await asyncio.to_thread(lambda: [*read_records(io.BytesIO(packed).read, faults)])
        record = next((record for record in records if surt(record.url) == surt(url)), None)
        if record is None or record.status is None:
            return MissingCapture(asked, url, "not_archived")
        location = record.headers.get("location")
        return Replay(
            asked,
            record.at,
            record.url,
            self.line_address(place, record.url),
            record.status,
            record.mimetype,
            record.body,
            CIMultiDict(record.headers),
            joined_url(record.url, location) if location and 300 <= record.status < 400 else None,
        )

    def line_address(self, place: Place, url: str) -> str:
        """The address at which a person sees the crawl's lines of `url`: there is no viewer of its captures."""
        base = self.settings.crawls_url.rpartition("/")[0]
        return f"{base}/{place.crawl}-index?output=json&url={quote(url, safe='')}"

    async def _range(self, path: str, offset: int, length: int) -> Fetched:
        """A range of bytes of a file, which is shorter at the file's end only."""
        url = f"{self.settings.crawl_url}/{path}"
        fetched = await self.web.get(
            url,
            pace_key=self.host,
            max_bytes=length,
            timeout=self.settings.timeout_seconds,
            redirects=0,
            headers={"Range": f"bytes={offset}-{offset + length - 1}", "Accept-Encoding": "identity"},
            backs_off=True,
        )
        if fetched.status != 206:
            raise UpstreamError(
                url, "status", f"answered a range with {fetched.status}", http_status=fetched.status
            )
        end = min(offset + length, _total(fetched))
        spelled = f"bytes {offset}-{end - 1}/"
        if (
            not fetched.headers.get("Content-Range", "").startswith(spelled)
            or len(fetched.body) != end - offset
        ):
            raise UpstreamError(url, "bad_content", "answered with another range than was asked for")
        return fetched


def chosen(listed: Collection[str]) -> tuple[str, ...]:
    """The crawls that are asked, the newest first: the newest twelve of those listed, and the last of each year before.

    >>> chosen(["CC-MAIN-2013-48", "CC-MAIN-2013-20", "CC-MAIN-2012", "x"])
    ('CC-MAIN-2013-48', 'CC-MAIN-2013-20')
    """
    known = {crawl: found[1] for crawl in listed if (found := _ID.fullmatch(crawl))}
    ordered = sorted((crawl for crawl in known if int(known[crawl]) >= _FIRST_YEAR), reverse=True)
    newest, older = ordered[:_NEWEST], ordered[_NEWEST:]
    last = {known[crawl]: crawl for crawl in reversed(older)}
    covered = {known[crawl] for crawl in newest}
    return (*newest, *(crawl for year, crawl in sorted(last.items(), reverse=True) if year not in covered))


def _total(fetched: Fetched) -> int:
    """The size of the file that a Content-Range tells, 0 where it tells none (RFC 9110, section 14.4)."""
    size = fetched.headers.get("Content-Range", "").rpartition("/")[2]
    return int(size) if size.isascii() and size.isdigit() and len(size) <= 15 else 0


def _write_table(index: Path, table: Path) -> None:
    with index.open("rb") as lines, table.open("wb") as file:
        file.writelines(compact(lines))
