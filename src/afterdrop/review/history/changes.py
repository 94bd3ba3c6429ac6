"""Changes that came with a site's owner: its subject, its language.

Pure. A change counts when each side stands on two digests or half a year, and when the owner changed too
(same_owner.py): a redesign or a second language is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from afterdrop.review.history.likeness import likeness
from afterdrop.review.history.samples import Sample
from afterdrop.review.history.timeline import Stretch, confirmed
from afterdrop.review.page.values import PageReading

SAME_SUBJECT = 0.22
CONFUSABLE = (
    frozenset({"no", "da", "sv"}),
    frozenset({"hr", "sr", "sl", "bs", "mk"}),
    frozenset({"id", "ms"}),
    frozenset({"ca", "es", "gl", "pt"}),
    frozenset({"cs", "sk"}),
    frozenset({"ru", "uk", "bg", "be"}),
    frozenset({"zh", "ja"}),
)
_REALLY_TWO = frozenset({frozenset({"es", "pt"}), frozenset({"zh", "ja"})})


@dataclass(frozen=True, slots=True)
class SiteChange:
    """From `before` to `after` (captures of the home page that were read) the site turned from `old` to `new`.

    It did between `last` and `first`, the nearest captures that are known to show the one page and the other.
    """

    before: Sample
    after: Sample
    last: datetime
    first: datetime
    old: str | None = None
    new: str | None = None


# The owner of each capture of a site, by its time.
Owners = Mapping[datetime, int]


def owner_changes(parts: Sequence[Stretch], owner: Owners) -> tuple[SiteChange, ...]:
    """Every change of owner between stretches that show a site."""
    sites = [part for part in parts if part.sample.at in owner]
    return tuple(
        _turn(old, new) for old, new in pairwise(sites) if owner[old.sample.at] != owner[new.sample.at]
    )


@dataclass(frozen=True, slots=True)
class OwnerChange:
    """A change of owner, or one of which it is not known with which of several owners it came.

    `language` and `subject` are what changed with the owner, seen from the captures that tell.
    """

    change: SiteChange
    language: SiteChange | None = None
    subject: SiteChange | None = None


def changes(parts: Sequence[Stretch], owner: Owners) -> tuple[OwnerChange, ...]:
    """Every change once, in the order of time: of the owner, and what changed with it."""
    # Of a stretch that no capture is known to show nothing can be opened.
    known = [part for part in parts if part.shown is not None]
    found = [OwnerChange(change) for change in owner_changes(known, owner)]
    for name, turned in (
        ("language", language_changes(known, owner)),
        ("subject", topic_changes(known, owner)),
    ):
        for change in turned:
            within = [at for at, other in enumerate(found) if _holds(change, other.change)]
            if len(within) == 1:
                found[within[0]] = replace(found[within[0]], **{name: change})
            else:
                found.append(OwnerChange(change, **{name: change}))
    return tuple(sorted(found, key=lambda each: (each.change.last, each.change.first)))


def _holds(outer: SiteChange, inner: SiteChange) -> bool:
    return outer.last <= inner.last and inner.first <= outer.first


def _turn(before: Stretch, after: Stretch, old: str | None = None, new: str | None = None) -> SiteChange:
    last = before.shown[1] if before.shown else before.sample.at
    first = after.shown[0] if after.shown else after.sample.at
    return SiteChange(before.sample, after.sample, last, first, old, new)


def language_changes(parts: Sequence[Stretch], owner: Owners) -> tuple[SiteChange, ...]:
    """Confirmed changes of language with the owner, between stretches that show the site itself."""
    spoken = [part for part in parts if part.sample.kind == "site" and part.sample.page.language_sure]
    runs = [run for run in _runs(spoken, lambda part: part.sample.page.language) if confirmed(run)]
    return tuple(
        _turn(old[-1], new[0], _language(old), _language(new))
        for old, new in pairwise(runs)
        if not confusable(_language(old), _language(new))
        and owner[old[-1].sample.at] != owner[new[0].sample.at]
    )


def topic_changes(parts: Sequence[Stretch], owner: Owners) -> tuple[SiteChange, ...]:
    """Confirmed changes of subject with the owner, between stretches that show the site itself."""
    sites = [part for part in parts if part.sample.kind == "site"]
    runs = _runs(sites, lambda part: owner[part.sample.at])
    found = []
    for old, new in pairwise(runs):
        before, after = old[-2:], new[:2]
        if not (confirmed(before) and confirmed(after)):
            continue
        pages = [(one.sample.page, other.sample.page) for one in before for other in after]
        if all(other_subject(one, other) for one, other in pages):
            left, right = before[-1], after[0]
            found.append(_turn(left, right, left.sample.page.topic, right.sample.page.topic))
    return tuple(found)


def other_subject(ours: PageReading, theirs: PageReading) -> bool | None:
    """Whether pages of two owners are about different things; None where nothing tells."""
    if ours.topic and theirs.topic:
        return ours.topic != theirs.topic
    # Texts in two languages have no words in common to compare.
    alike = likeness(ours.text, theirs.text) if ours.language == theirs.language else None
    return None if alike is None else alike < SAME_SUBJECT


def _runs(parts: Sequence[Stretch], value: Callable[[Stretch], str | int | None]) -> list[list[Stretch]]:
    runs: list[list[Stretch]] = []
    for part in parts:
        if runs and value(runs[-1][-1]) == value(part):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _language(run: Sequence[Stretch]) -> str | None:
    return run[0].sample.page.language


def confusable(ours: str | None, theirs: str | None) -> bool:
    """Whether the detectors take two languages for each other."""
    pair = frozenset({ours or "", theirs or ""})
    return pair not in _REALLY_TWO and any(pair <= family for family in CONFUSABLE)
