"""Many phrases in one text: Aho-Corasick over a folded copy that keeps every position.

Pure. Folding maps each character to one character (case, accents, full-width forms, punctuation to a blank), so
that a hit's position in the folded copy is its position in the page's own text, and the quote is verbatim.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from ahocorasick_rs import AhoCorasick, MatchKind

from afterdrop.review.page.scripts import UNSPACED, CodePoints, script_of

# A page has told all it has to tell by then.
MATCHES_MOST = 15_000
_SINGLE = {"ı": "i", "İ": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "æ", "ß": "ß", "ё": "е", "ς": "σ"}
_KEEP_MARKS = frozenset("йїў")


class _Folding(dict[int, str]):
    """A translation table that fills itself: one folded character per character, blank for punctuation."""

    def __missing__(self, code: int) -> str:
        folded = _fold_one(chr(code))
        self[code] = folded
        return folded


def _fold_one(character: str) -> str:
    lowered = character.lower()
    if lowered in _KEEP_MARKS:
        return lowered
    single = _SINGLE.get(character) or _SINGLE.get(lowered)
    if single:
        return single
    base = unicodedata.normalize("NFKD", lowered)[:1] or " "
    category = unicodedata.category(character)
    if category[0] in "LM":
        wide = unicodedata.normalize("NFKC", lowered)
        # Kana and Hangul come apart in NFKD; only Latin, Greek and Arabic letters lose their marks.
        return (
            base if script_of(base) not in {"Kana", "Hangul", None} else (wide if len(wide) == 1 else lowered)
        )
    if category[0] == "N":
        return base if len(base) == 1 else " "
    return character if character in "+" else " "


_FOLDING = _Folding()
# `translate` takes ten times as long where text is not all ASCII.
_LONG = 200
_FOLDED = CodePoints(lambda character: ord(_fold_one(character)), np.uint32)


def fold(text: str) -> str:
    """A copy of equal length for comparing: lower case, without accents, punctuation as blanks."""
    if text.isascii() or len(text) < _LONG:
        return text.translate(_FOLDING)
    return _FOLDED(text).tobytes().decode("utf-32-le", "surrogatepass")


def squeeze(text: str) -> str:
    """Every run of white space as one blank."""
    return " ".join(text.split())


class PhraseHit(NamedTuple):
    """One phrase found: its number in the list given, and where in the text."""

    phrase: int
    start: int
    end: int


class Phrases:
    """A fixed list of phrases, searched together. A trailing `*` leaves the last word's ending open.

    Words written with blanks between them match whole words only; Chinese, Japanese, Korean and Thai match anywhere.
    """

    def __init__(self, listed: Iterable[str]) -> None:
        patterns: dict[str, list[int]] = {}
        for number, phrase in enumerate(listed):
            for pattern in dict.fromkeys((_pattern(phrase), _pattern(phrase, spaced=True))):
                patterns.setdefault(pattern, []).append(number)
        self._numbers = list(patterns.values())
        self._edges = [(p.startswith(" "), p.endswith(" ")) for p in patterns]
        self._search = AhoCorasick(list(patterns), matchkind=MatchKind.Standard)

    def find(self, text: str) -> list[PhraseHit]:
        """Every phrase in a text, without those inside a longer one, in order of place."""
        folded = f" {fold(text)} "
        spans: list[tuple[int, int, int]] = []
        matches = self._search.find_matches_as_indexes(folded, overlapping=True)
        for pattern, start, end in matches[:MATCHES_MOST]:
            before, after = self._edges[pattern]
            spans.append((start + before - 1, end - after - 1, pattern))
        spans.sort(key=lambda span: (span[0], -span[1]))
        found: list[PhraseHit] = []
        reach = -1
        for start, end, pattern in spans:
            if end > reach:
                found += [PhraseHit(number, start, end) for number in self._numbers[pattern]]
                reach = end
        return found


def _pattern(phrase: str, *, spaced: bool = False) -> str:
    """A phrase as it is searched for; `spaced` with a blank for each sign, as text is: "Hello, world" has two."""
    folded = fold(phrase.removesuffix("*")).strip()
    if not spaced:
        folded = squeeze(folded)
    if any(script_of(letter) in UNSPACED or script_of(letter) == "Hangul" for letter in folded):
        return folded
    return f" {folded}" if phrase.endswith("*") else f" {folded} "
