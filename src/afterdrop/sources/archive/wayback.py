"""The client of the web archive: one index request for each domain, and captures as they were archived.

Source: the Wayback CDX server's README and replay behaviour (`id_` gives the body as archived, original headers
under `X-Archive-Orig-`; RFC 7089 Memento-Datetime marks archived answers, errors and redirects included).
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Protocol
from urllib.parse import quote, urldefrag, urlencode, urljoin, urlsplit

from multidict import CIMultiDict

from afterdrop.core.domain_names import suffixes
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive
from afterdrop.http.client import Fetched
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.cdx_index import Index, instant
from afterdrop.sources.archive.cdx_lines import AnswerFault, fault_of, plain, rows

CAPTURE_BYTES = 2_000_000
INDEX_BYTES = 64_000_000
# The most index lines that are read for one domain.
ROW_LIMIT = 50_000
# From http to https and on to the page in its language, each after up to two redirects of the archive's to the time of
# it. A third of these at one of them is followed, too.
_HOPS = 10
_ORIGINAL = "x-archive-orig-"
_RUNTIME_ERROR = "x-archive-wayback-runtime-error"
_NOT_PAGES = "!mimetype:(image|video|audio|font)/.*|text/css|.*javascript.*"
_REPLAYED = re.compile(r"/(\d{4,14})([a-z]{2}_)?/(https?:/.*)", re.S)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# One query scans at most 160 blocks of 3,000 lines and ends there without a word (internetarchive/wayback issue 93).
# Images, scripts and styles are scanned, too, but filtered out. An answer with less than a hundredth of these lines is
# taken as whole: on no site that we know of are pages so few.
_SURELY_WHOLE = 160 * 3000 // 100
# The first line of rows that are kept. Those without it were kept before anybody looked whether an answer broke off:
# all years are asked for again.
_WHOLE = b"whole\n"
_FAULTS: Mapping[AnswerFault, tuple[str, str]] = {
    "no_index": ("bad_content", "answered an index query with something else"),
    "half_row": ("truncated", "broke off in the middle of the index"),
    "server_error": ("truncated", "broke off in the index with an error of its own"),
}
# A site that the archive has had since it began.
_WELL_KNOWN = "example.com"
_WELL_KNOWN_ROW = {"url": _WELL_KNOWN, "matchType": "exact"}
_LONG_AGO = datetime(2010, 1, 1, tzinfo=UTC)


class WebClient(Protocol):
    """The part of `http.client.Fetcher` that the archives need."""

    async def get(
        self,
        url: str,
        *,
        pace_key: str | None = None,
        max_bytes: int = ...,
        timeout: float = ...,
        redirects: int = ...,
        damaged: bool = ...,
        subject: str | None = ...,
        known_good: str | None = ...,
        headers: Mapping[str, str] | None = ...,
        refusal_waits: bool = ...,
    ) -> Fetched:
        """Ask once, at the host's pace. Raises UpstreamError."""
        ...


@dataclass(frozen=True, slots=True)
class Replay:
    """A capture as archived. `asked` is the time of the request, `at` that of the capture; `status` is as archived.

    `redirected_to` is the target of an archived redirect, else None. `headers` are the site's own; their names may
    have any case.
    """

    asked: datetime
    at: datetime
    url: str
    replay_url: str
    status: int
    mimetype: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    redirected_to: str | None = None


