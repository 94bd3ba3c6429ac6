"""Summarising a web archive's index in one pass: years, most-archived pages, home-page captures, paths.

Pure. Rows are counted by urlkey, not by URL, so that http and https, www and :80 are one page. Each row is judged by
itself: one that is no address of the web (`ftp:`, `dns:`, a mail link) hides no page that has its key. A revisit
(`warc/revisit`, status `-`) counts as a capture of what it repeats, which may be a redirect or an error. Types are
hints: see `may_be_page`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from heapq import nlargest
from mimetypes import MimeTypes
from operator import itemgetter

from afterdrop.sources.archive.cdx_index import Index, IndexedCapture, PageCount, instant, path_of, surt_of
from afterdrop.sources.archive.cdx_lines import FIELDS, Row, rows
from afterdrop.sources.archive.same_page import SESSION

PAGES_KEPT = 200
HOME_KEPT = 20_000
WIDE_DIGEST = 3
# What crawlers write where a server named no type, or one that says nothing.
_UNSAID = frozenset(
    {"", "-", "unk", "unknown", "no-type", "none", "null", "*/*", "text", "text/*", "application/unknown",
     "application/x-unknown", "application/x-unknown-content-type", "content/unknown", "unknown/unknown",
     "x-unknown/x-unknown"}
)  # fmt: skip
# What servers call pages by mistake: believed of a home page, which is read, and of no other address.
_VAGUE = re.compile(
    r"text/(?!css|javascript)|application/(octet-stream|xml|x-httpd|force-download|x-download)"
)
_FILES = MimeTypes(filenames=())
_PORT = re.compile(rb"(?::\d{1,5}){1,3}(?=,?\))")
_REVISIT = b"warc/revisit"
_HOME_FILES = (
    "", "index.html", "index.htm", "index.shtml", "index.php", "index.php3", "index.asp", "index.aspx", "index.jsp",
    "index.cfm", "default.htm", "default.html", "default.asp", "default.aspx",
)  # fmt: skip
_TIME = itemgetter(1)
# The first web archive began in 1996.
_FIRST, _ANY_TIME = b"1996", b"9"
# What an index does not tell: a digest is the same as no other then, a status perhaps a page's.
_UNTOLD = frozenset({b"-", b""})
_GOOD = _UNTOLD | {b"200", b"203", b"206"}


def may_be_page(mimetype: str, url: str, *, home: bool = False) -> bool:
    """Whether a capture of this type may be an HTML page, as far as can be said before it is read.

    Any spelling of HTML is: capitals, parameters, XHTML, several joined. Where no type is said, the address tells what
    is no page by the suffix of its file (`/logo.gif`). A `home` page is believed to be one under vague types, too.

    >>> may_be_page("Text/HTML; charset=x", "http://a.com/"), may_be_page("unk", "http://a.com/logo.gif")
    (True, False)
    """
    kind = _kind(mimetype)
    if kind != "unsaid":
        return kind == "html" or (home and kind == "vague")
    path = url.partition("://")[2].partition("?")[0].partition("#")[0].partition("/")[2]
    guessed, packed = _FILES.guess_type(f"/{path}")
    return packed is None and (guessed is None or "html" in guessed)


@lru_cache(maxsize=1024)
def _kind(mimetype: str) -> str:
    plain = mimetype.partition(";")[0].strip(" \t\"'").lower()
    if "html" in plain:
        return "html"
    if plain in _UNSAID:
        return "unsaid"
    return "vague" if _VAGUE.match(plain) else "file"


def read_index(
    body: bytes,
    domain: str,
    *,
    limit: int | None = None,
    fields: tuple[str, ...] = FIELDS,
    until: datetime | None = None,
) -> Index:
    """Summarise an index answer for `domain` (registrable, A-label); `limit` is the row limit of the request.

    A row dated before the first web archive, or after `until`, is no capture.
    """
    tally = _Tally(domain, f"{until:%Y%m%d%H%M%S}".encode() if until else _ANY_TIME)
    tally.take(rows(body, fields))
    pages = [page for page in tally.pages.values() if page.captures]
    most = nlargest(PAGES_KEPT, pages, key=lambda page: (page.captures, page.last))
    substitute = None if not most or any(map(_was_there, tally.home)) else most[0].urlkey
    if substitute is not None:
        same = (row for row in rows(body, fields) if row and plain_key(row[0]) == substitute)
        tally.keep_home(list(filter(None, map(_of_web, same))))
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
        source=(body, fields),
    )


def web_address(url: bytes) -> bytes | None:
    """An original address of the web, its scheme in small letters (RFC 3986, 3.1); None for any other.

    >>> web_address(b"HTTP://A.com/x"), web_address(b"http://mailto:me@a.com/"), web_address(b"dns:a.com")
    (b'http://A.com/x', None, None)
    """
    if url.startswith((b"http://", b"https://")):
        found = url
    elif url[:8].lower().startswith((b"http://", b"https://")):
        scheme, _, rest = url.partition(b":")
        found = scheme.lower() + b":" + rest
    else:
        return None
    return None if b"://mailto:" in found[:20] else found


def mended(stamp: bytes) -> bytes:
    """A timestamp without the "00" that some rows of 1996 to 2001 have before month or day, at the cost of the seconds.

    >>> mended(b"20000800241623"), mended(b"20000008241623")
    (b'20000824162300', b'20000824162300')
    """
    for at in (4, 6):
        if len(stamp) == 14 and stamp[at : at + 2] == b"00":
            return stamp[:at] + stamp[at + 2 :] + b"00"
    return stamp


def home_keys(domain: str) -> frozenset[bytes]:
    """The urlkeys of a domain's home page."""
    return frozenset(surt_of(domain) + b")/" + name.encode() for name in _HOME_FILES)


