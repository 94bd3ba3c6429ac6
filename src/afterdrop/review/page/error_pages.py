"""Error pages served as if they were pages: soft 404, suspended, listings, blocks, challenges, server errors.

Pure. A page is judged by what its title says, or its heading, or its first words when it has few: an article about
"Error 404" has text. Data: `data/errors.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import cast

from afterdrop.review.page.markup import Parts
from afterdrop.review.page.phrases import Found, Phrases
from afterdrop.review.page.quotes import quote
from afterdrop.review.page.reading import ErrorKind, Evidence, Zone

TITLE_WORDS, HEADING_WORDS, SHORT_WORDS = 600, 400, 70
_FIRST_CHARS = 400
# Bare words that mean an error only where they are nearly all that is said.
_NEARLY_ALL = 2
# Share of a title or heading that error phrases must make up on a page with text of its own.
_SHARE_MISSING, _SHARE_OTHER = 0.35, 0.6
# Words of a page that only sends its visitors on, or waits for a script.
_SHELL_WORDS = 20
_LISTING = re.compile(r"^(?:index of /|directory listing for|directory of /)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ErrorFinding:
    """An error page: its kind and the words that say so."""

    kind: ErrorKind
    evidence: tuple[Evidence, ...]


class ErrorPhrases:
    """The error data in searchable form: (kind, phrase) by number."""

    def __init__(self, version: str, kinds: Mapping[str, dict[str, list[str]]]) -> None:
        self.version = version
        self.said = tuple(
            (cast(ErrorKind, kind), phrase)
            for kind, languages in kinds.items()
            for listed in languages.values()
            for phrase in listed
        )
        self.phrases = Phrases(phrase for _, phrase in self.said)


@lru_cache(maxsize=1)
def error_phrases() -> ErrorPhrases:
    """The shipped error phrases, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/errors.toml").read_text("utf-8")
    table = tomllib.loads(text)
    return ErrorPhrases(table.pop("version"), table)


def find_error(parts: Parts, words: int, data: ErrorPhrases) -> ErrorFinding | None:
    """The kind of error page this is, or None. `words` is the count of visible words."""
    zones: list[tuple[Zone, str]] = []
    if words < TITLE_WORDS:
        zones.append(("title", parts.title))
    if words < HEADING_WORDS:
        zones += [("body", heading) for heading in parts.headings[:3]]
    if words < SHORT_WORDS:
        zones.append(("body", parts.text[:_FIRST_CHARS]))
    for zone, text in zones:
        found = data.phrases.find(text)
        share = _share(text, found)
        for one in found:
            kind, phrase = data.said[one.phrase]
            if _means_it(kind, phrase, text, share, words):
                return _finding(kind, phrase, zone, quote(text, one.start, one.end, parts.source), data)
    return None


def _share(text: str, found: list[Found]) -> float:
    """How much of a title or heading is error phrases, 0 to 1."""
    letters = sum(map(str.isalnum, text))
    spans = {(one.start, one.end) for one in found}
    told = sum(map(str.isalnum, "".join(text[start:end] for start, end in spans)))
    return told / letters if letters else 0.0


def _means_it(kind: ErrorKind, phrase: str, text: str, share: float, words: int) -> bool:
    if kind == "directory_index":
        return bool(_LISTING.match(text.strip())) or (share > 0.5 and words < SHORT_WORDS)
    if kind == "empty":
        return share >= _SHARE_OTHER and words < _SHELL_WORDS
    if " " not in phrase and phrase.isascii() and len(text.split()) > _NEARLY_ALL:
        return False
    if words < SHORT_WORDS:
        return True
    return share >= (_SHARE_MISSING if kind == "not_found" else _SHARE_OTHER)


def _finding(kind: ErrorKind, phrase: str, zone: Zone, quoted: str, data: ErrorPhrases) -> ErrorFinding:
    item = Evidence("error_page", kind, 1, zone, quoted, f"error.{kind}: {phrase}", data.version)
    return ErrorFinding(kind, (item,))
