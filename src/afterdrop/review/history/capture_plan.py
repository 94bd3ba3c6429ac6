"""Which captures of a site to read, few and telling.

Pure. First the corners (last and first good capture, the last before the drop), then one after another
whatever could still change the verdict or date a change: a second digest beside a finding, where the pages between two
owners' change their size or else the middle, a page whose size is out of line, the middle of the longest time of which
nothing was read. One page beside the home page is read, too: a front page of headlines or of one picture says less of a
site than its articles do.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from afterdrop.review.history.farm import DOUBTFUL
from afterdrop.review.history.same_owner import one_owner
from afterdrop.review.history.samples import Sample, name_words
from afterdrop.review.page.text import slug_of
from afterdrop.sources.archive.cdx_index import ArchivedPage, Index, IndexedCapture

CAPTURES = 8
DEEP_PAGES = 2
# So many addresses that were new in one year are a burst.
BURST = 30
_SILENCE = timedelta(days=365)
_WORTH_A_LOOK = timedelta(days=200)
_BESIDE = timedelta(days=3 * 365)
# More than any unread time is worth: a change is dated before the next is looked for.
_WHERE_THEY_DIFFER = 6.0
# A change dated so well is left alone.
_WELL_DATED = timedelta(days=45)
_SIZE_BAND = 1.0  # log2: twice or half the size
# Sizes tell two pages apart from here on, and where one follows the other if so few captures contradict.
_SIZES_DIFFER = 0.2
_MAY_CONTRADICT = 0.1


def next_captures(
    index: Index,
    samples: Sequence[Sample] = (),
    *,
    deep: Sequence[Sequence[ArchivedPage]] = (),
    most: int = CAPTURES,
    drop: datetime | None = None,
) -> tuple[IndexedCapture, ...]:
    """The captures to read next, given those read; empty when enough is known or `most` are spent.

    `deep` are other pages by what makes them worth reading, most telling first: an address that speaks of spam, many
    addresses built alike. One of each is read, a second one where that is doubtful. `drop` is when the name expired,
    where known; else the longest silence of the archive stands for it.
    """
    left = most - len(samples)
    if left <= 0:
        return ()
    good = distinct(index)
    known = {sample.digest for sample in samples if sample.digest}
    asked = {sample.asked or sample.at for sample in samples}
    unread = [capture for capture in good if capture.digest not in known and capture.at not in asked]
    if all(sample.followed for sample in samples):
        first = [corner for corner in _corners(index, good, drop) if corner in unread]
        first = first if first or samples else _anything(index)
        first += [_capture_of(pages[0]) for pages in deep if pages]
        if first:
            return tuple(first)[:left]
    another = next((page for pages in deep if (page := _another(pages, samples))), None)
    if another:
        return (_capture_of(another),)
    of_home = [sample for sample in samples if sample.home]
    return tuple(_wanted(unread, of_home, name_words(index.domain))[:1])


def _another(pages: Sequence[ArchivedPage], samples: Sequence[Sample]) -> ArchivedPage | None:
    """The next of `pages` where one that was read is doubtful."""
    known = {sample.url: sample for sample in samples}
    read = [known[page.url] for page in pages if page.url in known]
    doubtful = any(s.kind in ("spam", "suspect") or s.page.spam_chance >= DOUBTFUL for s in read)
    return next((page for page in pages[:DEEP_PAGES] if page.url not in known), None) if doubtful else None


def inner_pages(index: Index) -> tuple[ArchivedPage, ...]:
    """The pages beside the home page that are read where no address tells, rather articles than lists.

    They are of a burst of new addresses, where there was one: who fills a lapsed name or a broken-into site with pages
    by the thousand adds them within a year. The page with most words in its address is an article in any site's order.
    """
    years = index.first_years()
    years.pop(index.home_path, None)
    # The year after a site's first in which most addresses were new, the last of several; None where few
    # ever were.
    new = Counter(years.values())
    most = max(sorted(new)[1:], key=lambda year: (new[year], year), default=None)
    burst = most if most is not None and new[most] >= BURST else None
    chosen = (path for path, year in years.items() if burst is None or year == burst)
    telling = sorted(chosen, key=lambda path: (-slug_of(path).count("-"), path))
    found = map(index.page_at, telling[: DEEP_PAGES + len(index.sent_to)])
    return tuple(page for page in found if page is not None and page.url not in index.sent_to)[:DEEP_PAGES]


def distinct(index: Index) -> list[IndexedCapture]:
    """Good captures of the home page, runs of one digest by their first and last capture."""
    good = [capture for capture in index.home if capture.good]
    kept: list[IndexedCapture] = []
    for place, capture in enumerate(good):
        before = place > 0 and _content(good[place - 1]) == _content(capture)
        after = place + 1 < len(good) and _content(good[place + 1]) == _content(capture)
        if not (before and after):
            kept.append(capture)
    return kept


def _content(capture: IndexedCapture | Sample) -> str:
    """The common mark of captures of the same content: their digest, and nothing where the index gives none."""
    return capture.digest or capture.at.isoformat()


def _corners(index: Index, good: list[IndexedCapture], drop: datetime | None) -> list[IndexedCapture]:
    if not good:
        return []
    chosen: list[IndexedCapture] = []

    def take(capture: IndexedCapture | None) -> None:
        if capture is not None and all(_content(capture) != _content(other) for other in chosen):
            chosen.append(capture)

    take(good[-1])
    take(good[0])
    take(_before_drop(index, good, drop))
    return chosen


def _before_drop(index: Index, good: list[IndexedCapture], drop: datetime | None) -> IndexedCapture | None:
    place = bisect_right([capture.at for capture in good], drop) if drop is not None else 0
    if 0 < place < len(good):
        return good[place - 1]
    pauses = [(later.at - earlier.at, earlier) for earlier, later in pairwise(good)]
    longest = max(pauses, key=lambda pause: pause[0], default=None)
    return longest[1] if longest and longest[0] >= _SILENCE else None


def _capture_of(page: ArchivedPage) -> IndexedCapture:
    return IndexedCapture(page.last, page.url, 200, "text/html", page.digest, None)


def _anything(index: Index) -> list[IndexedCapture]:
    """Where no page was archived well: the latest redirect, which says where the site went."""
    return [capture for capture in index.home if capture.redirect][-1:]


def _wanted(
    unread: Sequence[IndexedCapture], samples: Sequence[Sample], inherited: frozenset[str]
) -> list[IndexedCapture]:
    """Unread captures by how much they could tell, best first, one for each stretch between samples."""
    told = sorted((sample for sample in samples if sample.kind != "failed"), key=lambda sample: sample.at)
    times = [capture.at for capture in unread]
    scored: list[tuple[float, int, IndexedCapture]] = []
    edges: list[Sample | None] = [None, *told, None]
    for before, after in pairwise(edges):
        low = bisect_right(times, before.at) if before else 0
        high = bisect_left(times, after.at) if after else len(unread)
        between = unread[low:high]
        if between:
            worth, capture = _best_between(between, before, after, inherited)
            if worth > 0:
                scored.append((worth, len(scored), capture))
    scored.extend((20.0, len(scored) + n, capture) for n, capture in enumerate(_confirming(unread, told)))
    scored.sort(key=lambda item: (-item[0], item[1]))
    best = {_content(capture): capture for _, _, capture in reversed(scored)}
    return sorted(best.values(), key=[capture for _, _, capture in scored].index)


def _confirming(unread: Sequence[IndexedCapture], told: Sequence[Sample]) -> list[IndexedCapture]:
    """The nearest other capture beside each finding that stands on one digest alone."""
    wanted = []
    for kind in ("spam", "suspect", "parked"):
        found = [sample for sample in told if sample.kind == kind]
        if len({_content(sample) for sample in found}) == 1 and unread:
            nearest = min(unread, key=lambda capture: abs(capture.at - found[-1].at))
            if abs(nearest.at - found[-1].at) <= _BESIDE:
                wanted.append(nearest)
    return wanted


def _best_between(
    between: Sequence[IndexedCapture], before: Sample | None, after: Sample | None, inherited: frozenset[str]
) -> tuple[float, IndexedCapture]:
    start = before.at if before else between[0].at
    end = after.at if after else between[-1].at
    years = (end - start) / timedelta(days=365)
    at = start + (end - start) / 2
    place = bisect_left([capture.at for capture in between], at)
    middle = min(between[max(place - 1, 0) : place + 1], key=lambda capture: abs(capture.at - at))
    odd, distance = _odd_one(between, before, after)
    if before and after and end - start > _WELL_DATED and differ(before, after, inherited):
        return _WHERE_THEY_DIFFER + years, _turning(between, before, after) or middle
    if distance >= _SIZE_BAND:
        return 2 + distance + min(years, 3), odd
    return (years if end - start >= _WORTH_A_LOOK else 0.0), middle


def _odd_one(
    between: Sequence[IndexedCapture], before: Sample | None, after: Sample | None
) -> tuple[IndexedCapture, float]:
    """The capture whose size is furthest from both neighbours', and how far in powers of two."""
    sizes = [sample.length for sample in (before, after) if sample and sample.length]

    def distance(capture: IndexedCapture) -> float:
        if not sizes or not capture.length:
            return 0.0
        return min(abs(math.log2(capture.length / size)) for size in sizes)

    odd = max(between, key=distance)
    return odd, distance(odd)


def _turning(between: Sequence[IndexedCapture], before: Sample, after: Sample) -> IndexedCapture | None:
    """The first capture of the later page by the sizes of all between, else the last; None where they do not tell."""
    if not (before.length and after.length):
        return None
    if abs(math.log2(before.length / after.length)) < _SIZES_DIFFER:
        return None
    grown, edge = after.length > before.length, math.sqrt(before.length * after.length)
    later = [((capture.length or before.length) > edge) == grown for capture in between]
    wrong = [later.count(False)]  # with the turn before the first, then behind each
    for one in later:
        wrong.append(wrong[-1] + (1 if one else -1))
    place = wrong.index(min(wrong))
    return between[min(place, len(between) - 1)] if wrong[place] <= _MAY_CONTRADICT * len(between) else None


def differ(before: Sample, after: Sample, inherited: frozenset[str]) -> bool:
    """Whether something else stood there than before, or another owner's site."""
    return before.kind != after.kind or not one_owner(before.page, after.page, inherited)
