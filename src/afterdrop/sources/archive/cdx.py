"""Summarising a web archive's index in one pass: years, most-archived pages, home-page captures, paths.

Pure. Rows are counted by urlkey, not by URL, so that http and https, www and :80 are one page. A revisit
(`warc/revisit`, status `-`) counts as a capture of the page it repeats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nlargest
from operator import itemgetter

from afterdrop.sources.archive.cdx_index import Index, IndexedCapture, PageCount, instant, path_of, surt_of
from afterdrop.sources.archive.cdx_lines import FIELDS, Row, rows

PAGES_KEPT = 200
HOME_KEPT = 20_000
WIDE_DIGEST = 3
_HTML = frozenset({b"text/html", b"application/xhtml+xml"})
_REVISIT = b"warc/revisit"
_HOME_FILES = ("", "index.html", "index.htm", "index.php", "index.asp", "default.htm", "default.asp")
_TIME = itemgetter(1)
_GOOD = frozenset({b"200", b"-", b"203", b"206"})


def read_index(
    body: bytes, domain: str, *, limit: int | None = None, fields: tuple[str, ...] = FIELDS
) -> Index:
    """Summarise an index answer for `domain` (registrable, A-label); `limit` is the row limit of the request."""
    tally = _Tally(domain)
    tally.take(rows(body, fields))
    pages = [page for page in tally.pages.values() if page.captures]
    most = nlargest(PAGES_KEPT, pages, key=lambda page: (page.captures, page.last))
    substitute = None if tally.home or not most else most[0].urlkey
    if substitute is not None:
        tally.keep_home([row for row in rows(body, fields) if row and row[0] == substitute])
    return Index(
        domain=domain,
        captures=sum(tally.years.values()),
        years=_by_year(tally.years),
        good_years=_by_year(tally.good),
        first=instant(tally.first.decode()) if tally.years else None,
        last=instant(tally.last.decode()) if tally.years else None,
        urls=len(tally.pages),
        home=tuple(sorted(filter(None, map(_capture, tally.home)), key=lambda capture: capture.at)),
        pages=tuple(page.page(domain.count(".")) for page in most),
        paths=tuple(path_of(page.urlkey, tally.surt) for page in pages),
        wide_digests={digest.decode(): n for digest, n in _shared_digests(pages)},
        bad=dict(tally.bad),
        cut=limit is not None and tally.seen >= limit,
        home_path=path_of(substitute, tally.surt) if substitute is not None else "/",
        _counts=tally.pages,
    )


class _Tally:
    """Sums over rows, which come sorted by urlkey and time."""

    def __init__(self, domain: str) -> None:
        self.surt = surt_of(domain)
        self.own = (self.surt + b")", self.surt + b",")
        self.homes = {self.surt + b")/" + name.encode() for name in _HOME_FILES}
        self.years: dict[bytes, int] = {}
        self.good: dict[bytes, int] = {}
        self.bad: Counter[str] = Counter()
        self.days: set[bytes] = set()
        self.pages: dict[bytes, PageCount] = {}
        self.home: list[Row] = []
        self.seen = 0
        self.first, self.last = b"9", b""

    def take(self, stream: Iterable[Row]) -> None:
        """Count every row once, in one plain loop: a function call for each page would cost a third more."""
        days, years, good = self.days, self.years, self.good
        key = before = digest = b""
        page: PageCount | None = None
        home = False
        for row in stream:
            self.seen += 1
            if len(row) != 7:
                self.bad["columns"] += 1
                continue
            stamp = row[1]
            if row[0] != key:
                self.last = max(self.last, before)
                key, before = row[0], b""
                page = self.pages.get(key) or self._page(row)
                home = key in self.homes
            if stamp[:8] not in days and not self._new_day(stamp):
                self.bad["timestamp"] += 1
            elif page is None:
                self.bad["address"] += 1
            elif stamp != before or row[5] != digest:  # else it is one visit, listed under two spellings
                if not before:
                    self.first = min(self.first, stamp)
                before, digest, year = stamp, row[5], stamp[:4]
                years[year] = years.get(year, 0) + 1
                if row[4] in _GOOD and (row[3] in _HTML or (row[3] == _REVISIT and (home or page.captures))):
                    good[year] = good.get(year, 0) + 1
                    page.captures += 1
                    page.last, page.digest = stamp, digest
                    page.stamps += stamp
                if home:
                    self.home.append(row)
        self.last = max(self.last, before)
        self.keep_home(self.home)

    def keep_home(self, found: list[Row]) -> None:
        """Keep the captures of the home page: unchanged ones once a day, and one a day when there are too many."""
        found = sorted((row for row in found if len(row) == 7), key=_TIME)
        kept: list[Row] = []
        day = digest = b""
        for row in found:
            if row[1][:8] != day or (row[5] != digest and len(found) <= HOME_KEPT):
                kept.append(row)
                day, digest = row[1][:8], row[5]
        self.home = kept

    def _new_day(self, stamp: bytes) -> bool:
        if len(stamp) != 14 or instant(stamp.decode("ascii", "replace")) is None:
            return False
        self.days.add(stamp[:8])
        return True

    def _page(self, row: Row) -> PageCount | None:
        """A new count for this row's urlkey; None when the row is not a URL of the domain."""
        key, url = row[0], row[2]
        if not key.startswith(self.own):
            return None
        if b'"' in key or not url.startswith((b"http://", b"https://")) or b"://mailto:" in url[:20]:
            return None
        made = self.pages[key] = PageCount(key, url)
        return made


def _by_year(counts: Mapping[bytes, int]) -> dict[int, int]:
    return {int(year): counts[year] for year in sorted(counts) if year.isdigit()}


def _shared_digests(pages: Iterable[PageCount]) -> list[tuple[bytes, int]]:
    counts = Counter(page.digest for page in pages)
    return [(digest, n) for digest, n in counts.most_common(20) if n >= WIDE_DIGEST and digest != b"-"]


def _capture(row: Row) -> IndexedCapture | None:
    _, stamp, url, mime, status, digest, length = row
    at = instant(stamp.decode("ascii", "replace"))
    if at is None or not (status == b"-" or status.isdigit()):
        return None
    return IndexedCapture(
        at,
        url.decode("utf-8", "replace"),
        None if status == b"-" else int(status[:4]),
        mime.decode("ascii", "replace"),
        digest.decode("ascii", "replace"),
        int(length[:12]) if length.isdigit() else None,
    )
