"""One review: ask the index, read the few captures the plan names, put the history together.

`review_domain` touches no rows; `review_stored` loads what is kept of earlier answers first.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from afterdrop.core.errors import UpstreamError
from afterdrop.review.context import ReviewContext
from afterdrop.review.flags.trademarks import Marks, famous_marks
from afterdrop.review.history.capture_plan import CAPTURES, inner_pages, next_captures
from afterdrop.review.history.domain_history import review
from afterdrop.review.history.farm import find_farm
from afterdrop.review.history.findings import day
from afterdrop.review.history.home_redirects import REACH, read_through, redirect_to_ask
from afterdrop.review.history.samples import Sample
from afterdrop.review.history.spam_paths import spam_paths
from afterdrop.review.page.pool import PageUnread
from afterdrop.review.page.values import FEW_WORDS, Capture, ErrorKind, PageReading
from afterdrop.review.store import Reviewed, away_for_long, closed_rows, last_drop
from afterdrop.sources.archive.archives import DomainArchive, no_table
from afterdrop.sources.archive.capture_file import domain_of, surt
from afterdrop.sources.archive.cdx import captures_of
from afterdrop.sources.archive.cdx_index import WAYBACK, ArchivedPage, Index, IndexedCapture
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay, joined_url

Reader = Callable[[Capture], Awaitable[PageReading]]
STRONG = 2
# Addresses that speak of spam among which pages to read are looked for.
MOST_DEEP = 10
# A page that sends its visitors on after this many seconds was there to be read.
STAYS_SECONDS = 30
_SAME_CAPTURE = timedelta(days=1)
_MAIN = re.compile(r"main|content|inhalt|body|haupt|home|start|welcome|index|centr|center", re.IGNORECASE)
_ERROR_KINDS: dict[int, ErrorKind] = {404: "not_found", 410: "not_found", 403: "blocked", 451: "blocked"}


class Archive(Protocol):
    """The archives of a name, or a local capture file asked like them."""

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """The domain's index. Raises UpstreamError."""
        ...

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        """One capture, or why it cannot be had. Raises UpstreamError."""
        ...


async def review_stored(
    context: ReviewContext,
    domain: str,
    given_up: datetime | None = None,
    *,
    last_try: bool,
    crawl_first: bool = False,
) -> Reviewed:
    """Read a domain's history in the archives, going on from what is kept of earlier answers.

    `given_up` is when the registry knows it to have been deleted or registered anew, where somebody asked. Unless this
    is the `last_try`, every capture must be had, and no archive may be away, unless it has been for long. With
    `crawl_first` Common Crawl is asked first: what it shows to be spam is not asked for elsewhere. Nothing is stored:
    the caller keeps the review in its own transaction. Raises UpstreamError, which is `unreached` where the archives
    answer no other question either.
    """
    own = context.settings.review.marks
    async with context.database.read() as conn:
        known = await closed_rows(conn, domain)
        dropped = await last_drop(conn, domain, context.now())
        lacking = await away_for_long(conn, context.archives.hosts, context.now())
    archive = context.archives.of(may_lack={WAYBACK} if last_try else lacking, crawls=known.crawls)

    async def reviewed() -> Reviewed:
        return await review_domain(
            archive,
            context.pages.read,
            domain,
            context.now(),
            closed=known.closed,
            closed_before=known.closed_before,
            drop=max(filter(None, (given_up, dropped)), default=None),
            listing_url=f"{context.settings.archive.public_url.rstrip('/')}/*/{domain}",
            marks=famous_marks().plus(own) if own else None,
            whole=not last_try,
        )

    try:
        if crawl_first and archive.both:
            archive.crawl_alone = True
            with suppress(UpstreamError):
                if (first := await reviewed()).history.spam:
                    return first
            archive.crawl_alone = False
        return _lasting(await reviewed(), archive, context.settings.archive.least)
    except UpstreamError as error:
        raise await context.archives.blamed(error) from None


