"""Text from strangers: what every database can store of it, how control characters are blanked, its direction. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup, escape

# No database stores NUL or half of a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# What nobody sees: C0 and C1 controls, soft hyphens, zero-width characters, line separators, direction marks and
# overrides, annotations, tags, lone surrogates.
_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0001-\U000e007f\ud800-\udfff]+"
)

# The blocks of scripts that are written from right to left (Unicode Standard Annex 9, classes R and AL).
_RIGHT_TO_LEFT: Final = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD: Final = re.compile(f"[{_RIGHT_TO_LEFT}]")
# What is written from right to left within a sentence: it ends with its last such letter, at a word in Latin letters.
_RUN: Final = re.compile(f"([{_RIGHT_TO_LEFT}](?:[^A-Za-z]*[{_RIGHT_TO_LEFT}])?)")


def is_storable(text: str) -> bool:
    """Whether every database can store the text as it is."""
    return "\0" not in text if text.isascii() else _UNSTORABLE.search(text) is None


def storable(value: object) -> Any:
    """A JSON value with U+FFFD for each character of its texts and keys that a database cannot store."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value


def blank_controls(text: str) -> str:
    """The text with one blank for each run of control, invisible or direction-changing characters."""
    return _CONTROLS.sub(" ", text)


def one_line(text: object, most: int = 200) -> str:
    """Text from outside on one line of at most `most` characters, without what `blank_controls` blanks."""
    words = " ".join(blank_controls(str(text)[: most * 4]).split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def isolated(text: str) -> Markup:
    """A stranger's text in HTML, whose direction changes nothing around it (`bdi`, HTML section 4.5.24)."""
    return Markup("<bdi>{}</bdi>").format(text) if _LEFTWARD.search(text) else escape(text)


def isolating(text: str) -> Markup:
    """A sentence of ours in HTML that quotes strangers: each quote from right to left changes nothing around it."""
    return Markup("").join(map(isolated, _RUN.split(text)))
