"""Walking the pages of a feed's list: asked for one after the other, and kept as one file with a row a line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final, NamedTuple, cast
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import orjson

from afterdrop.core.errors import FeedError, UpstreamError
from afterdrop.core.json_values import Json
from afterdrop.feeds.json_xml_rows import keep_digits, listed, written_numbers
from afterdrop.feeds.mapping import Row
from afterdrop.feeds.row_batches import BatchMapper
from afterdrop.feeds.spec import ErrorAnswer, FeedSpec
from afterdrop.http.client import Fetched, Fetcher
from afterdrop.sources.metrics.values import shown

_PAGE_BYTES: Final = 50_000_000
_PAGE_SECONDS: Final = 120
# How a server without `more` says that the page before was the last.
_NO_SUCH_PAGE: Final = frozenset({204, 400, 404, 416})
# In the middle of a walk, a page that fails is asked for again after so many seconds, or when the server says.
_PAUSES: Final = (1.0, 5.0, 25.0)
_LONGEST_WAIT, _WAITS_OF_A_WALK = 600.0, 3600.0
_PASSING: Final = frozenset({"timeout", "connect", "truncated"})
# A text that says no, where JSON would have false.
_NO: Final = frozenset({"", "0", "false", "no", "none", "null"})


class _Unwell(FeedError):
    """The server fails, or says that it cannot answer now."""


@dataclass(frozen=True, slots=True)
class PagedFile:
    """Where the rows go: `begin` opens the part, `complete` puts it in place, `max_bytes` bounds it."""

    begin: Callable[[], BinaryIO]
    complete: Callable[[], None]
    max_bytes: int


class Page(NamedTuple):
    """A page: its rows, a line each, and what it says about the next one.

    `more`: another page may follow. `running`: it has a listing that has not ended, or nobody asks.
    """

    lines: bytes
    more: bool = True
    running: bool = True


class Walk(NamedTuple):
    """The result of a walk: whether it is the whole list, and of how many pages with rows."""

    whole: bool
    pages: int


_END: Final = Page(b"", more=False)


async def save_pages(
    spec: FeedSpec,
    url: str,
    headers: Mapping[str, str],
    fetcher: Fetcher,
    into: PagedFile,
    now: datetime,
    last_pages: int = 0,
) -> Walk:
    """Save the rows of all pages. It is not the whole list where `paging.most` cut it short.

    Nor may it be where it ends before `last_pages`, those of the last time, and nothing tells an error from the end, or
    where every page is the first: `paging.query` may be the wrong name.
    Raises FeedError and UpstreamError; then no file was put in place.
    """
    paging = spec.paging
    assert paging is not None
    size, pages, before, whole, ran = 0, 0, b"", False, False
    asking = _Asking(spec, url, headers, fetcher, now)
    with await asyncio.to_thread(into.begin) as file:
        for number in range(1, paging.most + 1):
            page = await asking.page(number)
            again = bool(page.lines) and page.lines == before
            if again:
                if paging.more:
                    raise FeedError(
                        spec.name,
                        f"pages {number - 1} and {number} are the same; is {paging.query!r} the right name?",
                    )
                page = _END
            size, before = size + len(page.lines), page.lines
            if size > into.max_bytes:
                raise FeedError(spec.name, f"the pages are larger than {into.max_bytes} bytes")
            await asyncio.to_thread(file.write, page.lines)
            pages += bool(page.lines)
            over = bool(page.lines) and ran and not page.running
            if over or not page.more or not (page.lines or paging.more):
                whole = pages > 1 or not again
                break
            ran = ran or page.running
    await asyncio.to_thread(into.complete)
    shorter = pages < last_pages and paging.error is None
    return Walk(whole and not shorter, pages or last_pages)


@dataclass
class _Asking:
    """One walk's questions. `waited`: the seconds that it spent on waiting."""

    spec: FeedSpec
    url: str
    headers: Mapping[str, str]
    fetcher: Fetcher
    now: datetime
    waited: float = 0.0

    async def page(self, number: int) -> Page:
        """A page. After the first, one that cannot be had now is asked for again a few times."""
        for pause in _PAUSES if number > 1 else ():
            try:
                return await self._once(number)
            except (UpstreamError, _Unwell) as error:
                told = error.retry_after if isinstance(error, UpstreamError) else None
                passing = isinstance(error, _Unwell) or told is not None or error.kind in _PASSING
                self.waited += pause if told is None else told
                if not passing or (told or 0) > _LONGEST_WAIT or self.waited > _WAITS_OF_A_WALK:
                    raise
                if told is None:  # else the host is blocked so long, and the next question waits for it
                    await asyncio.sleep(pause)
        return await self._once(number)

    async def _once(self, number: int) -> Page:
        paging = self.spec.paging
        assert paging is not None
        address = page_address(self.url, paging.query, paging.first + (number - 1) * paging.step)
        answer: Fetched = await self.fetcher.get(
            address,
            headers=self.headers,
            max_bytes=_PAGE_BYTES,
            timeout=_PAGE_SECONDS,
            patience=_LONGEST_WAIT + 5,
        )
        if answer.status in _NO_SUCH_PAGE and number > 1 and not paging.more:
            return _END
        if answer.status != 200:
            kind = _Unwell if answer.status >= 500 else FeedError
            raise kind(self.spec.name, f"page {number} is answered with status {answer.status}")
        return await asyncio.to_thread(read_page, self.spec, answer.body, number, self.now)