def _lasting(reviewed: Reviewed, archive: DomainArchive, least: int) -> Reviewed:
    """The review with where its pages can be had by one request.

    Raises UpstreamError where fewer than `least` archives answered and none showed spam.
    """
    history = reviewed.history
    if not history.spam and len(archive.answered) < least:
        raise next(iter(archive.faults.values()), no_table(history.domain))
    pages = (replace(page, place=archive.place_of(page.timestamp, page.url)) for page in history.pages)
    return replace(reviewed, history=replace(history, pages=tuple(pages)))


async def review_domain(
    archive: Archive,
    reader: Reader,
    domain: str,
    now: datetime,
    *,
    closed: bytes = b"",
    closed_before: int = 0,
    drop: datetime | None = None,
    most: int = CAPTURES,
    listing_url: str = "",
    marks: Marks | None = None,
    whole: bool = False,
) -> Reviewed:
    """Review one domain (registrable, A-label) with one index question and at most `most` captures.

    `closed` and `closed_before` are what an earlier answer left, `drop` when the name was last given up, where
    known, `marks` what the name is compared with besides the shipped list. A capture that the archive fails to give
    is asked for once more, and then is a recorded note. So is one whose reading died (`ReadingDied`).

    Raises UpstreamError, for a later try, when the index cannot be had or more than half of the captures failed; with
    `whole` for any of them, as the one that could not be had may be the one that is spam. A rejection stands without
    it. Captures that could not even be asked for are always waited for.
    """
    answer = await archive.index(domain, now, closed=closed, closed_before=closed_before)
    asking = _Asking(archive, reader, answer.index, most - (answer.questions - 1))
    samples = await asking.follow()
    index = asking.index
    telling = await asyncio.to_thread(spam_paths, index.paths)
    farm = await asyncio.to_thread(find_farm, index)
    strong = [hit.path for hit in telling if hit.evidence.severity >= STRONG]
    named = [page for hit in telling[:MOST_DEEP] if (page := index.page_at(hit.path)) is not None]
    deep: list[Sequence[ArchivedPage]] = [named, farm.pages if farm else ()]
    if not (named or farm):
        deep = [await asyncio.to_thread(inner_pages, index)]
    while wanted := next_captures(index, samples, deep=deep, most=asking.left + len(samples), drop=drop):
        asking.left -= len(wanted)
        samples += await asyncio.gather(*(asking.sample(one) for one in wanted))
        samples += asking.instead(samples)
        if len(asking.faults) * 2 <= len(samples):  # else the archive is in trouble
            samples = [await asking.again(sample) for sample in samples]
    samples = [one for one in samples if (one.at, one.url) not in asking.short] or samples
    history = review(index, samples, now, paths=strong, farm=farm, listing_url=listing_url, marks=marks)
    faults = [error for _, error in asking.faults.values()]
    away = [error for error in faults if error.unreached]
    if away and not history.spam:
        raise away[-1]
    if len(faults) * 2 > len(samples) or (faults and whole and not history.spam):
        raise faults[-1]
    return Reviewed(history, answer)


