"""The lexicon's phrases in a page, counted by trade and by where they stand.

Pure. One search over all pieces of a page. Phrases in lists of links count apart from those of the text, and words of
reports only where they stand near what they speak about: a footer's "play responsibly" guards nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from afterdrop.review.page.reading import Category, Zone
from afterdrop.review.spam.lexicon import Hit, Lexicon
from afterdrop.review.spam.link_lists import Span, within
from afterdrop.review.spam.yields import yields

Place = Literal["title", "head", "body", "list"]
PLACES: tuple[Place, ...] = ("title", "head", "body", "list")
LEVELS = (3, 2, 1, -1)
_PUBLISHER = -2
_APART = "\n\n\n"
# Occurrences in text and in lists of links: strong, product word, subject.
_WEIGHTS = {3: 1.0, 2: 0.6, 1: 0.15}
_LIST_SHARE = 0.5
# Words of reports count within so many characters of an accusing phrase.
_NEAR = 400


@dataclass(frozen=True, slots=True)
class Zoned:
    """A piece of the page, where it stands, and the spans of it that are lists of links."""

    zone: Zone
    text: str
    lists: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit with the piece it stands in."""

    level: int
    zone: Zone
    hit: Hit
    text: str


@dataclass
class Tally:
    """What one trade has in one page: distinct phrases by place and level, and their weight in the text."""

    found: dict[tuple[Place, int], set[str]] = field(
        default_factory=lambda: {(place, level): set() for place in PLACES for level in LEVELS}
    )
    weight: float = 0.0
    shown: list[Shown] = field(default_factory=list)

    def add(self, place: Place, zone: Zone, hit: Hit, text: str) -> None:
        """Count one hit."""
        level, phrase = hit.term.level, hit.term.phrase.lower()
        if level > 0 and phrase not in self.found[place, level]:
            self.shown.append(Shown(level, zone, hit, text))
        self.found[place, level].add(phrase)
        if place != "head":
            self.weight += _WEIGHTS.get(level, 0.0) * (_LIST_SHARE if place == "list" else 1)

    def distinct(self, level: int, *places: Place) -> int:
        """How many different phrases of a level stand in these places (none named: in any but the lists)."""
        return len(set().union(*(self.found[place, level] for place in places or PLACES[:3])))

    def listed(self, level: int) -> int:
        """How many different phrases of a level stand in lists of links alone."""
        return len(self.found["list", level].difference(*(self.found[p, level] for p in PLACES[:3])))


@dataclass(frozen=True, slots=True)
class Counted:
    """One page's phrases by trade, and the different ones that say who stands behind it."""

    trades: dict[Category, Tally]
    publisher_phrases: frozenset[str]


def tally(pieces: Iterable[Zoned], language: str | None, lexicon: Lexicon) -> Counted:
    """Hits over all pieces of a page."""
    chosen = [piece for piece in pieces if piece.text]
    starts = [0, *accumulate(len(piece.text) + len(_APART) for piece in chosen)]
    placed: list[tuple[Hit, Zoned, Place, int]] = []
    accusing: dict[Category, list[int]] = {}
    publisher_phrases: set[str] = set()
    joined = _APART.join(piece.text for piece in chosen)
    for hit in sorted([*lexicon.hits(joined, language), *yields(joined)], key=lambda one: one.start):
        if hit.term.level == _PUBLISHER:
            publisher_phrases.add(hit.term.phrase.lower())
            continue
        number = bisect_right(starts, hit.start) - 1
        piece = chosen[number]
        local = Hit(hit.term, hit.start - starts[number], hit.end - starts[number])
        place = _place(piece, local)
        placed.append((local, piece, place, hit.start))
        if hit.term.level >= 2 and place != "list":
            accusing.setdefault(hit.term.category, []).append(hit.start)
    tallies: dict[Category, Tally] = {}
    for local, piece, place, start in placed:
        category, level = local.term.category, local.term.level
        if level < 0 and place in {"body", "list"} and not _near(accusing.get(category, ()), start, place):
            continue
        tallies.setdefault(category, Tally()).add(
            place, "link" if place == "list" else piece.zone, local, piece.text
        )
    return Counted(tallies, frozenset(publisher_phrases))


def _place(piece: Zoned, hit: Hit) -> Place:
    if piece.zone in {"title", "meta"}:
        return "title" if piece.zone == "title" else "head"
    return "list" if within(piece.lists, hit.start) else "body"


def _near(accusing: Sequence[int], place: int, zone: Place) -> bool:
    at = bisect_left(accusing, place)
    return zone != "list" and any(abs(other - place) <= _NEAR for other in accusing[max(at - 1, 0) : at + 1])