@dataclass(frozen=True, slots=True)
class MissingCapture:
    """A capture that is not available: the `reason` is not_archived, blocked, too_large or redirect_loop."""

    at: datetime
    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """An index, and the rows of its answer that never change: `closed` has those of past years as compressed CDX text.

    `closed_before` is the first year that is not in them. An answer that may have been cut has no `closed` rows.
    `questions` is the number of requests to the archive. `crawls` is the same of Common Crawl's index, b"" where
    nothing is new.
    """

    index: Index
    closed: bytes = field(default=b"", repr=False)
    closed_before: int = 0
    questions: int = 1
    crawls: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class WebArchive:
    """The web archive over one paced HTTP client."""

    web: WebClient
    settings: Archive

    @property
    def hosts(self) -> tuple[str, str]:
        """The pace keys of the index and of the captures: a review needs both."""
        return f"{urlsplit(self.settings.cdx_url).netloc}/cdx", urlsplit(self.settings.replay_url).netloc

    async def blamed(self, error: UpstreamError) -> UpstreamError:
        """`error`, or one that is `unreached` where the archive, and not what was asked of it, is the trouble.

        After a time-out, a 5xx or a page of its own it is asked for what it has always had.
        """
        if not _in_doubt(error):
            return error
        try:
            await self._rows_of(_WELL_KNOWN_ROW, limit=1)
            await self.capture(_LONG_AGO, f"http://{_WELL_KNOWN}/")
        except UpstreamError as other:
            if other.unreached or _in_doubt(other):
                text = f"the web archive answers nothing else either: {error.message}"
                return UpstreamError(error.subject, "connect", text, retry_after=other.retry_after)
        return error

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """The index of `domain` (registrable, A-label), by one request.

        `closed` are rows cached from an earlier answer; then only the years from `closed_before` on are requested, and
        all of them where that fails: large sites time out by it (internetarchive/wayback issue 285).
        An answer that broke off is never taken as the index, whatever its status: spam may stand in what is missing.
        Where the home page alone fills the row limit, one more request asks for it month by month.
        Raises UpstreamError (status, bad_content, truncated, and what Fetcher raises).
        """
        known = await asyncio.to_thread(_kept, closed)
        params = {"url": domain, "matchType": "domain", "filter": _NOT_PAGES}
        questions = 1
        try:
            fresh = await self._rows_of({**params, "from": str(closed_before)} if known else params)
        except UpstreamError as error:
            if not known or not error.ambiguous:
                raise
            fresh, known, questions = await self._rows_of(params), b"", 2
        if fresh is None:
            return IndexAnswer(Index(domain, blocked=True), questions=questions)
        # Reading tens of thousands of rows would block the event loop, which serves requests, for too long.
        answer = await asyncio.to_thread(_answer, domain, fresh, known, ROW_LIMIT, now)
        index = answer.index
        if index.bad and not index.captures:
            raise UpstreamError(domain, "bad_content", f"no index row could be read ({dict(index.bad)})")
        if not index.cut or index.urls > 1:
            return replace(answer, questions=questions)
        monthly = await self._rows_of({"url": domain, "matchType": "exact", "collapse": "timestamp:6"})
        whole = await asyncio.to_thread(
            read_index, _joined(fresh, monthly or b""), domain, until=now + timedelta(days=1)
        )
        return IndexAnswer(replace(whole, cut=True), questions=questions + 1)

    async def _rows_of(self, params: Mapping[str, str], limit: int | None = None) -> bytes | None:
        """The text of an index answer; None for a site that the archive excludes."""
        url = self._query(params, limit or ROW_LIMIT)
        fetched = await self.web.get(
            url,
            pace_key=self.hosts[0],
            max_bytes=INDEX_BYTES,
            timeout=self.settings.timeout_seconds,
            subject=_stranger(params["url"]),
            known_good=self._query(_WELL_KNOWN_ROW, 1),
        )
        if _excluded(fetched):
            return None
        if fetched.status == 404 and b"No Captures found" in fetched.body:
            return b""
        if fetched.status != 200:
            raise UpstreamError(
                url,
                "status",
                f"answered an index query with status {fetched.status}",
                http_status=fetched.status,
            )
        if fetched.body.lstrip()[:1] == b"<":
            raise UpstreamError(url, "bad_content", "answered an index query with a web page")
        fault = await asyncio.to_thread(fault_of, fetched.body)
        if fault is not None:
            raise UpstreamError(url, *_FAULTS[fault])
        return await asyncio.to_thread(plain, fetched.body)

    def _query(self, params: Mapping[str, str], limit: int) -> str:
        return f"{self.settings.cdx_url}?{urlencode({**params, 'limit': str(limit)})}"

    def _address(self, stamp: str, url: str) -> str:
        return f"{self.settings.replay_url}/{stamp}id_/{_quoted(url)}"

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        """The capture of `url` at, or nearest to, `at`.

        The archive's own redirects to the time of the capture are followed. An archived redirect is followed only
        within its site, else it is returned. Raises UpstreamError for a failing archive: 5xx, network, and an answer
        that is no memento (RFC 7089, section 4.2), which the archive gives in its own name (bad_content).
        """
        target, stamp = url, at.strftime("%Y%m%d%H%M%S")
        asked: set[tuple[str, str]] = set()
        while (stamp, target) not in asked and len(asked) < _HOPS:
            asked.add((stamp, target))
            try:
                fetched = await self.web.get(
                    self._address(stamp, target),
                    max_bytes=CAPTURE_BYTES,
                    timeout=self.settings.timeout_seconds,
                    redirects=0,
                    damaged=True,  # it was archived so, and will be so the next time
                    subject=_stranger(_site(url)),
                    known_good=self._address(f"{_LONG_AGO:%Y%m%d%H%M%S}", f"http://{_WELL_KNOWN}/"),
                )
            except UpstreamError as error:
                if error.kind == "too_large":
                    return MissingCapture(at, url, "too_large")
                raise
            found = self._read(fetched, at, stamp, target)
            if not isinstance(found, tuple):
                return found
            stamp, target = found
        return MissingCapture(at, url, "redirect_loop")

    def _read(
        self, fetched: Fetched, asked: datetime, stamp: str, url: str
    ) -> Replay | MissingCapture | tuple[str, str]:
        """A capture, its absence, or the (timestamp, URL) to request next."""
        headers = {name.lower(): value for name, value in fetched.headers.items()}
        at, archived = served_at(headers, fetched.url)
        location = headers.get("location", "")
        onward = _REPLAYED.search(joined_url(fetched.url, location)) if location else None
        if fetched.status in _REDIRECTS and not archived:
            return (onward[1], onward[3]) if onward else MissingCapture(asked, url, "not_archived")
        if not archived:
            return self._absent(fetched, asked, url)
        if fetched.status in _REDIRECTS and location:
            to = onward[3] if onward else joined_url(url, location)
            elsewhen = (
                onward is not None and to == url and onward[1] != stamp
            )  # the archive's own, marked as a memento
            if elsewhen or _same_site(url, to):
                return (onward[1] if onward else stamp, to)
            return self._replay(fetched, headers, asked, at or asked, url, to)
        return self._replay(fetched, headers, asked, at or asked, url, None)

    def _absent(self, fetched: Fetched, asked: datetime, url: str) -> MissingCapture:
        if fetched.status in (403, 451) or _excluded(fetched):
            return MissingCapture(asked, url, "blocked")
        if fetched.status == 404:
            return MissingCapture(asked, url, "not_archived")
        if fetched.status < 400:  # "Temporarily Offline", "Loading …": a page of the archive's own
            raise UpstreamError(url, "bad_content", "the web archive answered with a page of its own")
        raise UpstreamError(
            url,
            "status",
            f"the web archive answered with status {fetched.status}",
            http_status=fetched.status,
        )

    def _replay(
        self,
        fetched: Fetched,
        headers: Mapping[str, str],
        asked: datetime,
        at: datetime,
        url: str,
        to: str | None,
    ) -> Replay:
        given = {name: value for name, value in headers.items() if name == "content-type"}
        site = {
            name.removeprefix(_ORIGINAL): value
            for name, value in headers.items()
            if name.startswith(_ORIGINAL)
        }
        own = CIMultiDict({**given, **site})
        return Replay(
            asked=asked,
            at=at,
            url=url,
            replay_url=replay_address(self.settings.public_url, at, url),
            status=fetched.status,
            mimetype=own.get("content-type", "").partition(";")[0].strip().lower(),
            body=fetched.body,
            headers=own,
            redirected_to=to,
        )


