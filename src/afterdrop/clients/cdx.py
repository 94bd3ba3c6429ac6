"""One pass over the text of a web-archive index: years, most-archived pages, home-page captures, paths.

Pure. Rows are counted by urlkey, not by address, so that http and https, www and :80 are one page. A revisit
(`warc/revisit`, status `-`) counts as a capture of the page it repeats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from heapq import nlargest
from itertools import groupby
from operator import itemgetter

from afterdrop.clients.cdx_index import Index, IndexedCapture, PageCount, instant
from afterdrop.clients.cdx_rows import FIELDS, Row, rows

PAGES_KEPT = 200
HOME_KEPT = 20_000
WIDE_DIGEST = 3
_HTML = frozenset({b"text/html", b"application/xhtml+xml"})
_REVISIT = b"warc/revisit"
_HOME_FILES = ("", "index.html", "index.htm", "index.php", "index.asp", "default.htm", "default.asp")
_KEY = itemgetter(0)
_GOOD = frozenset({b"200", b"-", b"203", b"206"})


def read_index(
    body: bytes, domain: str, *, limit: int | None = None, fields: tuple[str, ...] = FIELDS
) -> Index:
    """Summarise an index answer for `domain` (registrable, A-label); `limit` is the row limit asked with."""
    tally = _Tally(domain)
    tally.take(rows(body, fields))
    pages = {_path(key, tally.surt): page for key, page in tally.pages.items() if page.captures}
    most = nlargest(PAGES_KEPT, pages.values(), key=lambda page: (page.captures, page.last))
    home_path = "/"
    if not tally.home and most:
        home_path = next(path for path, page in pages.items() if page is most[0])
        tally.keep_home([row for row in rows(body, fields) if row and row[0] == most[0].urlkey])
    return Index(
        domain=domain,
        captures=sum(tally.years.values()),
        years=_by_year(tally.years),
        good_years=_by_year(tally.good),
        first=instant(tally.first.decode()) if tally.years else None,
        last=instant(tally.last.decode()) if tally.years else None,
        urls=len(tally.pages),
        new_urls=_by_year(tally.new),
        home=tuple(sorted(filter(None, map(_capture, tally.home)), key=lambda capture: capture.at)),
        pages=tuple(page.page(domain.count(".")) for page in most),
        paths=tuple(pages),
        wide_digests={digest.decode(): n for digest, n in _shared_digests(pages.values())},
        bad=dict(tally.bad),
        cut=limit is not None and tally.seen >= limit,
        home_path=home_path,
        _tallies=pages,
    )


class _Tally:
    """Sums over rows. Rows of one urlkey come together, so its counts are kept in hand until the key changes."""

    def __init__(self, domain: str) -> None:
        self.surt = ",".join(reversed(domain.split("."))).encode()
        self.own = (self.surt + b")", self.surt + b",")
        self.homes = {self.surt + b")/" + name.encode() for name in _HOME_FILES}
        self.years: Counter[bytes] = Counter()
        self.good: Counter[bytes] = Counter()
        self.new: Counter[bytes] = Counter()
        self.bad: Counter[str] = Counter()
        self.days: set[bytes] = set()
        self.pages: dict[bytes, PageCount] = {}
        self.home: list[Row] = []
        self.seen = 0
        self.first, self.last = b"9", b""

    def take(self, stream: Iterable[Row]) -> None:
        """Read every row once. Rows of one urlkey come together; a key that comes again is added up."""
        for key, group in groupby(stream, key=_KEY):
            self._run(key, group)
        self.keep_home(self.home)

    def _run(self, key: bytes, group: Iterable[Row]) -> None:
        page: PageCount | None = None
        best: Row | None = None
        is_home = key in self.homes
        days, years, good = self.days, self.years, self.good
        captures, before, digest, low, seen = 0, b"", b"", b"", 0
        for row in group:
            seen += 1
            stamp = row[1] if len(row) == 7 else b""
            if stamp[:8] not in days and not self._new_day(stamp):
                self.bad["timestamp" if stamp else "columns"] += 1
            elif page is None and (page := self._page(row)) is None:
                self.bad["address"] += 1
            elif stamp != before or row[5] != digest:  # else one visit, listed under two spellings
                before, digest, year = stamp, row[5], stamp[:4]
                low = low or stamp
                years[year] += 1
                if row[4] in _GOOD and (
                    row[3] in _HTML or (row[3] == _REVISIT and (captures or is_home or page.captures))
                ):
                    good[year] += 1
                    captures += 1
                    best = row
                if is_home:
                    self.home.append(row)
        self.seen += seen
        if page is not None and before:
            self.first, self.last = min(self.first, low), max(self.last, before)
            page.add(captures, best)

    def keep_home(self, found: list[Row]) -> None:
        """Keep the home page's captures, unchanged ones once a day, and one a day when there are too many."""
        found = sorted((row for row in found if len(row) == 7), key=lambda row: row[1])
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
        """The tally of this row's urlkey, None when the row is not an address of the domain."""
        key, url = row[0], row[2]
        known = self.pages.get(key)
        if known is not None:
            return known
        if not key.startswith(self.own):
            return None
        if b'"' in key or not url.startswith((b"http://", b"https://")) or b"://mailto:" in url[:20]:
            return None
        made = self.pages[key] = PageCount(key, url)
        self.new[row[1][:4]] += 1
        return made


def _by_year(counts: Counter[bytes]) -> dict[int, int]:
    return {int(year): counts[year] for year in sorted(counts) if year.isdigit()}


def _path(key: bytes, surt: bytes) -> str:
    """`com,example)/a?b` as `/a?b`, `com,example,shop)/a` as `shop/a`."""
    below, _, path = key[len(surt) :].decode("utf-8", "replace").partition(")")
    return ".".join(reversed(below[1:].split(","))) + path if below else path


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
