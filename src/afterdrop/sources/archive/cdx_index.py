"""The archive's knowledge of one domain, as values: captures, most-archived pages, years.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import nlargest
from operator import attrgetter
from typing import Final

from afterdrop.sources.archive.same_page import page_key

# The names of the archives, as people are told them.
WAYBACK: Final = "the Wayback Machine"
COMMON_CRAWL: Final = "Common Crawl"
# From when to when, both included.
Span = tuple[datetime, datetime]
_STAMP: Final = "%Y%m%d%H%M%S"
# Pages of one index that are looked at for a span of time, the most archived ones.
_LOOKED_AT: Final = 5_000


@dataclass(frozen=True, slots=True)
class IndexedCapture:
    """One capture as the index lists it. A `status` of None is a revisit: its content was archived before.

    `digest` is empty and `length`, the compressed size of the archived record in bytes, None where not given.
    """

    at: datetime
    url: str
    status: int | None
    mimetype: str
    digest: str
    length: int | None

    @property
    def good(self) -> bool:
        """Whether a page was archived, rather than an error or a redirect."""
        return self.status is None or self.status in (200, 203, 206)

    @property
    def redirect(self) -> bool:
        """Whether the server sent its visitors on."""
        return self.status is not None and 300 <= self.status < 400

    @property
    def stamp(self) -> str:
        """The archive's timestamp of `at`: fourteen digits."""
        return self.at.strftime("%Y%m%d%H%M%S")


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """One HTML page of the domain: how often it was archived without an error, and when last.

    `depth` is the number of dots in the domain, by which subdomains are recognised.
    """

    urlkey: str
    url: str
    captures: int
    last: datetime
    digest: str
    depth: int = 1

    @property
    def path(self) -> str:
        """Path and query as first archived, `/` for the home page; on a subdomain, after its host name."""
        rest = self.url.partition("://")[2]
        cut = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
        host, path = rest[:cut], rest[cut:].partition("#")[0]
        path = path if path.startswith("/") else f"/{path}"
        own = self.urlkey.partition(")")[0].count(",") == self.depth
        return path if own else host.rpartition("@")[2].partition(":")[0].lower() + path


@dataclass(frozen=True, slots=True)
class Index:
    """The archive's knowledge of one domain.

    `years` counts captures of any kind per calendar year, `good_years` those that archived a page. `home` has the
    captures of the home page in order of time, unchanged ones once a day. Where that never was a page or a redirect,
    but an error, a file or not archived, it has those of the most-archived page; `home_path` names the page.
    `sent_to` are the URLs of the site whose captures stand in `home` for those of a home page that redirected there.
    `pages` are the most-archived HTML pages, most first.
    `paths` has every HTML URL once, in its canonical spelling (path and query, after a subdomain); `page_at` finds
    such a page. `wide_digests` counts digests that occur under several URLs: the sign of a server that answers
    every URL alike. `bad` counts unreadable lines by reason. `cut` says that the answer reached its row limit, and
    `blocked` that the archive excludes the site. `archives` are the names of those that were asked and show the site,
    none for a file; `missing` are those that did not answer. `source` is the answer with the fields of its rows.
    """

    domain: str
    captures: int = 0
    years: Mapping[int, int] = field(default_factory=dict)
    good_years: Mapping[int, int] = field(default_factory=dict)
    first: datetime | None = None
    last: datetime | None = None
    urls: int = 0
    home: tuple[IndexedCapture, ...] = field(default=(), repr=False)
    pages: tuple[ArchivedPage, ...] = field(default=(), repr=False)
    paths: tuple[str, ...] = field(default=(), repr=False)
    wide_digests: Mapping[str, int] = field(default_factory=dict)
    bad: Mapping[str, int] = field(default_factory=dict)
    cut: bool = False
    blocked: bool = False
    home_path: str = "/"
    sent_to: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    _counts: Mapping[bytes, PageCount] = field(default_factory=dict, repr=False, compare=False)
    source: tuple[bytes, tuple[str, ...]] = field(default=(b"", ()), repr=False, compare=False)

    def pages_within(self, spans: Sequence[Span], most: int) -> list[ArchivedPage]:
        """The pages that were archived in these spans of time: how often there, and when last. Most captures first.

        A page with several addresses (`same_page`) is the plainest of them, with the captures of all. `digest` is
        empty where the page was archived after these times, too.
        """
        depth = self.domain.count(".")
        found: dict[str, ArchivedPage] = {}
        before = 0
        for count in nlargest(_LOOKED_AT, self._counts.values(), key=attrgetter("captures")):
            if count.captures < before and len(found) >= most and count.captures < _least(found, most):
                break  # no other page has more captures in the spans than it has in all
            before = count.captures
            inside = count.within(spans)
            if inside is not None:
                page = count.page(depth)
                digest = page.digest if page.last == inside[1] else ""
                page = replace(page, captures=inside[0], last=inside[1], digest=digest)
                key = page_key(page.path)
                found[key] = _as_one(found[key], page) if key in found else page
        return sorted(found.values(), key=lambda each: (-each.captures, each.path))[:most]

    def first_years(self) -> dict[str, int]:
        """The calendar year in which each page of `paths` was first archived."""
        surt = surt_of(self.domain)
        archived = (count for count in self._counts.values() if count.captures)
        return {path_of(count.urlkey, surt): count.first_year() for count in archived}

    def page_at(self, path: str) -> ArchivedPage | None:
        """The page with this spelling in `paths`."""
        count = self._counts.get(_key_of(path, surt_of(self.domain)))
        return None if count is None or not count.captures else count.page(self.domain.count("."))


