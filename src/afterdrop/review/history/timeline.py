"""The life of a site as stretches of time, each vouched for by one capture that was read.

Pure. Every good capture of the home page is explained by the sample with its digest, else by the nearest one in
time; a capture speaks for the time until the next, at most two years.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise, zip_longest

from afterdrop.review.history.samples import Sample
from afterdrop.sources.archive.cdx_index import Index, IndexedCapture, Span

_LONGEST = timedelta(days=730)
_SHORTEST = timedelta(days=1)
LONG_ENOUGH = timedelta(days=180)
GAP_YEARS = 2


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `start` to `end` the site is taken to have stood as `sample` shows it; `captures` of the home page say so.

    `shown` are the first and the last of them that are known to be the sample's page: the one read, and those of its
    digest. It is None where all are only nearer to the sample than to any other.
    """

    start: datetime
    end: datetime
    sample: Sample
    captures: int
    covered: timedelta
    shown: Span | None


@dataclass(frozen=True, slots=True)
class Gap:
    """Whole calendar years without a good capture: `years` lists them, `before` and `after` are those around."""

    years: tuple[int, ...]
    before: int
    after: int


def stretches(index: Index, samples: Iterable[Sample]) -> tuple[Stretch, ...]:
    """The stretches of the home page's life in order of time, neighbours of one sample joined.

    Samples that failed or show a deep page explain nothing. Without an index each sample stands for itself.
    """
    told = sorted((s for s in samples if s.home and s.kind != "failed"), key=lambda s: s.at)
    if not told:
        return ()
    captures = [capture for capture in index.home if capture.good]
    known = {sample.digest: sample for sample in told if sample.digest}
    read = {sample.at for sample in told}
    marks = [
        (capture.at, _explains(capture, told, known), capture.digest in known)
        for capture in captures
        if capture.at not in read
    ]
    marks += [(sample.at, sample, True) for sample in told]
    marks.sort(key=lambda mark: mark[0])
    joined: list[Stretch] = []
    for place, (at, sample, sure) in enumerate(marks):
        following = marks[place + 1][0] if place + 1 < len(marks) else at
        covered = min(max(following - at, _SHORTEST), _LONGEST)
        shown = (at, at) if sure else None
        if joined and joined[-1].sample is sample:
            last = joined.pop()
            shown = (last.shown[0], at if sure else last.shown[1]) if last.shown else shown
            joined.append(Stretch(last.start, at, sample, last.captures + 1, last.covered + covered, shown))
        else:
            joined.append(Stretch(at, at, sample, 1, covered, shown))
    return tuple(joined)


def _explains(capture: IndexedCapture, told: Sequence[Sample], known: dict[str, Sample]) -> Sample:
    same = known.get(capture.digest)
    if same is not None:
        return same
    place = bisect_left(told, capture.at, key=lambda sample: sample.at)
    return min(told[max(place - 1, 0) : place + 1], key=lambda sample: abs(sample.at - capture.at))


def confirmed(run: Sequence[Stretch]) -> bool:
    """Whether stretches vouch for each other: two digests, or half a year."""
    digests = {part.sample.digest or part.sample.at.isoformat() for part in run}
    return len(digests) >= 2 or total(run) >= LONG_ENOUGH


def total(parts: Iterable[Stretch]) -> timedelta:
    """The time covered."""
    return sum((part.covered for part in parts), timedelta())


def share(parts: Sequence[Stretch], kind: str) -> float:
    """Share of the covered time in which `kind` stood, 0–1; 0 without any covered time."""
    whole = total(parts)
    return total(part for part in parts if part.sample.kind == kind) / whole if whole else 0.0


def gaps(index: Index) -> tuple[Gap, ...]:
    """Every pause of at least GAP_YEARS whole calendar years without a good capture, oldest first."""
    years = sorted(index.good_years)
    return tuple(
        Gap(tuple(range(before + 1, after)), before, after)
        for before, after in pairwise(years)
        if after - before > GAP_YEARS
    )


def honest_years(parts: Sequence[Stretch], good_years: Collection[int]) -> tuple[int, ...]:
    """Those of `good_years` with a good capture in a stretch whose sample is an honest page.

    A stretch reaches to the next one, at most as long as a capture speaks for: what is archived of other pages in
    a year without any capture of the home page belongs to the stretch before.
    """
    years: set[int] = set()
    for part, following in zip_longest(parts, parts[1:]):
        if part.sample.kind != "site":
            continue
        last = part.end.year
        if following is not None:
            last = max(last, min(following.start.year - 1, (part.end + _LONGEST).year))
        years.update(range(part.start.year, last + 1))
    return tuple(sorted(years.intersection(good_years)))
