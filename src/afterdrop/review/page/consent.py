"""Notices that ask visitors to agree to cookies: pages that are nothing else, and what else a page says.

Pure. A wall has two of three: it stands before the site, it can be accepted and refused, it speaks of cookies and
whom they are for. Data: `data/consent.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources

from afterdrop.review.page.phrases import PhraseHit, Phrases
from afterdrop.review.page.scripts import count_words

# The longest notice in words, and the words that a wall says of anything else.
NOTICE_WORDS, OTHER_WORDS = 400, 15
_SIGNS = 2
# Of a notice so many words have one that tells; menus and lists run on without a point.
_WORDS_A_SIGN = 20
# A wall has something to press.
_PRESSED = re.compile(r"<(?:button|input)\b|\bbtn\b|role=[\"']?button", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？…]++[.!?。！？…]*+")


class Notices:
    """The data in searchable form."""

    def __init__(self, table: dict[str, dict[str, list[str]]]) -> None:
        self.before, self.accept, self.refuse, self.cookies, self.data = (
            Phrases(phrase for listed in table[name].values() for phrase in listed)
            for name in ("before", "accept", "refuse", "cookies", "data")
        )


@lru_cache(maxsize=1)
def notices() -> Notices:
    """The shipped data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/consent.toml").read_text("utf-8")
    return Notices({name: listed for name, listed in tomllib.loads(text).items() if name != "version"})


def has_button(source: str) -> bool:
    """Whether a page's source has something to press."""
    return _PRESSED.search(source) is not None


@lru_cache(maxsize=1)  # the language of a page and its errors ask for the same text
def beside_notice(text: str) -> str | None:
    """A text without the sentences and buttons of its notice; None where it has none, by two of the three signs."""
    data = notices()
    asked = bool(data.accept.find(text)) and bool(data.refuse.find(text))
    told = bool(data.cookies.find(text)) and bool(data.data.find(text))
    if asked + told + bool(data.before.find(text)) < _SIGNS:
        return None
    words = (data.before, data.cookies, data.data)
    return " ".join(
        piece.strip()
        for sentence in _SENTENCE.finditer(text)
        for piece in _unpressed(sentence[0], data)
        if sum(len(each.find(piece)) for each in words) * _WORDS_A_SIGN < count_words(piece)
    )


def _unpressed(sentence: str, data: Notices) -> Iterator[str]:
    """The pieces of a sentence that buttons cut it into, without the buttons: a capital follows each, or the end."""
    start = 0
    for hit in sorted([*data.accept.find(sentence), *data.refuse.find(sentence)], key=_place):
        after = sentence[hit.end :].lstrip()[:1]
        if hit.start >= start and (not after or after.isupper()):
            yield sentence[start : hit.start]
            start = hit.end
    yield sentence[start:]


def _place(hit: PhraseHit) -> tuple[int, int]:
    return hit.start, -hit.end
