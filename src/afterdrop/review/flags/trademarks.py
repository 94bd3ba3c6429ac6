"""Famous names inside a domain name: whole, in a compound, or one letter off.

Pure. Coined marks count wherever they stand as a word of their own; ordinary words that are also marks (apple,
shell, target) only as the whole name, so that applewood or shellfish is nobody's mark.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Literal

from afterdrop.core.domain_names import unicode_name
from afterdrop.review.history.findings import Finding

Form = Literal["whole", "compound", "typo"]
SHORT = 5  # a shorter coined mark is part of too many words to count beside just any other
TYPO_FROM = 6
_LEAST_REST = 3
_LOOKALIKES = str.maketrans(
    {"0": "o", "1": "l", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g"}
    | dict(zip("асеорхуіѕјԁӏ", "aceopxyisjdl", strict=True))
    | dict(zip("áàäâãåéèëêíìïîóòöôõúùüûñçýÿ", "aaaaaaeeeeiiiiooooouuuuncyy", strict=True))
)


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks looked for: `distinct` coined ones and ordinary `words`.

    `lures` play on a mark beside an ordinary word, `shop` words beside a short coined one, `innocent` names are
    one letter off a mark and words of their own.
    """

    distinct: frozenset[str]
    words: frozenset[str]
    lures: frozenset[str]
    shop: frozenset[str]
    innocent: frozenset[str]
    version: str

    def plus(self, own: Iterable[str]) -> Marks:
        """The same with an operator's own marks, which count as coined."""
        added = {re.sub(r"[^a-z0-9]", "", mark.lower()) for mark in own} - {""}
        return replace(self, distinct=self.distinct | added, words=self.words - added)


@dataclass(frozen=True, slots=True)
class Marked:
    """A `mark` found in a name, in which `form`."""

    mark: str
    form: Form


@lru_cache(maxsize=1)
def famous_marks() -> Marks:
    """The shipped list."""
    table = tomllib.loads(resources.files("afterdrop.review").joinpath("data/marks.toml").read_text("utf-8"))
    distinct, words, lures, shop, innocent = (
        frozenset(table[key].split()) for key in ("distinct", "words", "lures", "shop", "innocent")
    )
    return Marks(distinct, words, lures, shop, innocent, str(table["version"]))


def find_mark(domain: str, marks: Marks | None = None) -> Marked | None:
    """The mark a registrable domain's own label carries, None without one.

    >>> find_mark("adidas-outlet.example")
    Marked(mark='adidas', form='compound')
    """
    known = marks or famous_marks()
    label = unicode_name(domain).partition(".")[0].lower()
    parts = [part for part in label.split("-") if part]
    whole = "".join(parts)
    plain = whole.translate(_LOOKALIKES)
    for spelling in (whole, plain, plain.removeprefix("www")):
        if spelling in known.distinct or spelling in known.words:
            return Marked(spelling, "whole" if spelling == whole else "typo")
    return _compound(parts, whole, known) or _ordinary(parts, whole, known) or _typo(plain, known)


def mark_finding(domain: str, marks: Marks | None = None) -> Finding | None:
    """The mark a name carries as a finding, None without one."""
    marked = find_mark(domain, marks)
    if marked is None:
        return None
    how = {"whole": "is", "compound": "contains", "typo": "is a lookalike of"}[marked.form]
    return Finding(
        "trademark", 2, f"The name {how} the trademark “{marked.mark}”.", rule=f"trademark {marked.form}"
    )


def _compound(parts: list[str], whole: str, marks: Marks) -> Marked | None:
    for part in parts:
        if part in marks.distinct:
            return Marked(part, "compound")
    for mark in sorted(marks.distinct, key=lambda mark: (-len(mark), mark)):
        rests = [whole.removeprefix(mark)] if whole.startswith(mark) else []
        rests += [whole.removesuffix(mark)] if whole.endswith(mark) else []
        for rest in rests:
            if rest in marks.shop or (len(mark) > SHORT and len(rest) >= _LEAST_REST):
                return Marked(mark, "compound")
    return None


def _ordinary(parts: list[str], whole: str, marks: Marks) -> Marked | None:
    for word in sorted(marks.words):
        beside = whole.removeprefix(word) if whole.startswith(word) else whole.removesuffix(word)
        if beside != whole and beside in marks.lures:
            return Marked(word, "compound")
    return None


def _typo(label: str, marks: Marks) -> Marked | None:
    """A coined mark with one letter left out, put in, changed, or two swapped; the first letter stays."""
    if label in marks.innocent:
        return None
    for mark in sorted(marks.distinct):
        if len(mark) >= TYPO_FROM and label[:1] == mark[0] and _one_off(label, mark):
            return Marked(mark, "typo")
    return None


def _one_off(ours: str, mark: str) -> bool:
    if abs(len(ours) - len(mark)) > 1 or ours == mark:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(ours, mark, strict=False)) if a != b), min(len(ours), len(mark))
    )
    left, right = ours[start:], mark[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])
    return left[1:] == right or left == right[1:]