def _least(pages: Mapping[str, ArchivedPage], most: int) -> int:
    """How many captures the last of the most archived pages has."""
    return nlargest(most, (page.captures for page in pages.values()))[-1]


def _as_one(one: ArchivedPage, other: ArchivedPage) -> ArchivedPage:
    """The plainer address of a page, the shorter one, with the captures of both."""
    first, second = sorted((one, other), key=lambda each: (len(each.path), -each.captures, each.path))
    return replace(first, captures=first.captures + second.captures)


@dataclass(slots=True)
class PageCount:
    """Counts of one urlkey: the captures of a page, the last of them, and its digest.

    `stamps` has the times of all of them, fourteen digits each, one after the other.
    """

    urlkey: bytes
    url: bytes
    captures: int = 0
    last: bytes = b""
    digest: bytes = b""
    stamps: bytearray = field(default_factory=bytearray)

    def within(self, spans: Sequence[Span]) -> tuple[int, datetime] | None:
        """How many captures lie in these spans of time, and the last of them; None when none does."""
        bounds = [(start.strftime(_STAMP).encode(), end.strftime(_STAMP).encode()) for start, end in spans]
        each = (bytes(self.stamps[at : at + 14]) for at in range(0, len(self.stamps), 14))
        found = [stamp for stamp in each if any(start <= stamp <= end for start, end in bounds)]
        last = instant(max(found).decode()) if found else None
        return None if last is None else (len(found), last)

    def first_year(self) -> int:
        """The calendar year of the first capture."""
        return int(min(self.stamps[at : at + 4] for at in range(0, len(self.stamps), 14)))

    def page(self, depth: int) -> ArchivedPage:
        """The counts as an `ArchivedPage`."""
        return ArchivedPage(
            self.urlkey.decode("utf-8", "replace"),
            self.url.decode("utf-8", "replace"),
            self.captures,
            instant(self.last.decode()) or datetime(int(self.last[:4]), 1, 1, tzinfo=UTC),
            self.digest.decode("ascii", "replace").removeprefix("-"),
            depth,
        )


def archive_of(address: str) -> str:
    """The name of the archive at whose `address` a capture is shown: Common Crawl's name the crawl.

    >>> archive_of("https://index.commoncrawl.org/CC-MAIN-2024-30-index?url=a.com%2F")
    'Common Crawl'
    """
    return COMMON_CRAWL if "/CC-MAIN-" in address else WAYBACK


def instant(stamp: str) -> datetime | None:
    """The time of a timestamp of up to fourteen digits, shorter ones padded; None when it is not a time."""
    text = (stamp + "00000101000000"[len(stamp) :]) if len(stamp) < 14 else stamp[:14]
    if not (len(stamp) >= 4 and text.isascii() and text.isdigit()):
        return None
    try:
        return datetime(
            int(text[:4]),
            int(text[4:6]),
            int(text[6:8]),
            int(text[8:10]),
            int(text[10:12]),
            int(text[12:]),
            tzinfo=UTC,
        )
    except ValueError:
        return None


def surt_of(domain: str) -> bytes:
    """The beginning of a domain's urlkeys: `com,example` for `example.com`."""
    return ",".join(reversed(domain.split("."))).encode()


def path_of(key: bytes, surt: bytes) -> str:
    """The path of a urlkey: `/a?b` for `com,example)/a?b`, `shop/a` for `com,example,shop)/a`."""
    below, _, path = key[len(surt) :].decode("utf-8", "replace").partition(")")
    return ".".join(reversed(below[1:].split(","))) + path if below else path


def _key_of(path: str, surt: bytes) -> bytes:
    """The urlkey from which `path_of` made `path`."""
    host, slash, rest = path.partition("/")
    below = f",{','.join(reversed(host.split('.')))}" if host else ""
    return surt + f"{below}){slash}{rest}".encode()