def replay_address(public_url: str, at: datetime, url: str) -> str:
    """The URL at which a person opens a capture."""
    return f"{public_url}/{at.strftime('%Y%m%d%H%M%S')}/{_quoted(url)}"


def served_at(headers: Mapping[str, str], url: str) -> tuple[datetime | None, bool]:
    """The time of the served capture, and whether the archive marks it as one (header names in lower case)."""
    stamp = _REPLAYED.search(headers.get("content-location", "")) or _REPLAYED.search(url)
    at = instant(stamp[1]) if stamp else None
    memento = headers.get("memento-datetime")
    if memento is None:
        linked = 'rel="memento"' in headers.get("link", "")
        return at, linked or any(name.startswith(_ORIGINAL) for name in headers)
    try:
        return parsedate_to_datetime(memento).astimezone(UTC), True
    except (ValueError, TypeError):
        return at, True


def _excluded(fetched: Fetched) -> bool:
    """Whether the archive says, in the body or in a header only, that it keeps the site from view."""
    said = next((told for name, told in fetched.headers.items() if name.lower() == _RUNTIME_ERROR), "")
    return fetched.status in (403, 404, 451) and (
        b"AccessControlException" in fetched.body or "AccessControlException" in said
    )


def _in_doubt(error: UpstreamError) -> bool:
    """Whether the archive may be in trouble, or only what was asked of it."""
    return error.ambiguous or error.kind == "bad_content"


