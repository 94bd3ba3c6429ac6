"""The archives of one name asked as one: captures of the Wayback Machine and of Common Crawl join one index.

A capture Common Crawl has, too, is read from its files, and shown at the Wayback Machine's address, where a person can
open it: an equal digest of the same address is the same page.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import orjson

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive
from afterdrop.sources.archive.capture_file import surt
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.cdx_index import COMMON_CRAWL, WAYBACK, Index, instant
from afterdrop.sources.archive.cdx_lines import Row, rows
from afterdrop.sources.archive.common_crawl import CommonCrawl, CrawlRows
from afterdrop.sources.archive.wayback import (
    IndexAnswer,
    MissingCapture,
    Replay,
    WebArchive,
    WebClient,
    replay_address,
)
from afterdrop.sources.archive.zipnum import Place

log = logging.getLogger("afterdrop.archive")

# An index that repeats a capture of the other archive to the second, or by its content.
_SAME_CAPTURE = timedelta(days=1)
# From http to https to www.
_SPELLINGS = 3
# Rows of one name in all crawls that are kept for its next review.
_MOST_KEPT = 20_000


class _CrawlCapture(NamedTuple):
    """Where Common Crawl has a capture, its address there, and the time and address at which it is shown."""

    place: Place
    url: str
    by_wayback: bool


@dataclass(frozen=True)
class Archives:
    """The archives that are switched on, over one client."""

    wayback: WebArchive | None
    crawl: CommonCrawl | None

    def of(self, *, may_lack: Collection[str] = (), crawls: bytes = b"") -> DomainArchive:
        """The archives of one name, for one review. Those of `may_lack` may be away.

        `crawls` is what an earlier answer left of Common Crawl's index.
        """
        return DomainArchive(self.wayback, self.crawl, frozenset(may_lack), crawls)

    @property
    def hosts(self) -> Mapping[str, tuple[str, ...]]:
        """The pace keys of each archive, by its name: a review needs all of them."""
        keys: dict[str, tuple[str, ...]] = {}
        if self.wayback is not None:
            keys[WAYBACK] = self.wayback.hosts
        if self.crawl is not None:
            keys[COMMON_CRAWL] = (self.crawl.host,)
        return keys

    async def blamed(self, error: UpstreamError) -> UpstreamError:
        """See `WebArchive.blamed`."""
        return error if self.wayback is None else await self.wayback.blamed(error)

    async def page(self, at: datetime, url: str, place: str | None) -> Replay | MissingCapture:
        """One capture, by one request where its `place` in Common Crawl's files is known. Raises UpstreamError."""
        known = Place.of(place) if place else None
        if self.crawl is not None and known is not None:
            try:
                replay = await self.crawl.capture(known, at, url)
            except UpstreamError:
                if self.wayback is None:
                    raise
            else:
                if self.wayback is None or not isinstance(replay, MissingCapture):
                    return replay
        if self.wayback is None:
            return MissingCapture(at, url, "not_archived")
        return await self.wayback.capture(at, url)


def open_archives(web: WebClient, settings: Archive, data_dir: Path) -> Archives:
    """The archives that these settings switch on; tables of crawls are kept in `crawls` of the data directory."""
    return Archives(
        WebArchive(web, settings) if settings.wayback else None,
        CommonCrawl(web, settings, data_dir / "crawls") if settings.common_crawl else None,
    )


