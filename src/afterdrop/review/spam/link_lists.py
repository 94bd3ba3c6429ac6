"""The parts of a page's text that are lists of links: menus, footers, tag clouds, lists of neighbouring articles.

Pure. What stands there says what a site offers beside its text, or what a template brings along; it weighs less than
what the page itself says. Links are found again in the text, in order, so the text is not made twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from afterdrop.review.page.markup import PageLink

Span = tuple[int, int]
# Links so near each other make a list, from so many on; a longer link is a sentence, which is text.
_APART, _LEAST, _LABEL = 24, 4, 90
# Characters searched for all links of a page together: keeps pages made to choke it cheap.
_SEARCHED = 4_000_000


def link_lists(text: str, anchors: Iterable[PageLink]) -> tuple[Span, ...]:
    """Spans of `text` that are lists of links, in order of place."""
    lists: list[Span] = []
    start = end = count = 0
    for left, right in _links(text, anchors):
        if count and left - end <= _APART:
            end, count = right, count + 1
            continue
        if count >= _LEAST:
            lists.append((start, end))
        start, end, count = left, right, 1
    if count >= _LEAST:
        lists.append((start, end))
    return tuple(lists)


def _links(text: str, anchors: Iterable[PageLink]) -> Iterable[Span]:
    place, searched = 0, 0
    for anchor in anchors:
        if anchor.hidden or not 0 < len(anchor.text) <= _LABEL:
            continue
        found = text.find(anchor.text, place)
        searched += (found if found >= 0 else len(text)) - place
        if found >= 0:
            place = found + len(anchor.text)
            yield found, place
        if searched > _SEARCHED:
            return


def within(spans: Sequence[Span], place: int) -> bool:
    """Whether a place lies in one of the spans."""
    at = bisect_right(spans, (place, len(spans) and spans[-1][1])) - 1
    return at >= 0 and spans[at][0] <= place < spans[at][1]