def joined_url(base: str, location: str) -> str:
    """The address that a page or an answer at `base` means, without the fragment; as it is where it is none."""
    try:
        return urldefrag(urljoin(base, location)).url
    except ValueError:  # a hostile site's Location, archived as it was
        return location


def _same_site(url: str, to: str) -> bool:
    ours, theirs = _host(url), _host(to)
    return bool(ours) and ours == theirs and url != to


def _host(url: str) -> str:
    try:
        return re.sub(r"^www\d*\.", "", urlsplit(url).hostname or "")
    except ValueError:
        return ""


def _site(url: str) -> str:
    """The domain that a URL's captures are asked for: subdomains and `www` are the same name's."""
    host = _host(url)
    return suffixes().registrable(host) or host


def _stranger(domain: str) -> str | None:
    """The domain, unless it is the one by which we try the archive ourselves."""
    return None if domain == _WELL_KNOWN else domain


def _quoted(url: str) -> str:
    return quote(url, safe="%:/?[]@!$&'()*+,;=~-._")


def _joined(first: bytes, second: bytes) -> bytes:
    """The rows of both, each once: a server that does not know `from` or `collapse` answers with all rows again."""
    if not (first and second):
        return first or second
    known = set(first.split(b"\n"))
    return first + b"\n" + b"\n".join(row for row in second.split(b"\n") if row not in known)


def _answer(domain: str, fresh: bytes, known: bytes, limit: int, now: datetime) -> IndexAnswer:
    """The index of fresh and known rows together, with the rows to cache when the answer cannot have been cut."""
    body = _joined(known, fresh)
    index = read_index(body, domain, until=now + timedelta(days=1))
    index = replace(index, cut=bool(fresh) and fresh.count(b"\n") + 1 >= limit)
    if index.cut or body.count(b"\n") >= _SURELY_WHOLE:
        return IndexAnswer(index)
    return IndexAnswer(index, _closed_rows(body, now.year), now.year)


def _closed_rows(body: bytes, year: int) -> bytes:
    """The rows of calendar years before `year` as compressed text; b"" for none."""
    limit = str(year).encode()
    kept = [b" ".join(row) for row in rows(body) if len(row) >= 7 and row[1][:4] < limit]
    return zlib.compress(_WHOLE + b"\n".join(kept) + b"\n") if kept else b""


def _kept(closed: bytes) -> bytes:
    """The rows that `_closed_rows` kept of a whole answer."""
    text = zlib.decompress(closed) if closed else b""
    return text[len(_WHOLE) : -1] if text.startswith(_WHOLE) else b""