@dataclass
class DomainArchive:
    """The archives of one name, asked as one.

    `faults` says why an archive did not answer. An archive may be away only if it is in `may_lack`, Common Crawl if the
    other answers. With `crawl_alone` the Wayback Machine is not asked at all.
    """

    wayback: WebArchive | None
    crawl: CommonCrawl | None
    may_lack: frozenset[str] = frozenset()
    crawls: bytes = b""
    crawl_alone: bool = False
    faults: dict[str, UpstreamError] = field(default_factory=dict)
    _spots: dict[tuple[str, str], _CrawlCapture] = field(default_factory=dict, repr=False)
    _by_key: dict[str, list[tuple[datetime, _CrawlCapture]]] = field(default_factory=dict, repr=False)
    _rows: CrawlRows | None = field(default=None, repr=False)
    _pages: dict[Place, Replay | MissingCapture] = field(default_factory=dict, repr=False)

    @property
    def both(self) -> bool:
        """Whether both archives are switched on."""
        return self.wayback is not None and self.crawl is not None

    @property
    def answered(self) -> tuple[str, ...]:
        """The names of the archives that were asked and answered."""
        crawled = self._rows is not None and bool(self._rows.crawls) and COMMON_CRAWL not in self.faults
        return (WAYBACK,) * self._asks_wayback + (COMMON_CRAWL,) * crawled

    @property
    def _asks_wayback(self) -> bool:
        return self.wayback is not None and not self.crawl_alone and WAYBACK not in self.faults

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """The index of both archives as one; see `WebArchive.index`. `crawls` of the answer is kept for the next time.

        Raises UpstreamError where an archive that may not be away is, or where nothing is known because one is.
        """
        crawled = await self._ask_crawl(domain)
        answer = await self._ask_wayback(domain, now, closed, closed_before)
        if answer is None:
            if not self.crawl_alone and not crawled.lines and (self.faults or not self.answered):
                raise next(iter(self.faults.values()), no_table(domain))
            answer = IndexAnswer(Index(domain))
        index = await asyncio.to_thread(self._joined, answer.index, crawled, now)
        packed = await asyncio.to_thread(_packed, crawled)
        return replace(
            answer,
            index=replace(index, archives=self._showing(answer.index), missing=tuple(self.faults)),
            crawls=packed if packed != self.crawls else b"",
        )

    def _showing(self, wayback: Index) -> tuple[str, ...]:
        """Those that answered, without one that excludes the site."""
        return tuple(name for name in self.answered if not (name == WAYBACK and wayback.blocked))

    async def _ask_wayback(
        self, domain: str, now: datetime, closed: bytes, closed_before: int
    ) -> IndexAnswer | None:
        if self.wayback is None or self.crawl_alone:
            return None
        try:
            return await self.wayback.index(domain, now, closed=closed, closed_before=closed_before)
        except UpstreamError as error:
            if WAYBACK not in self.may_lack or self.crawl is None:
                raise
            self._lacks(WAYBACK, error)
            return None

    async def _ask_crawl(self, domain: str) -> CrawlRows:
        if self._rows is not None:
            return self._rows
        self._rows = known = await asyncio.to_thread(_unpacked, self.crawls)
        if self.crawl is None:
            return known
        try:
            fresh = await self.crawl.index(domain, known.crawls)
        except UpstreamError as error:
            if self.wayback is None:
                raise
            self._lacks(COMMON_CRAWL, error)
            return known
        lines = sorted({*known.lines.split(b"\n"), *fresh.lines.split(b"\n")} - {b""})
        places = {**known.places, **fresh.places}
        self._rows = CrawlRows(b"\n".join(lines), places, (*fresh.crawls, *known.crawls))
        return self._rows

    def _lacks(self, name: str, error: UpstreamError) -> None:
        log.warning("%s could not be asked: %s", name, error)
        self.faults[name] = error

    def _joined(self, index: Index, crawled: CrawlRows, now: datetime) -> Index:
        """The index of both. Learns which captures can be read from Common Crawl."""
        if not crawled.lines:
            return index
        own, fields = index.source
        self._learn(crawled, rows(own, fields) if own else ())
        lines = sorted(filter(None, (*own.split(b"\n"), *crawled.lines.split(b"\n"))))
        joined = read_index(b"\n".join(lines), index.domain, until=now + timedelta(days=1))
        return replace(joined, cut=index.cut)

    def _learn(self, crawled: CrawlRows, wayback: Iterable[Row]) -> None:
        same: dict[tuple[bytes, bytes], _CrawlCapture] = {}
        self._spots.clear()
        self._by_key.clear()
        for row in rows(crawled.lines):
            stamp, url = row[1].decode("ascii", "replace"), row[2].decode("utf-8", "replace")
            place, at = crawled.places.get((stamp, url)), instant(stamp)
            if place is None or at is None:
                continue
            spot = self._spots[stamp, url] = _CrawlCapture(place, url, False)
            self._by_key.setdefault(surt(url), []).append((at, spot))
            if row[4] == b"200":
                same[row[0], row[5]] = spot
        for row in wayback:
            if len(row) < 6:
                continue
            stamp, url = row[1].decode("ascii", "replace"), row[2].decode("utf-8", "replace")
            twin = self._spots.get((stamp, url)) or same.get((row[0], row[5]))
            if twin is not None:
                self._spots[stamp, url] = twin._replace(by_wayback=True)

    def place_of(self, stamp: str, url: str) -> str:
        """Where Common Crawl has the page of a capture, under any spelling of its address; "" where it does not."""
        spot = self._spots.get((stamp, url))
        near = (one for at, one in self._by_key.get(surt(url), ()) if f"{at:%Y%m%d%H%M%S}" == stamp)
        spot = spot or next(near, None)
        return "" if spot is None else spot.place.text

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        """The capture of `url` at, or nearest to, `at`; see `WebArchive.capture`.

        Common Crawl is asked where it has that capture, or one of within a day, else the Wayback Machine. Where that
        is away, the nearest capture of Common Crawl stands for it.
        """
        spot = self._spots.get((f"{at:%Y%m%d%H%M%S}", url)) or self._near(at, url, _SAME_CAPTURE)
        if spot is not None:
            try:
                replay = await self._crawled(spot, at, url)
            except UpstreamError:
                if not self._asks_wayback:
                    raise
            else:
                if isinstance(replay, Replay):
                    return replay
        if self._asks_wayback:
            assert self.wayback is not None
            return await self.wayback.capture(at, url)
        spot = spot or self._near(at, url, None)
        return MissingCapture(at, url, "not_archived") if spot is None else await self._crawled(spot, at, url)

    def _near(self, at: datetime, url: str, most: timedelta | None) -> _CrawlCapture | None:
        """Common Crawl's capture nearest to `at`; within a day the spelling of the address decides."""
        known = self._by_key.get(surt(url), ())
        if not known:
            return None
        nearest = min(
            known, key=lambda one: (max(abs(one[0] - at), _SAME_CAPTURE), one[1].url != url, abs(one[0] - at))
        )
        return nearest[1] if most is None or abs(nearest[0] - at) <= most else None

    async def _page(self, spot: _CrawlCapture, at: datetime) -> Replay | MissingCapture:
        """A capture as Common Crawl's files have it. A capture read once is not asked for again."""
        if spot.place not in self._pages:
            assert self.crawl is not None
            self._pages[spot.place] = await self.crawl.capture(spot.place, at, spot.url)
        return self._pages[spot.place]

    async def _crawled(self, spot: _CrawlCapture, at: datetime, url: str) -> Replay | MissingCapture:
        """A capture from Common Crawl's files. A redirect to another spelling of the address is followed."""
        replay = await self._page(spot, at)
        for _ in range(_SPELLINGS):
            to = replay.redirected_to if isinstance(replay, Replay) else None
            if to is None or surt(to) != surt(url) or to == spot.url:
                break
            onward = self._near(at, to, _SAME_CAPTURE)
            if onward is None or onward.place == spot.place:
                break
            spot, replay = onward, await self._page(onward, at)
        if isinstance(replay, MissingCapture):
            return MissingCapture(at, url, replay.reason)
        if not spot.by_wayback or self.wayback is None:
            return replace(replay, asked=at)
        # The Wayback Machine lists the same page at the time asked for.
        shown = replay_address(self.wayback.settings.public_url, at, url)
        return replace(replay, asked=at, at=at, url=url, replay_url=shown)


def _packed(crawled: CrawlRows) -> bytes:
    """Rows of crawls, which never change, for the next review of the name; b"" for more than are kept."""
    if not crawled.crawls or len(crawled.places) > _MOST_KEPT:
        return b""
    places = [[stamp, url, place.text] for (stamp, url), place in crawled.places.items()]
    lines = crawled.lines.decode("utf-8", "replace")
    return zlib.compress(orjson.dumps({"crawls": crawled.crawls, "lines": lines, "places": places}))


def _unpacked(packed: bytes) -> CrawlRows:
    """The rows that `_packed` kept."""
    if not packed:
        return CrawlRows(b"", {}, ())
    stored = orjson.loads(zlib.decompress(packed))
    places = {(stamp, url): place for stamp, url, text in stored["places"] if (place := Place.of(text))}
    return CrawlRows(stored["lines"].encode(), places, tuple(stored["crawls"]))


def no_table(domain: str) -> UpstreamError:
    """The error of a node that has nothing of Common Crawl yet: it is tried again."""
    return UpstreamError(domain, "paused", "no table of Common Crawl's index has been fetched yet")