@dataclass
class _Asking:
    """The captures of one review: how many may still be asked for, and where the archive failed, by time and URL.

    `short` are those that sent their visitors on when no more could be asked for: what stood there is not known.
    `served` are captures that the archive gave instead of others.
    Captures of the home page that redirect within the site stand in `index` as those of their targets, once followed.
    """

    archive: Archive
    reader: Reader
    index: Index
    left: int
    faults: dict[tuple[datetime, str], tuple[IndexedCapture, UpstreamError]] = field(default_factory=dict)
    repeated: set[tuple[datetime, str]] = field(default_factory=set)
    short: set[tuple[datetime, str]] = field(default_factory=set)
    served: list[Sample] = field(default_factory=list)

    async def follow(self) -> list[Sample]:
        """Ask where redirects of the home page led, so that the others need not be asked; what was read on the way."""
        listed, led, read = self.index, dict[datetime, Sequence[IndexedCapture]](), list[Sample]()
        while self.left > 0 and (wanted := redirect_to_ask(self.index, read)):
            self.left -= 1
            sample = replace(await self.again(await self.sample(wanted)), followed=True)
            if sample.redirected_to is not None:
                itself = surt(sample.redirected_to) == surt(wanted.url)  # under another spelling
                led[wanted.at] = tuple(capture for capture in listed.home if capture.good and itself)
            elif sample.kind != "failed" and sample.status < 400:
                sample, led[wanted.at] = await asyncio.to_thread(_with_target, sample, listed)
            self.index = read_through(listed, led) if led else listed
            read.append(sample)
        if any(capture.good for capture in listed.home):  # of a site, as a page that nobody asked for
            read = [one for one in read if not _says_nothing(one) or (one.at, one.url) in self.faults]
        return list({(one.at, one.url): one for one in read}.values())

    async def sample(self, wanted: IndexedCapture) -> Sample:
        """One capture read, or why it was not."""
        home = wanted in self.index.home
        try:
            replay = await self._page_at(wanted.at, wanted.url)
            if self._is_another(replay, wanted):
                self.left -= 1
                replay = await self._page_at(wanted.at, wanted.url)
            if isinstance(replay, MissingCapture):
                return _failed(wanted, home, replay.reason)
            if self._is_another(replay, wanted):
                self.served.append(await self._whole(await _read(self.reader, replay, wanted, home)))
                return _failed(wanted, home, f"the web archive gave the capture of {day(replay.at)} instead")
            return await self._whole(await _read(self.reader, replay, wanted, home))
        except UpstreamError as error:
            self.faults[wanted.at, wanted.url] = wanted, error
            return _failed(wanted, home, f"{error.kind}: {error.message}")
        except PageUnread as error:
            return _failed(wanted, home, f"{error.reason}: {error.message}")

    def instead(self, known: Sequence[Sample]) -> list[Sample]:
        """The captures that were given instead of others, each at its own time, without those known."""
        places = {(one.at, one.url) for one in known}
        listed = {one.at: one.digest for one in self.index.home}
        fresh = {
            (one.at, one.url): replace(one, asked=None, digest=listed.get(one.at, "")) for one in self.served
        }
        self.served.clear()
        return [one for place, one in fresh.items() if place not in places]

    def _is_another(self, replay: Replay | MissingCapture, wanted: IndexedCapture) -> bool:
        """Whether the archive gave the same address at another time, with other content as far as its index tells."""
        if isinstance(replay, MissingCapture) or surt(replay.url) != surt(wanted.url):
            return False
        if abs(replay.at - wanted.at) <= _SAME_CAPTURE:
            return False
        same = (each.digest for each in self.index.home if abs(each.at - replay.at) <= _SAME_CAPTURE)
        return not wanted.digest or wanted.digest not in same

    async def again(self, sample: Sample) -> Sample:
        """The sample; one that the archive failed to give is asked for once more."""
        place = sample.at, sample.url
        if sample.failure is None or place not in self.faults or place in self.repeated:
            return sample
        self.repeated.add(place)
        wanted, _ = self.faults.pop(place)
        return await self.sample(wanted)

    async def _page_at(self, at: datetime, url: str) -> Replay | MissingCapture:
        """The capture of an address, or of the one within the site to which it redirected. Each more costs a capture.

        A redirect is given where it left the site, where nobody archived its target, and where it led in a circle.
        """
        replay = onward = await self.archive.capture(at, url)
        if isinstance(onward, Replay) and surt(onward.url) != surt(url):
            self.left -= 1  # the web archive followed it
        seen = {surt(url)}
        while isinstance(onward, Replay) and onward.redirected_to is not None:
            to = joined_url(onward.url, onward.redirected_to)
            if domain_of(to) != self.index.domain:
                return onward
            if surt(to) in seen or self.left <= 0:
                return replay
            seen.add(surt(to))
            self.left -= 1
            onward = await self.archive.capture(at, to)
        return replay if isinstance(onward, MissingCapture) else onward

    async def _whole(self, outer: Sample) -> Sample:
        """A page of frames or one that sends its visitors on, with the page they saw; costs a capture."""
        inner, sent_on = inner_address(outer)
        if inner is None:
            return outer
        moved = replace(outer, redirected_to=inner) if sent_on else outer
        if domain_of(inner) != self.index.domain:
            return moved
        # A page with words of its own is better than none.
        unseen = moved if outer.page.words < FEW_WORDS else outer
        if self.left <= 0:
            self.short.update([(outer.at, outer.url)] if unseen is moved else [])
            return unseen
        self.left -= 1
        replay = await self._page_at(outer.at, inner)
        if isinstance(replay, MissingCapture) or replay.status >= 400 or replay.redirected_to is not None:
            return unseen
        if sent_on and abs(replay.at - outer.at) > REACH:
            return unseen
        seen = await self.reader(_capture(replay, outer.digest))
        whole = replace(seen, title=seen.title or outer.page.title)
        return replace(outer, reading=whole, replay_url=replay.replay_url)


