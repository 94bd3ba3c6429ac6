"""The owners that a site had, one after the other, and the times in which what is archived is theirs.

Pure. Owners are numbered from 1 in the order in which they came: what a report, a kit and a link call `era`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from afterdrop.review.history.eras import Era
from afterdrop.review.history.life import LifeEra
from afterdrop.review.history.samples import Kind
from afterdrop.sources.archive.cdx_index import Span

# How long a capture speaks for the time before or after it in which nothing was read.
_SPEAKS_FOR = timedelta(days=730)
_SECOND = timedelta(seconds=1)
# What is no site, even where it was so short that it is no era of the life either.
_NO_SITE: frozenset[Kind] = frozenset({"parked", "error", "redirect", "failed"})


@dataclass(frozen=True, slots=True)
class Owner:
    """One owner's site: read from `start` to `end`, on `days` of them.

    `spans` are the times in which the pages archived are taken to be its own. `brand` are words that name the owner.
    """

    era: int
    start: datetime
    end: datetime
    days: int
    spans: tuple[Span, ...]
    brand: frozenset[str]


def owners(stood: Sequence[Era], life: Sequence[LifeEra]) -> tuple[Owner, ...]:
    """The owners in the order in which they came.

    `stood` are the eras of a review and `life` is made from them. Errors too short to be an era of `life` still end a
    span.
    """
    sites = [era for era in life if era.owner is not None]
    spans = _spans(sorted(stood, key=lambda era: era.start), sites)
    found = []
    for number in sorted({era.owner for era in sites if era.owner is not None}):
        own = [era for era in sites if era.owner == number]
        found.append(
            Owner(
                number,
                own[0].start,
                own[-1].end,
                sum(max(1, (era.end - era.start).days) for era in own),
                tuple(span for owner, span in spans if owner == number),
                frozenset(word for era in own for word in era.brand),
            )
        )
    return tuple(found)


def longest_first(owned: Sequence[Owner]) -> list[Owner]:
    """The owners by how long their site was there, of two alike the first one first."""
    return sorted(owned, key=lambda owner: (-owner.days, owner.era))


def last_change(life: Sequence[LifeEra]) -> datetime | None:
    """When the last owner's site was first read; None where one owner had it all along."""
    sites = [era for era in life if era.owner is not None]
    changes = [after.start for before, after in pairwise(sites) if before.owner != after.owner]
    return changes[-1] if changes else None


def _spans(stood: Sequence[Era], sites: Sequence[LifeEra]) -> list[tuple[int, Span]]:
    """Each owner's spans of time.

    Beside something else or another owner, a span ends with the capture read last: whose the pages between are, nobody
    read. Elsewhere it reaches to the next era of the same site, at most as long as a capture speaks for.
    """
    known = [(era, _owner_of(era, sites)) for era in stood]
    spans: list[tuple[int, Span]] = []
    for place, (era, owner) in enumerate(known):
        if owner is None:
            continue
        start, end = era.start - _SPEAKS_FOR, era.end + _SPEAKS_FOR
        if place and known[place - 1][1] != owner:
            start = era.start
        if place + 1 < len(known):
            after, next_owner = known[place + 1]
            end = min(end, after.start - _SECOND) if next_owner == owner else era.end
        spans.append((owner, (start, end)))
    return spans


def _owner_of(era: Era, sites: Sequence[LifeEra]) -> int | None:
    if era.kind in _NO_SITE:
        return None
    # Where nothing was archived for years the life has an era in two pieces.
    return next((site.owner for site in sites if site.start <= era.start <= site.end), None)
