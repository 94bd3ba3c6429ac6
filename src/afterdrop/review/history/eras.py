"""Eras: what stood at a domain from when to when, in few lines a person can read.

Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from afterdrop.review.history.samples import Kind
from afterdrop.review.history.timeline import Stretch, total
from afterdrop.review.page.reading import PageReading

BRAND_WORDS = 4
MAJORITY = 0.6
EXCERPT_CHARS = 240
_BEFORE_QUOTE = 60
FOR_MONEY = frozenset({"for_sale", "pay_per_click"})


@dataclass(frozen=True, slots=True)
class Era:
    """`kind` stood from `start` to `end` (first and last capture that show it), vouched for by `url`.

    `detail` says which kind of parking, spam or error it was. `brand` are words naming the owner. `captures` of
    the home page were counted, `days` is the time they cover. `excerpt` is a piece of the page's text, for spam the
    piece around what accuses it; a stranger wrote it.
    """

    kind: Kind
    start: datetime
    end: datetime
    captures: int
    days: int
    url: str
    language: str | None = None
    title: str | None = None
    topic: str | None = None
    brand: tuple[str, ...] = ()
    detail: str | None = None
    excerpt: str | None = None


def eras(
    parts: Sequence[Stretch], turns: Collection[datetime] = (), *, suspects: Kind = "site"
) -> tuple[Era, ...]:
    """Group stretches into eras: a new one where the kind changes, or at one of `turns` (confirmed changes).

    `suspects`: what suspect pages belong to. It is the site they stand in, or spam where the whole history is.
    """
    groups: list[list[Stretch]] = []
    for part in parts:
        alike = groups and _group(groups[-1][-1], suspects) == _group(part, suspects)
        if alike and part.sample.at not in turns:
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(_era(_kind(group[0], suspects), group) for group in groups)


def _group(part: Stretch, suspects: Kind) -> tuple[Kind, bool]:
    """What keeps stretches together: a name for sale is something else than a placeholder."""
    return _kind(part, suspects), part.sample.page.parked_kind in FOR_MONEY


def _kind(part: Stretch, suspects: Kind) -> Kind:
    return suspects if part.sample.kind == "suspect" else part.sample.kind


def _era(kind: Kind, group: Sequence[Stretch]) -> Era:
    latest = group[-1].sample
    pages = [part.sample.page for part in group]
    return Era(
        kind,
        group[0].start,
        group[-1].end,
        sum(part.captures for part in group),
        max(1, round(total(group) / timedelta(days=1))),
        latest.replay_url,
        mostly(group, "language"),
        next((page.title for page in reversed(pages) if page.title), None),
        mostly(group, "topic"),
        tuple(sorted(_brand([page.brand_tokens for page in pages]))[:BRAND_WORDS]),
        _detail(kind, group),
        _excerpt(kind, group[-1].sample.page),
    )


def _excerpt(kind: Kind, page: PageReading) -> str | None:
    text = " ".join(page.text.split())
    quotes = [item.quote for item in page.evidence if item.severity >= 2] if kind == "spam" else []
    place = next((at for quote in quotes if quote and (at := text.find(quote)) >= 0), 0)
    start = text.find(" ", max(place - _BEFORE_QUOTE, 0)) + 1 if place > _BEFORE_QUOTE else 0
    return text[start : start + EXCERPT_CHARS] or None


def _brand(each: Sequence[frozenset[str]]) -> frozenset[str]:
    named = [tokens for tokens in each if tokens]
    return frozenset(
        token
        for tokens in named
        for token in tokens
        if sum(token in other for other in named) * 2 > len(named)
    )


def _detail(kind: Kind, group: Sequence[Stretch]) -> str | None:
    page = group[-1].sample.page
    if kind == "parked":
        return page.parked_kind
    if kind == "error":
        return page.error_kind or f"status {group[-1].sample.status}"
    if kind == "redirect":
        return group[-1].sample.redirected_to
    return page.category


def mostly(parts: Sequence[Stretch], attribute: str, majority: float = MAJORITY) -> str | None:
    """The value of a reading's `attribute` that holds for most of the time covered, None when none does.

    Readings without a value do not vote.
    """
    weights: dict[str, timedelta] = defaultdict(timedelta)
    for part in parts:
        value = getattr(part.sample.page, attribute)
        if value:
            weights[value] += part.covered
    if not weights:
        return None
    best = max(weights, key=lambda value: (weights[value], value))
    return best if weights[best] >= majority * sum(weights.values(), timedelta()) else None
