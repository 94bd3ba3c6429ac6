"""Text from strangers: what every database can store of it, how control characters are blanked, its direction. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup, escape

# No database stores NUL or half of a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# What nobody sees beside soft hyphens: C0 and C1 controls, zero-width characters, line separators, direction marks and
# overrides, annotations, tags, lone surrogates.
_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0001-\U000e007f\ud800-\udfff]+"
)
_JOINERS: Final = "\u200c\u200d"
_VIRAMA: Final = 9
# Scripts whose letters change by their neighbours, as their characters' names begin. The standard library has neither
# Joining_Type nor Script. Khmer vowels change, too (Unicode Standard, section 16.4).
_JOINING: Final = frozenset(
    {"ADLAM", "ARABIC", "CHORASMIAN", "HANIFI", "KHMER", "MANDAIC", "MANICHAEAN", "MONGOLIAN", "NKO"}
    | {"PHAGS-PA", "PSALTER", "SOGDIAN", "SYRIAC"}
)
# What UTS 51 joins: arrows of shaken heads, symbols and pictures, with what asks for colour behind the first.
_EMOJI: Final = "\u2194\u2195\u2600-\u27bf\u2b1b\U0001f000-\U0001faff"
_JOINED_EMOJI: Final = re.compile(f"[{_EMOJI}\ufe0f]\u200d[{_EMOJI}]")

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
    """The text with one blank for each run of control, invisible or direction-changing characters.

    A soft hyphen goes without a blank. Of a run of joiners (U+200C, U+200D) the first stays where it changes what is
    seen. That is after a virama (RFC 5892, appendices A.1 and A.2) or before one, and between two letters of one
    joining script (A.1). U+200D stays between emoji, too (UTS 51). Latin, Greek and Cyrillic letters keep none.
    """
    return _CONTROLS.sub(_blanked, text.replace("\xad", ""))


def _blanked(run: re.Match[str]) -> str:
    rest = run[0].lstrip(_JOINERS)
    if rest == run[0]:
        return " "
    first, before, after = (
        run[0][0],
        run.string[run.start() - 1 : run.start()],
        run.string[run.end() : run.end() + 1],
    )
    if before and unicodedata.combining(before) == _VIRAMA:
        return f"{first} " if rest else first
    return first if not rest and before and after and _joins(before, first, after) else " "


def _joins(before: str, joiner: str, after: str) -> bool:
    script = _script(before)
    if script and unicodedata.combining(after) == _VIRAMA:
        return script == _script(after)
    return (script in _JOINING and script == _script(after)) or bool(
        _JOINED_EMOJI.fullmatch(before + joiner + after)
    )


def _script(character: str) -> str:
    """The first word of the name of a letter or mark; empty for everything else."""
    letter = unicodedata.category(character)[0] in "LM"
    return unicodedata.name(character, "").partition(" ")[0] if letter else ""


def one_line(text: object, most: int = 200) -> str:
    """Text from outside on one line of at most `most` characters, without what `blank_controls` blanks."""
    words = " ".join(blank_controls(str(text)[: most * 4]).split())
    return words if len(words) <= most else f"{words[: most - 1].rstrip(_JOINERS)}…"


def isolated(text: str) -> Markup:
    """A stranger's text in HTML, whose direction changes nothing around it (`bdi`, HTML section 4.5.24)."""
    return Markup("<bdi>{}</bdi>").format(text) if _LEFTWARD.search(text) else escape(text)


def isolating(text: str) -> Markup:
    """A sentence of ours in HTML that quotes strangers: each quote from right to left changes nothing around it."""
    return Markup("").join(map(isolated, _RUN.split(text)))
