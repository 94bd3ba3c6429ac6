"""Whose contacts, links and sentences a page has that are not its owner's: makers, mailers, lawyers.

Pure. Data: `data/third_parties.toml`. An agency, a theme, a free mailer and a privacy statement stand on many owners'
pages, so they join nobody.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from afterdrop.review.page.phrases import Phrases

# Makers name themselves at the end of a page, in so many characters.
_END, _LINE = 3_000, 120
# "Site problems? Write to …" ends no line.
_ASKING = 3
# Where a maker's line ends; a name may have a point ("Pixel Ltd. & Co").
_LINE_ENDS = re.compile(r"[|•·©\n]|[.!?] (?=\S{3})")
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]?")


@dataclass(frozen=True, slots=True)
class Makers:
    """What a page says of who made it: `spans` of its text, and the domains that are linked or written there."""

    spans: tuple[tuple[int, int], ...]
    domains: frozenset[str]

    def wrote(self, start: int) -> bool:
        """Whether a place in the text is in a maker's line."""
        return any(first <= start < end for first, end in self.spans)


class ThirdParties:
    """The data in searchable form."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.mailers = frozenset(table["mailers"])
        self.placeholders = frozenset(table["placeholders"])
        self.profiles = frozenset(table["profiles"])
        self.linked = frozenset(table["linked"])
        self._makers = Phrases(phrase for listed in table["makers"].values() for phrase in listed)
        self._law = Phrases(table["law"]["words"])

    def makers(self, text: str, links: Iterable[tuple[str, str | None]]) -> Makers:
        """The makers' lines at the end of a text with single blanks; `links` are texts with the domains linked."""
        begin = max(0, len(text) - _END)
        spans: list[tuple[int, int]] = []
        for found in self._makers.find(text[begin:]):
            start = begin + found.start
            line = text[begin + found.end : start + _LINE]
            end = _LINE_ENDS.search(line, _ASKING)
            stop = begin + found.end + (end.start() if end else len(line))
            if spans and start < spans[-1][1]:
                start, stop = spans[-1][0], max(stop, spans.pop()[1])
            spans.append((start, stop))
        lines = [text[start:end] for start, end in spans]
        domains = {
            domain
            for said, domain in (links if lines else ())
            if domain and said and any(said in line for line in lines)
        }
        return Makers(tuple(spans), frozenset(domains))

    def owners_text(self, text: str) -> str:
        """A text without makers' lines and the sentences of privacy statements, disclaimers and terms."""
        for start, end in reversed(self.makers(text, ()).spans):
            text = f"{text[:start]} {text[end:]}"
        found = self._law.find(text)
        if not found:
            return text
        places = iter([one.start for one in found])
        place = next(places, None)
        kept: list[str] = []
        for sentence in _SENTENCE.finditer(text):
            told = False
            while place is not None and place < sentence.end():
                told = told or place >= sentence.start()
                place = next(places, None)
            if not told:
                kept.append(sentence[0])
        return "".join(kept)


@lru_cache(maxsize=1)
def third_parties() -> ThirdParties:
    """The shipped data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/third_parties.toml").read_text("utf-8")
    return ThirdParties(tomllib.loads(text))
