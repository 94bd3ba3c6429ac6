"""The client of Common Crawl, by its files alone: which captures its crawls have of a domain, and their records.

Source: the documentation of the index (commoncrawl.org/get-started, "ZipNum sharded CDX"), ISO 28500 for the records.
Its query server is not asked: it is under constant load, and refuses who asks often. The files lie on another host,
which wants one connection and about one request a second. Of a crawl's index only the table of blocks is kept here.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import mmap
import os
import re
import zlib
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Final
from urllib.parse import urlencode, urlsplit

import orjson
from multidict import CIMultiDict

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive
from afterdrop.sources.archive.capture_file import domain_of, surt
from afterdrop.sources.archive.warc import BODY_BYTES, WarcRecord, read_records
from afterdrop.sources.archive.wayback import MissingCapture, Replay, WebClient, joined_url
from afterdrop.sources.archive.zipnum import (
    LINE_BYTES,
    MOST_ROWS,
    Block,
    CrawlRow,
    Place,
    blocks_of,
    compact,
    rows_in,
)

log = logging.getLogger("afterdrop.archive")

# Bytes of a cluster file that one request asks for; the largest file that is taken (they have about 100 MB); and as
# many bytes of any other answer as the page of an error may have.
PIECE_BYTES = 8_000_000
_CLUSTER_BYTES = 500_000_000
_PAGE_BYTES = 100_000
_LIST_BYTES = 1_000_000
_NEWEST = 12
# Crawls before that year have other files.
_FIRST_YEAR = 2013
_BLOCKS_BYTES = 64_000_000
# Of rows of one domain: sites of thousands of long addresses are read as far as this, the newest crawls first.
_ROWS_BYTES = 64_000_000
_A_DAY = 86_400.0
# A record's head and twice the body that is read, as `read_records` takes it.
_RECORD_BYTES = 2 * BODY_BYTES + 1_000_000
_CRAWL = re.compile(r"CC-MAIN-([0-9]{4})-[0-9]{2}")
_RANGE = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})")
_LINES: Final = "https://index.commoncrawl.org"


@dataclass(frozen=True)
class CrawlRows:
    """The rows of a domain in crawls.

    `lines` are sorted rows of seven fields (`cdx_lines`), one a line, b"" for none. `places` tells where a capture's
    record stands, by its time (14 digits) and its address, as in the line. `crawls` are those that were asked.
    """

    lines: bytes = field(repr=False)
    places: Mapping[tuple[str, str], Place] = field(repr=False)
    crawls: tuple[str, ...]


@dataclass
class CommonCrawl:
    """Common Crawl over one paced HTTP client. `folder` has the tables: `CC-MAIN-2024-30.blocks`."""

    web: WebClient
    settings: Archive
    folder: Path
    _maps: dict[str, tuple[tuple[int, int, int], mmap.mmap]] = field(default_factory=dict, repr=False)
    _cached: OrderedDict[tuple[str, Block], tuple[float, bytes]] = field(
        default_factory=OrderedDict, repr=False
    )

    @property
    def host(self) -> str:
        """The pace key of the files."""
        return urlsplit(self.settings.crawl_url).netloc

    def tables(self) -> tuple[str, ...]:
        """The crawls whose table is here, newest first."""
        return tuple(sorted((file.stem for file in self._files(".blocks")), reverse=True))

    def _files(self, ending: str) -> list[Path]:
        files = self.folder.glob(f"CC-MAIN-*{ending}")
        return [file for file in files if _CRAWL.fullmatch(file.name.removesuffix(ending))]

    async def fetch_tables(self, now: datetime, most: int | None = None) -> tuple[str, ...]:
        """Fetch the tables that are missing, `most` of them, the newest first; gives their crawls.

        The newest twelve crawls are wanted, and the last one of each earlier year. Others are removed once all of these
        are here; tables of crawls that the list names no more stay. A broken download goes on where it stopped. While
        another process fetches, nothing is done. Raises UpstreamError (status, bad_content, and what Fetcher raises).
        """
        fetched: list[str] = []
        with self._alone() as alone:
            if not alone:
                return ()
            listed = await self._listed(now)
            wanted = chosen_crawls(listed)
            for crawl in wanted:
                if len(fetched) == most:
                    break
                if not self._table_file(crawl).is_file() and await self._fetch_table(crawl):
                    fetched.append(crawl)
            self._remove_surplus(set(listed), wanted)
        return tuple(fetched)

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Lock the folder for one fetching process; False while another holds the lock."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "fetch.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True

    async def _listed(self, now: datetime) -> list[str]:
        """The crawls that the publisher lists, of the years that can be. It is asked once a day."""
        file = self.folder / "collinfo.json"
        if file.is_file() and 0 <= now.timestamp() - file.stat().st_mtime < _A_DAY:
            return _crawls_in(file.read_bytes(), now.year)
        url = self.settings.crawls_url
        fetched = await self.web.get(url, max_bytes=_LIST_BYTES, timeout=self.settings.timeout_seconds)
        if fetched.status != 200:
            text = f"answered with status {fetched.status} instead of the list of crawls"
            raise UpstreamError(url, "status", text, http_status=fetched.status)
        listed = _crawls_in(fetched.body, now.year)
        if not listed:
            raise UpstreamError(url, "bad_content", "is no list of crawls")
        file.write_bytes(fetched.body)
        os.utime(file, (now.timestamp(), now.timestamp()))
        return listed

    def _table_file(self, crawl: str) -> Path:
        return self.folder / f"{crawl}.blocks"

    async def _fetch_table(self, crawl: str) -> bool:
        """Fetch a crawl's cluster file and make its table; False where the publisher does not have it."""
        path, part = _index_path(crawl, "cluster.idx"), self.folder / f"{crawl}.idx.part"
        have = part.stat().st_size if part.is_file() else 0
        while True:
            # One byte that is here already: an answer then tells the size of the file even if all of it is.
            start = max(have - 1, 0)
            piece = await self._piece(path, start, PIECE_BYTES, absent=(403, 404, 416))
            if piece is None:
                log.warning("%s is not at %s, or not as it was: it is left out for now", path, self.host)
                part.unlink(missing_ok=True)
                return False
            body, total = piece
            if total > _CLUSTER_BYTES:
                raise UpstreamError(path, "bad_content", f"is said to have {total:,} bytes")
            have = await asyncio.to_thread(_write, part, start, body)
            if have >= total:
                break
        try:
            await asyncio.to_thread(_make_table, part, self._table_file(crawl))
        except ValueError as error:
            part.unlink()
            raise UpstreamError(path, "bad_content", f"is no cluster file: {error}") from None
        part.unlink()
        return True

    def _remove_surplus(self, listed: set[str], wanted: Sequence[str]) -> None:
        surplus = listed.difference(wanted)
        for part in self._files(".idx.part"):
            crawl = part.name.removesuffix(".idx.part")
            if crawl not in wanted or self._table_file(crawl).is_file():
                part.unlink(missing_ok=True)
        if set(wanted) <= set(self.tables()):
            for crawl in surplus:
                self._table_file(crawl).unlink(missing_ok=True)

    async def index(self, domain: str, without: Collection[str] = ()) -> CrawlRows:
        """The rows of `domain` (registrable, A-label) in the crawls whose tables are here, `without` some of them.

        A request for each block, at most three a crawl; blocks are kept for a day, since one serves neighbours. A crawl
        that the publisher removed is left out, and so are rows beyond 64 MB. Raises UpstreamError (status, bad_content,
        and what Fetcher raises).
        """
        lines: list[bytes] = []
        places: dict[tuple[str, str], Place] = {}
        crawls: list[str] = []
        room = _ROWS_BYTES
        asking = [crawl for crawl in self.tables() if crawl not in without]
        for crawl, blocks in await asyncio.to_thread(self._blocks_of, asking, domain):
            rows = await self._rows(crawl, blocks, domain)
            if rows is None:
                log.warning("%s has no files at %s any more: it is left out", crawl, self.host)
                continue
            crawls.append(crawl)
            for row in rows:
                room -= len(row.line)
                if room < 0:
                    break
                stamp, url = row.line.decode("utf-8", "replace").split(" ")[1:3]
                places.setdefault((stamp, url), row.place)
                lines.append(row.line + b"\n")
        return CrawlRows(b"".join(sorted(lines)), places, tuple(crawls))

    def _blocks_of(self, crawls: Iterable[str], domain: str) -> list[tuple[str, tuple[Block, ...]]]:
        blocks: list[tuple[str, tuple[Block, ...]]] = []
        for crawl in crawls:
            try:
                blocks.append((crawl, blocks_of(self._mapped(crawl), domain)))
            except FileNotFoundError:  # another process removed it just now
                self._maps.pop(crawl, None)
            except ValueError as error:
                text = f"is damaged ({error}): remove it, and it is fetched again"
                raise UpstreamError(str(self._table_file(crawl)), "bad_content", text) from None
        return blocks

    def _mapped(self, crawl: str) -> mmap.mmap:
        """The table of a crawl, mapped once until the file changes."""
        with self._table_file(crawl).open("rb") as opened:
            status = os.fstat(opened.fileno())
            version = status.st_ino, status.st_mtime_ns, status.st_size
            known, table = self._maps.get(crawl, (None, None))
            if table is None or known != version:
                table = mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ)
                self._maps[crawl] = version, table
            return table

    async def _rows(self, crawl: str, blocks: Iterable[Block], domain: str) -> list[CrawlRow] | None:
        """The captures of a domain in some blocks; None where the crawl is gone."""
        rows: list[CrawlRow] = []
        for block in blocks:
            packed = self._cached_block(crawl, block)
            path = _index_path(crawl, block.shard)
            if packed is None:
                piece = await self._piece(path, block.offset, block.length, subject=domain)
                if piece is None:
                    return None
                packed = piece[0]
            try:
                rows += await asyncio.to_thread(rows_in, packed, domain)
            except ValueError as error:
                text = f"has a broken block at {block.offset:,}: it {error}"
                raise UpstreamError(path, "bad_content", text) from None
            self._keep_block(crawl, block, packed)
        return rows[:MOST_ROWS]

    def _cached_block(self, crawl: str, block: Block) -> bytes | None:
        at, packed = self._cached.get((crawl, block), (0.0, None))
        return packed if clock.monotonic() - at < _A_DAY else None

    def _keep_block(self, crawl: str, block: Block, packed: bytes) -> None:
        """Keep a block that was read; those that were fetched first make room for it."""
        if self._cached_block(crawl, block) is not None:
            return
        self._cached.pop((crawl, block), None)
        self._cached[crawl, block] = clock.monotonic(), packed
        size = sum(len(packed) for _, packed in self._cached.values())
        while size > _BLOCKS_BYTES:
            size -= len(self._cached.popitem(last=False)[1][1])

    async def capture(self, place: Place, asked: datetime, url: str) -> Replay | MissingCapture:
        """The capture of `url` whose record stands at `place`; `asked` is the time that was wished for.

        A redirect is not followed: its target's record stands elsewhere. Raises UpstreamError (status, bad_content, and
        what Fetcher raises).
        """
        piece = await self._piece(
            place.filename, place.offset, place.length, subject=domain_of(url), absent=(403, 404, 416)
        )
        record = await asyncio.to_thread(_record, piece[0]) if piece else None
        if record is None or record.status is None or not _same_page(record.url, url):
            return MissingCapture(asked, url, "not_archived")
        headers = CIMultiDict(record.headers)
        location = headers.get("location")
        return Replay(
            asked=asked,
            at=record.at,
            url=url,
            replay_url=line_address(place, url),
            status=record.status,
            mimetype=headers.get("content-type", "").partition(";")[0].strip().lower(),
            body=record.body,
            headers=headers,
            redirected_to=joined_url(record.url, location)
            if location and 300 <= record.status < 400
            else None,
        )

    async def _piece(
        self,
        path: str,
        start: int,
        length: int,
        *,
        subject: str | None = None,
        absent: tuple[int, ...] = (403, 404),
    ) -> tuple[bytes, int] | None:
        """Bytes of a file, fewer only where it ends, and its size; None for a status that means `absent`.

        A 403 that is no answer for a file that does not exist blocks the host, and does not come here.
        """
        url = f"{self.settings.crawl_url}/{path}"
        fetched = await self.web.get(
            url,
            pace_key=self.host,
            max_bytes=max(length, _PAGE_BYTES),
            timeout=self.settings.timeout_seconds,
            redirects=0,
            subject=subject,
            headers={"Range": f"bytes={start}-{start + length - 1}", "Accept-Encoding": "identity"},
            refusal_waits=True,
        )
        if fetched.status in absent:
            return None
        if fetched.status not in (200, 206):
            text = f"answered with status {fetched.status}"
            raise UpstreamError(url, "status", text, http_status=fetched.status)
        span = _RANGE.fullmatch(fetched.headers.get("Content-Range", ""))
        first, last, total = map(int, span.groups()) if span else (-1, -1, 0)
        whole = first == start and last + 1 == min(start + length, total)
        if fetched.status != 206 or not whole or len(fetched.body) != last + 1 - first:
            raise UpstreamError(url, "bad_content", "answered a request for a range with something else")
        return fetched.body, total


