"""One review: ask the index, read the few captures the plan names, put the history together.

No rows here: the caller loads what is kept of earlier answers and stores what comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from afterdrop.clients.archive import IndexAnswer, Missing, Replay
from afterdrop.clients.cdx_index import Index, IndexedCapture
from afterdrop.errors import UpstreamError
from afterdrop.review.history import History, review
from afterdrop.review.plan import CAPTURES, next_captures
from afterdrop.review.pool import PageUnread
from afterdrop.review.reading import Capture, ErrorKind, PageReading
from afterdrop.review.samples import Sample
from afterdrop.review.spam import spam_paths

Reader = Callable[[Capture], Awaitable[PageReading]]
_SAME_CAPTURE = timedelta(days=1)
_ERROR_KINDS: dict[int, ErrorKind] = {404: "not_found", 410: "not_found", 403: "blocked", 451: "blocked"}


class Archive(Protocol):
    """The web archive, or a local capture file asked like it."""

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """The domain's index. Raises UpstreamError."""
        ...

    async def capture(self, at: datetime, url: str) -> Replay | Missing:
        """One capture, or why it cannot be had. Raises UpstreamError."""
        ...


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A finished review: the history, and of the index answer what may be kept for good."""

    history: History
    answer: IndexAnswer


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
) -> Reviewed:
    """Review one domain (registrable, A-label) with one index question and at most `most` captures.

    `closed` and `closed_before` are what an earlier answer left, `drop` when the name expired, where known. A
    capture that fails is a recorded note. Raises UpstreamError, for a later try, when the index cannot be had or
    the archive failed for more than half of the captures asked for.
    """
    answer = await archive.index(domain, now, closed=closed, closed_before=closed_before)
    index = answer.index
    paths = tuple(hit.path for hit in spam_paths(index.paths))
    samples: list[Sample] = []
    faults: list[UpstreamError] = []
    budget = most - (answer.questions - 1)
    while wanted := plan(index, samples, paths, budget, drop):
        read = await asyncio.gather(*(_sample(archive, reader, index, one) for one in wanted))
        for sample, fault in read:
            samples.append(sample)
            faults.extend([fault] if fault else [])
    if faults and len(faults) * 2 > len(samples):
        raise faults[-1]
    return Reviewed(review(index, samples, now, paths=paths, listing_url=listing_url), answer)


def plan(
    index: Index, samples: Sequence[Sample], paths: Sequence[str], most: int, drop: datetime | None
) -> tuple[IndexedCapture, ...]:
    """The captures to read next; `paths` are the index's addresses that speak of spam, most telling first."""
    deep = [page for page in map(index.page_at, paths[:10]) if page is not None]
    return next_captures(index, samples, deep=deep, most=most, drop=drop)


async def _sample(
    archive: Archive, reader: Reader, index: Index, wanted: IndexedCapture
) -> tuple[Sample, UpstreamError | None]:
    """One capture read, with the archive's fault when that is why it was not."""
    home = wanted in index.home
    try:
        replay = await archive.capture(wanted.at, wanted.url)
    except UpstreamError as error:
        return _failed(wanted, home, f"{error.kind}: {error.message}"), error
    if isinstance(replay, Missing):
        return _failed(wanted, home, replay.reason), None
    try:
        return await _read(reader, replay, wanted, home), None
    except PageUnread as error:
        return _failed(wanted, home, f"{error.reason}: {error.message}"), None


def _failed(wanted: IndexedCapture, home: bool, why: str) -> Sample:
    return Sample(
        wanted.at, wanted.url, "", wanted.digest, wanted.status or 200, home, wanted.length, failure=why
    )


async def _read(reader: Reader, replay: Replay, wanted: IndexedCapture, home: bool) -> Sample:
    # A replay from another time is another capture: the digest asked for is not its own.
    same = abs(replay.at - wanted.at) <= _SAME_CAPTURE
    digest = wanted.digest if same else ""
    reading: PageReading | None = None
    if replay.status >= 400:
        reading = PageReading("error", error_kind=_ERROR_KINDS.get(replay.status, "server_error"))
    elif replay.redirected_to is None:
        reading = await reader(
            Capture(
                replay.asked,
                replay.url,
                replay.replay_url,
                replay.status,
                replay.mimetype,
                digest,
                replay.body,
                replay.headers,
                replay.at,
            )
        )
    return Sample(
        replay.at,
        wanted.url,
        replay.replay_url,
        digest,
        replay.status,
        home,
        wanted.length,
        reading,
        replay.redirected_to,
        asked=wanted.at,
    )
