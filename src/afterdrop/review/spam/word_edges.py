"""Where a term ends and another word begins, in scripts that write words without blanks between them.

Pure. Short Korean terms begin a word and end before a particle or a word of the trade; katakana terms are a whole run
of katakana. Chinese and Thai words have no such edges: there the ordinary words that hold a term are listed
(`data/spam/ordinary_words.toml`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

_SHORT = 2
_RUN_MOST = 12


class WordEdges:
    """The rule for each script. `follows` lists what may stand behind a short Korean term, and katakana terms that
    count inside a longer run too.
    """

    def __init__(self, follows: Mapping[str, Sequence[str]]) -> None:
        self._trade = tuple(follows.get("ko", ()))
        self._particles = frozenset(follows.get("particles", ("",)))
        self._runs = frozenset(follows.get("runs", ()))

    def stands(self, phrase: str, text: str, start: int, end: int) -> bool:
        """Whether the term found at text[start:end] is a word there, and no piece of one."""
        if _hangul(phrase[0]) and len(phrase) <= _SHORT:
            rest = _run(text, end, _hangul)
            starts = not (start and _hangul(text[start - 1]))
            return starts and (rest in self._particles or rest.startswith(self._trade))
        if all(map(_katakana, phrase)) and phrase not in self._runs:
            return not (start and _katakana(text[start - 1])) and not _run(text, end, _katakana)
        return True


def _run(text: str, start: int, belongs: Callable[[str], bool]) -> str:
    end = start
    while end < min(len(text), start + _RUN_MOST) and belongs(text[end]):
        end += 1
    return text[start:end]


def _hangul(letter: str) -> bool:
    return "\uac00" <= letter <= "\ud7a3"


def _katakana(letter: str) -> bool:
    return "\u30a1" <= letter <= "\u30fa" or letter == "\u30fc"