def inner_address(outer: Sample) -> tuple[str | None, bool]:
    """Where the visitors of a page were instead: its main frame, or where it sends them on (True).

    A page with words of its own is left only if it sends them on at once.
    """
    page = outer.page
    if outer.kind not in ("site", "error") or outer.status >= 400:
        return None, False
    few = page.words < FEW_WORDS
    named = [url for url in page.frame_urls if _MAIN.search(url)]
    frame = next(iter([*named, *reversed(page.frame_urls)]), None) if few else None
    onward = page.refresh_url if page.refresh_after < (STAYS_SECONDS if few else 1) else None
    address = joined_url(outer.url, frame or onward or "")
    usable = address.startswith(("http://", "https://")) and surt(address) != surt(outer.url)
    return (address, frame is None) if usable else (None, False)


def _with_target(sample: Sample, index: Index) -> tuple[Sample, Sequence[IndexedCapture]]:
    """A page to which the home page redirected as the index lists it, and all captures of that page."""
    listed = captures_of(index, surt(sample.url))
    own = next((capture for capture in listed if abs(capture.at - sample.at) <= _SAME_CAPTURE), None)
    if own is None:
        own = IndexedCapture(sample.at, sample.url, 200, "text/html", "", None)
        listed = tuple(sorted([*listed, own], key=lambda capture: capture.at))
    sample = replace(sample, at=own.at, url=own.url, digest=own.digest, length=own.length, asked=None)
    return sample, listed


def _says_nothing(sample: Sample) -> bool:
    return sample.kind in ("redirect", "failed") or sample.status >= 400


def _failed(wanted: IndexedCapture, home: bool, why: str) -> Sample:
    return Sample(
        wanted.at, wanted.url, "", wanted.digest, wanted.status or 200, home, wanted.length, failure=why
    )


async def _read(reader: Reader, replay: Replay, wanted: IndexedCapture, home: bool) -> Sample:
    led = surt(replay.url) != surt(wanted.url)
    if led and replay.redirected_to is None and abs(replay.at - wanted.at) > REACH:
        replay = replace(replay, at=wanted.at, redirected_to=replay.url)
    # A replay from another time or address is another capture: the digest asked for is not its own.
    same = abs(replay.at - wanted.at) <= _SAME_CAPTURE and not led
    digest = wanted.digest if same else ""
    reading: PageReading | None = None
    if replay.status >= 400:
        reading = PageReading("error", error_kind=_ERROR_KINDS.get(replay.status, "server_error"))
    elif replay.redirected_to is None:
        reading = await reader(_capture(replay, digest))
        if reading.error_kind == "not_html":
            return _failed(wanted, home, f"it is no page that can be read ({'; '.join(reading.notes)})")
    return Sample(
        replay.at,
        replay.url if home and led else wanted.url,
        replay.replay_url,
        digest,
        replay.status,
        home,
        wanted.length,
        reading,
        replay.redirected_to,
        asked=wanted.at,
    )


def _capture(replay: Replay, digest: str) -> Capture:
    return Capture(
        replay.asked,
        replay.url,
        replay.replay_url,
        replay.status,
        replay.mimetype,
        digest,
        replay.body,
        replay.headers,
    )
