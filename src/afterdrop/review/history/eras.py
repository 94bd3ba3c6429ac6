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

BRAND_WORDS = 4
MAJORITY = 0.6


@dataclass(frozen=True, slots=True)
class Era:
    """`kind` stood from `start` to `end` (first and last capture that show it), vouched for by `url`.

    `detail` says which kind of parking, spam or error it was. `brand` are words naming the owner. `captures` of
    the home page were counted, `days` is the time they cover.
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


def eras(parts: Sequence[Stretch], turns: Collection[datetime] = ()) -> tuple[Era, ...]:
    """Group stretches into eras: a new one where the kind changes, or at one of `turns` (confirmed changes).

    A suspect page belongs to the site it stands in.
    """
    groups: list[list[Stretch]] = []
    for part in parts:
        if groups and _kind(groups[-1][-1]) == _kind(part) and part.sample.at not in turns:
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(_era(group) for group in groups)


def _kind(part: Stretch) -> Kind:
    return "site" if part.sample.kind == "suspect" else part.sample.kind


def _era(group: Sequence[Stretch]) -> Era:
    kind = _kind(group[0])
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
    )


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
