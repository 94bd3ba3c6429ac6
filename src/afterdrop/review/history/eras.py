"""Eras: what stood at a domain from when to when, in few lines a person can read.

Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from afterdrop.review.history.same_owner import Owned
from afterdrop.review.history.samples import Kind
from afterdrop.review.history.timeline import Stretch, total
from afterdrop.review.page.text import shortened
from afterdrop.review.page.values import PageReading

BRAND_WORDS = 4
MAJORITY = 0.6
EXCERPT_CHARS = 240
_BEFORE_QUOTE = 60
FOR_MONEY = frozenset({"for_sale", "pay_per_click"})


@dataclass(frozen=True, slots=True)
class Era:
    """`kind` stood from `start` to `end`, the first and the last capture that are known to show it.

    Pages between two eras were not read. `url` is the last capture read, taken at `at`.
    `detail` says which kind of parking, spam or error it was. `brand` are words naming the owner. `captures` of
    the home page were counted, `days` is the time they cover. `owner` numbers the owners of sites from 1, in the order
    in which they come; None where no site stood. `excerpt` is a piece of the page's text, for spam the
    piece around what accuses it; a stranger wrote it. Of a site that `perhaps_other` is true of, nothing clearly says
    that it is the same owner's as before.
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
    at: datetime | None = None
    owner: int | None = None
    perhaps_other: bool = False


def eras(parts: Sequence[Stretch], told: Owned, *, suspects: Kind = "site") -> tuple[Era, ...]:
    """Group stretches into eras: a new one where the kind changes or the owner, or where the owner may have changed.

    `suspects`: what suspect pages belong to. It is the site they stand in, or spam where the whole history is.
    """
    groups: list[list[Stretch]] = []
    for part in parts:
        if part.shown is None:
            continue
        if groups and _group(groups[-1][-1], told, suspects) == _group(part, told, suspects):
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(
        replace(
            _era(_kind(group[0], suspects), group, told.owner.get(group[0].sample.at)), perhaps_other=loose
        )
        for group, loose in zip(groups, _perhaps_other(groups, told), strict=True)
    )


def _group(part: Stretch, told: Owned, suspects: Kind) -> tuple[Kind, bool, int | None, int]:
    """The marks that keep stretches together: a name for sale is something else than a placeholder."""
    at = part.sample.at
    owner = told.owner.get(at)
    return _kind(part, suspects), part.sample.page.parked_kind in FOR_MONEY, owner, _piece(at, told)


def _piece(at: datetime, told: Owned) -> int:
    """Which of an owner's captures that are clearly tied to each other a capture belongs to, counted from 0."""
    owner = told.owner.get(at)
    return sum(start <= at for start in told.loose if told.owner[start] == owner)


def _perhaps_other(groups: Sequence[Sequence[Stretch]], told: Owned) -> list[bool]:
    """Of each group whether its owner was last seen in captures that nothing clearly ties to it."""
    last: dict[int, int] = {}
    found = []
    for group in groups:
        at = group[0].sample.at
        owner = told.owner.get(at)
        found.append(owner is not None and last.get(owner, _piece(at, told)) != _piece(at, told))
        if owner is not None:
            last[owner] = _piece(at, told)
    return found


def _kind(part: Stretch, suspects: Kind) -> Kind:
    return suspects if part.sample.kind == "suspect" else part.sample.kind


def _era(kind: Kind, group: Sequence[Stretch], owner: int | None) -> Era:
    latest = group[-1].sample
    pages = [part.sample.page for part in group]
    language = mostly(group, "language")
    # Of a site in two languages the title is in the one that is told.
    titled = sorted(
        (page for page in pages if page.title), key=lambda page: page.language in (language, None)
    )
    shown = [moment for part in group if part.shown for moment in part.shown]
    return Era(
        kind,
        shown[0],
        shown[-1],
        sum(part.captures for part in group),
        max(1, round(total(group) / timedelta(days=1))),
        latest.replay_url,
        language,
        titled[-1].title if titled else None,
        mostly(group, "topic"),
        tuple(sorted(_brand([page.brand_tokens for page in pages]))[:BRAND_WORDS]),
        _detail(kind, group),
        _excerpt(kind, group[-1].sample.page),
        latest.at,
        owner,
    )


def _excerpt(kind: Kind, page: PageReading) -> str | None:
    text = " ".join(page.text.split())
    quotes = [item.quote for item in page.evidence if item.severity >= 2] if kind == "spam" else []
    place = next((at for quote in quotes if quote and (at := text.find(quote)) >= 0), 0)
    start = text.find(" ", max(place - _BEFORE_QUOTE, 0)) + 1 if place > _BEFORE_QUOTE else 0
    return ("…" if start else "") + shortened(text[start:], EXCERPT_CHARS) or None


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