def page_address(url: str, name: str, number: int) -> str:
    """The address of one page: the URL with its parameter set."""
    parts = urlsplit(url)
    others = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if key != name]
    return urlunsplit(parts._replace(query=urlencode([*others, (name, str(number))])))


def read_page(spec: FeedSpec, body: bytes, number: int, now: datetime) -> Page:
    """A page from the bytes of its answer. Raises FeedError when it is not one."""
    paging = spec.paging
    assert paging is not None
    document = _document(body, spec.name, number)
    if paging.error is not None and (said := _reported(paging.error, document)) is not None:
        raise _Unwell(spec.name, f"page {number} is an error: {paging.error.path} is {said}")
    rows = _rows(spec, document)
    if number > 1 and rows is None and (document is not None or not paging.more):
        rows = []
    if not isinstance(rows, list):
        raise FeedError(spec.name, f"page {number} has no list of rows at {spec.json_.path or 'its top'!r}")
    keep_digits(rows, spec.identifiers, lambda: _rows(spec, written_numbers(body)))
    more = not paging.more or _says_yes(_member(document, paging.more))
    running = not paging.until_ended or _any_running(spec, rows, now)
    lines = (json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)
    return Page(b"".join(lines), more, running)


def _document(body: bytes, subject: str, number: int) -> Json:
    """A page's JSON. NaN and Infinity, which JSON has not, are taken: they cost their row, not the page."""
    try:
        return cast("Json", orjson.loads(body))
    except orjson.JSONDecodeError:
        pass
    try:
        return cast("Json", json.loads(body))
    except (ValueError, RecursionError):
        raise FeedError(subject, f"page {number} is not JSON") from None


def _reported(error: ErrorAnswer, document: Json) -> str | None:
    """The error that an answer states where the feed file says; None of any other answer."""
    found = _member(document, error.path)
    state = str(found)
    if error.is_ or error.ok:
        wrong = state in map(str, error.is_) or (bool(error.ok) and state not in map(str, error.ok))
    else:
        wrong = found is not False and _says_yes(found)
    return shown(state) if wrong else None


def _says_yes(value: Json) -> bool:
    return value.strip().casefold() not in _NO if isinstance(value, str) else bool(value)


def _rows(spec: FeedSpec, document: Json) -> Json:
    """The value in the place of the rows: a list, null, or False where the answer has no such place."""
    if document is None:
        return None
    return listed(_member(document, spec.json_.path, missing=False), spec.fields.domain.from_)


def _member(document: Json, path: str, missing: Json = None) -> Json:
    for key in path.split(".") if path else ():
        document = document.get(key, missing) if isinstance(document, dict) else missing
    return document


def _any_running(spec: FeedSpec, rows: Sequence[Json], now: datetime) -> bool:
    objects = [row for row in rows if isinstance(row, dict)]
    if not objects:
        return False
    batch = BatchMapper(spec, None, ()).map_objects(range(len(objects)), objects)
    return any(isinstance(row, Row) and (row.ends_at is None or row.ends_at > now) for row in batch.rows())
