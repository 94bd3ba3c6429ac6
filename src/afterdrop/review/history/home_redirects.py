"""Home pages that send their visitors on within the site, read as the page that visitors saw.

Pure. Of a site in two languages, a shop or a CMS in a folder the archive has redirects of `/` and, under `/en/`, what
the visitors saw. The index does not say where a redirect led: a few of them are asked, the others led where the nearest
of these did. Each stands for the capture of its target that is nearest in time, and at most REACH away; one without
such a capture stays a redirect.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from afterdrop.review.history.samples import Sample
from afterdrop.sources.archive.cdx_index import Index, IndexedCapture

REACH = timedelta(days=365)
# A page of the home address so near says itself what stood there.
_BESIDE = timedelta(days=30)
MOST_ASKED = 4
_MOST_AWAY = 2

# Where redirects that were asked led, by their time: the captures of that page; none where it is another site's.
Led = Mapping[datetime, Sequence[IndexedCapture]]


def redirect_to_ask(index: Index, read: Sequence[Sample]) -> IndexedCapture | None:
    """The next redirect of the home page to follow, given those `read`: the last, then the first that is unexplained.

    None where each is explained, or enough of them were asked.
    """
    away = sum(sample.kind in ("redirect", "failed") for sample in read)
    if len(read) >= MOST_ASKED or away >= _MOST_AWAY:
        return None
    asked = {sample.asked for sample in read}
    unknown = [capture for capture in unexplained(index) if capture.at not in asked]
    return unknown[0 if read else -1] if unknown else None


def unexplained(index: Index) -> list[IndexedCapture]:
    """The redirects that may have led into the site.

    Beside others a page of the home address was archived, or within REACH under another spelling: they led from http to
    https, or to `www`.
    """
    good: dict[str, list[IndexedCapture]] = defaultdict(list)
    for capture in index.home:
        if capture.good:
            good[_spelling(capture.url)].append(capture)
    return [capture for capture in index.home if capture.redirect and not _explained(capture, good)]


def _explained(redirect: IndexedCapture, good: Mapping[str, Sequence[IndexedCapture]]) -> bool:
    own = _spelling(redirect.url)
    return any(
        _nearest(captures, redirect.at, _BESIDE if spelling == own else REACH)
        for spelling, captures in good.items()
    )


def read_through(index: Index, led: Led) -> Index:
    """The index in which the home page's redirects are the captures of the pages that they led to."""
    through = {capture: page for capture in unexplained(index) if (page := _page_of(capture.at, led))}
    seen = {(each.at, each.url): each for each in (through.get(each, each) for each in index.home)}
    home = tuple(sorted(seen.values(), key=lambda each: each.at))
    return replace(index, home=home, sent_to=tuple(dict.fromkeys(page.url for page in through.values())))


def _page_of(at: datetime, led: Led) -> IndexedCapture | None:
    """The page that visitors saw at that time, by where the redirects nearest to it led."""
    for asked in sorted(led, key=lambda each: abs(each - at)):
        if not led[asked]:
            return None
        if page := _nearest(led[asked], at, REACH):
            return page
    return None


def _nearest(captures: Sequence[IndexedCapture], at: datetime, reach: timedelta) -> IndexedCapture | None:
    place = bisect_left(captures, at, key=lambda capture: capture.at)
    near = min(captures[max(place - 1, 0) : place + 1], key=lambda capture: abs(capture.at - at))
    return near if abs(near.at - at) <= reach else None


def _spelling(url: str) -> str:
    """Scheme and host of a URL, without the port that the scheme has anyway."""
    scheme, _, rest = url.lower().partition("://")
    return f"{scheme}://{rest.partition('/')[0].removesuffix(':443' if scheme == 'https' else ':80')}"