def captures_of(index: Index, key: str) -> tuple[IndexedCapture, ...]:
    """The good captures of the page with this urlkey in order of time, as `Index.home` has those of the home page.

    Keys that differ by a slash at the end, the order of a query's parts or a session's number are one page's.
    """
    wanted, before, same = _page_key(key.encode()), b"", False
    found: list[Row] = []
    for row in rows(*index.source):
        if row and row[0] != before:
            before, same = row[0], _page_key(row[0]) == wanted
        if same and (told := _of_web(row)) is not None:
            found.append(told)
    kept = filter(None, map(_capture, _once_a_day(found)))
    return tuple(
        one
        for one in kept
        if one.good and (one.status is None or may_be_page(one.mimetype, one.url, home=True))
    )


def digests_at(index: Index, times: Mapping[str, datetime]) -> dict[str, str]:
    """The digest that each of these pages, by urlkey, had at this time; none where the index gives none."""
    wanted = {key.encode(): at.strftime("%Y%m%d%H%M%S").encode() for key, at in times.items()}
    found: dict[str, str] = {}
    for row in rows(*index.source):
        if len(row) >= 7 and wanted.get(key := plain_key(row[0])) == row[1] and row[-2] not in _UNTOLD:
            found[_text(key)] = _text(row[-2])
    return found


def _page_key(key: bytes) -> bytes:
    path, _, query = SESSION.sub(b"", plain_key(key)).partition(b"?")
    parts = sorted(filter(None, query.split(b"&")))
    return path.rstrip(b"/") + b"?" + b"&".join(parts)


class _Types(dict[bytes, bool]):
    """Whether the captures of one address may be pages, by their type."""

    def __init__(self, url: bytes, home: bool) -> None:
        super().__init__()
        self.url, self.home = url, home

    def __missing__(self, mimetype: bytes) -> bool:
        found = self[mimetype] = may_be_page(_text(mimetype), _text(self.url), home=self.home)
        return found


class _Tally:
    """Sums over rows, which come sorted by urlkey and time."""

    def __init__(self, domain: str, until: bytes) -> None:
        self.surt, self.until = surt_of(domain), until
        self.own = (self.surt + b")", self.surt + b",")
        self.homes = home_keys(domain)
        self.years: dict[bytes, int] = {}
        self.good: dict[bytes, int] = {}
        self.bad: Counter[str] = Counter()
        self.failed: dict[bytes, bytes] = {}
        self.days: set[bytes] = set()
        self.pages: dict[bytes, PageCount] = {}
        self.home: list[Row] = []
        self.seen = 0
        self.first, self.last = b"9", b""

    def take(self, stream: Iterable[Row]) -> None:
        """Count every row once, in one plain loop: a function call for each page would cost a third more."""
        years, good, failed = self.years, self.good, self.failed
        key = before = digest = status = b""
        page: PageCount | None = None
        home = False
        types = _Types(b"", home)
        for row in self._of_web(stream):
            stamp = row[1]
            if row[0] != key:
                self.last = max(self.last, before)
                key, before = row[0], b""
                page, home = self._page(row)
                types = _Types(row[2], home)
            if page is None:
                self.bad["address"] += 1
            # Else it is one visit, listed under two spellings.
            elif stamp != before or row[5] != digest or (digest in _UNTOLD and row[4] != status):
                if not before:
                    self.first = min(self.first, stamp)
                before, digest, status, year = stamp, row[5], row[4], stamp[:4]
                years[year] = years.get(year, 0) + 1
                if row[3] == _REVISIT or row[4] not in _GOOD:
                    row = _as_before(row, failed, page.digest)
                if row[4] in _GOOD and (types[row[3]] or (row[3] == _REVISIT and (home or page.captures))):
                    good[year] = good.get(year, 0) + 1
                    page.captures += 1
                    page.last, page.digest = max((page.last, page.digest), (stamp, digest))
                    page.stamps += stamp
                if home:
                    self.home.append(row)
        self.last = max(self.last, before)
        self.keep_home(self.home)

    def keep_home(self, found: list[Row]) -> None:
        """Keep the captures of the home page: unchanged ones once a day, and one a day when there are too many."""
        self.home = _once_a_day(found)

    def _new_day(self, stamp: bytes) -> bool:
        if len(stamp) != 14 or not _FIRST <= stamp <= self.until:
            return False
        if instant(stamp.decode("ascii", "replace")) is None:
            return False
        self.days.add(stamp[:8])
        return True

    def _of_web(self, stream: Iterable[Row]) -> Iterator[Row]:
        """The rows of web addresses at times that there were, the others counted."""
        days, url = self.days, b""
        address: bytes | None = b""
        for row in stream:
            self.seen += 1
            if len(row) != 7 and len(row := _with_whole_type(row)) != 7:
                self.bad["columns"] += 1
                continue
            if row[1][:8] not in days and not self._new_day(row[1]):
                if not self._new_day(stamp := mended(row[1])):
                    self.bad["timestamp"] += 1
                    continue
                row = [row[0], stamp, *row[2:]]
            if row[2] != url:
                url, address = row[2], web_address(row[2])
            if address is url:
                yield row
            elif address is not None:
                yield [*row[:2], address, *row[3:]]
            else:
                self.bad["address"] += 1

    def _page(self, row: Row) -> tuple[PageCount | None, bool]:
        """The count for this row's urlkey, a new one where there is none, and whether it is the home page.

        None when the row is not a URL of the domain.
        """
        key, url = plain_key(row[0]), row[2]
        known = self.pages.get(key)
        if known is not None:
            return known, key in self.homes
        if not key.startswith(self.own):
            return None, False
        if b'"' in key:
            return None, False
        made = self.pages[key] = PageCount(key, url)
        return made, key in self.homes