def _crawls_in(body: bytes, year: int) -> list[str]:
    """The ids in a list of crawls, of the years up to `year`; none for what is no such list."""
    try:
        rows = orjson.loads(body)
    except orjson.JSONDecodeError:
        rows = None
    names = [str(row.get("id")) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    matches = filter(None, map(_CRAWL.fullmatch, names))
    return [match[0] for match in matches if _FIRST_YEAR <= int(match[1]) <= year]


def chosen_crawls(listed: Collection[str]) -> list[str]:
    """The crawls that are looked into, newest first: twelve, and the last one of each year that has none of these.

    >>> chosen_crawls([f"CC-MAIN-2024-{week}" for week in range(10, 22)] + ["CC-MAIN-2023-06", "CC-MAIN-2023-50"])[11:]
    ['CC-MAIN-2024-10', 'CC-MAIN-2023-50']
    """
    newest_first = sorted(set(listed), reverse=True)
    chosen = newest_first[:_NEWEST]
    years = {crawl[:12] for crawl in chosen}
    for crawl in newest_first[_NEWEST:]:
        if crawl[:12] not in years:
            years.add(crawl[:12])
            chosen.append(crawl)
    return chosen


def line_address(place: Place, url: str) -> str:
    """The URL at which a person sees the index's lines of a capture: Common Crawl shows no pages."""
    crawl = _CRAWL.search(place.filename)
    if crawl is None:
        return f"{_LINES}/?{urlencode({'url': url})}"
    return f"{_LINES}/{crawl[0]}-index?{urlencode({'url': url, 'output': 'json'})}"


def _same_page(archived: str, url: str) -> bool:
    """Whether a record's address is the one that a line of the index spells."""
    return surt(archived.replace(" ", "%20")) == surt(url)


def _index_path(crawl: str, name: str) -> str:
    return f"cc-index/collections/{crawl}/indexes/{name}"


def _write(part: Path, start: int, body: bytes) -> int:
    """Write a piece at its place; gives the size of what is here."""
    with part.open("r+b" if part.exists() else "w+b") as opened:
        opened.seek(start)
        opened.write(body)
        return opened.tell()


def _make_table(cluster: Path, table: Path) -> None:
    """Make a table of a cluster file, whole or not at all. Raises ValueError for what is none."""
    building = table.with_name(table.name + ".part")
    with cluster.open("rb") as lines, building.open("wb") as out:
        out.writelines(compact(iter(partial(lines.readline, LINE_BYTES), b"")))
        out.flush()
        os.fsync(out.fileno())
    building.rename(table)


def _record(packed: bytes) -> WarcRecord | None:
    """The answer in a record's gzip member, unpacked within bounds; None where there is none."""
    try:
        text = zlib.decompressobj(31).decompress(packed, _RECORD_BYTES)
    except zlib.error:
        return None
    # Payloads are stored without their coding. Old records name it all the same: then nothing is undone.
    return next(read_records(BytesIO(text).read, Counter()), None)