def _was_there(row: Row) -> bool:
    """Whether the home page's row is of a page, or of a redirect, which may lead to one: not of an error or a file."""
    if row[4] not in _GOOD:
        return row[4].startswith(b"3")
    return row[3] == _REVISIT or may_be_page(_text(row[3]), _text(row[2]), home=True)


def _once_a_day(found: list[Row]) -> list[Row]:
    """Rows in order of time: unchanged ones once a day, and one a day when there are too many.

    Where that is one of several, it is a page rather than the redirect or the error beside it.
    """
    found = sorted((row for row in found if len(row) == 7), key=_TIME)
    kept: list[Row] = []
    failed: dict[bytes, bytes] = {}
    day, content, page = b"", (b"", False), b""
    for each in found:
        row = _as_before(each, failed, page)
        good = row[4] in _GOOD
        page = row[5] if good else page
        if row[1][:8] != day or ((row[5], good) != content and len(found) <= HOME_KEPT):
            kept.append(row)
            day, content = row[1][:8], (row[5], good)
        elif good and kept[-1][4] not in _GOOD:
            kept[-1] = row
    return kept


def _as_before(row: Row, failed: dict[bytes, bytes], page: bytes) -> Row:
    """A revisit of a redirect or an error with its status. `failed` has these by digest, and learns of this row's.

    `page` is the digest of the page's last good capture: what repeats it is good.
    """
    digest, status = row[5], row[4]
    if status not in _GOOD:
        if digest not in _UNTOLD:
            failed[digest] = status
    elif row[3] == _REVISIT and digest in failed and digest != page:
        return [*row[:4], failed[digest], *row[5:]]
    return row


def _with_whole_type(row: Row) -> Row:
    """A row whose type was split at the blank before its parameters (`text/html; charset=x`), as one of seven parts."""
    return [*row[:3], b"".join(row[3:-3]), *row[-3:]] if len(row) > 7 and row[3].endswith(b";") else row


def _of_web(row: Row) -> Row | None:
    row = _with_whole_type(row)
    address = web_address(row[2]) if len(row) == 7 else None
    return [row[0], mended(row[1]), address, *row[3:]] if address else None


def plain_key(key: bytes) -> bytes:
    """A urlkey without a port, which some servers leave in (`com,a:8080)/`): a page is one page at any port."""
    return _PORT.sub(b"", key, count=1) if b":" in key[: key.find(b")")] else key


def _text(part: bytes) -> str:
    return part.decode("ascii", "replace")


def _by_year(counts: Mapping[bytes, int]) -> dict[int, int]:
    return {int(year): counts[year] for year in sorted(counts) if year.isdigit()}


def _shared_digests(pages: Iterable[PageCount]) -> list[tuple[bytes, int]]:
    counts = Counter(page.digest for page in pages)
    return [(digest, n) for digest, n in counts.most_common(20) if n >= WIDE_DIGEST and digest not in _UNTOLD]


def _capture(row: Row) -> IndexedCapture | None:
    _, stamp, url, mime, status, digest, length = row
    at = instant(stamp.decode("ascii", "replace")) if stamp >= _FIRST else None
    if at is None or not (status in _UNTOLD or status.isdigit()):
        return None
    return IndexedCapture(
        at,
        url.decode("utf-8", "replace"),
        None if status in _UNTOLD else int(status[:4]),
        _text(mime),
        "" if digest in _UNTOLD else _text(digest),
        int(length[:12]) if length.isdigit() else None,
    )
