"""Characters of a text, looked up all at once: their writing systems, and the languages that a script alone decides.

Pure. Ranges from the Unicode block list. A loop over the characters of a page takes ten times as long.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CodePoints:
    """A whole number for each character, never 0; `of` is asked once for each character that is met."""

    def __init__(self, of: Callable[[str], int], dtype: type[np.uint8 | np.uint32]) -> None:
        self._of = of
        self._known: NDArray[np.unsignedinteger] = np.zeros(sys.maxunicode + 1, dtype)

    def __call__(self, text: str) -> NDArray[np.unsignedinteger]:
        """The number of each character of a text, in order."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        found = self._known[codes]
        if not found.all():
            new = np.unique(codes[found == 0])
            self._known[new] = [self._of(chr(code)) for code in new]
            found = self._known[codes]
        return found


# Scripts that one language of the web uses (Devanagari and Arabic are shared: the detectors decide there).
_ONE_LANGUAGE = {
    "Hangul": "ko", "Thai": "th", "Greek": "el", "Hebrew": "he", "Georgian": "ka", "Armenian": "hy",
    "Bengali": "bn", "Tamil": "ta", "Telugu": "te", "Malayalam": "ml", "Kannada": "kn", "Gujarati": "gu",
    "Gurmukhi": "pa", "Khmer": "km", "Lao": "lo", "Myanmar": "my", "Sinhala": "si", "Ethiopic": "am",
}  # fmt: skip
_RANGES = (
    ("Latin", 0x41, 0x5A), ("Latin", 0x61, 0x7A), ("Latin", 0xC0, 0x24F), ("Latin", 0x1E00, 0x1EFF),
    ("Greek", 0x370, 0x3FF), ("Greek", 0x1F00, 0x1FFF), ("Cyrillic", 0x400, 0x52F),
    ("Armenian", 0x530, 0x58F), ("Hebrew", 0x590, 0x5FF), ("Arabic", 0x600, 0x6FF),
    ("Arabic", 0x750, 0x77F), ("Arabic", 0xFB50, 0xFEFE), ("Devanagari", 0x900, 0x97F),
    ("Bengali", 0x980, 0x9FF), ("Gurmukhi", 0xA00, 0xA7F), ("Gujarati", 0xA80, 0xAFF),
    ("Tamil", 0xB80, 0xBFF), ("Telugu", 0xC00, 0xC7F), ("Kannada", 0xC80, 0xCFF),
    ("Malayalam", 0xD00, 0xD7F), ("Sinhala", 0xD80, 0xDFF), ("Thai", 0xE00, 0xE7F), ("Lao", 0xE80, 0xEFF),
    ("Myanmar", 0x1000, 0x109F), ("Georgian", 0x10A0, 0x10FF), ("Ethiopic", 0x1200, 0x137F),
    ("Khmer", 0x1780, 0x17FF), ("Kana", 0x3041, 0x30FF), ("Han", 0x3400, 0x4DBF), ("Han", 0x4E00, 0x9FFF),
    ("Hangul", 0x1100, 0x11FF), ("Hangul", 0xAC00, 0xD7AF), ("Kana", 0xFF66, 0xFF9F),
    ("Han", 0x20000, 0x2FA1F),
)  # fmt: skip
# Written without spaces between words: a letter there says about as much as three elsewhere.
UNSPACED = frozenset({"Han", "Kana", "Thai", "Lao", "Khmer", "Myanmar"})
_DENSE = UNSPACED | {"Hangul"}

# Letters only some Cyrillic alphabets have, with the languages (of those told apart here) that have them.
CYRILLIC_ONLY: tuple[tuple[str, frozenset[str]], ...] = (
    ("ыэё", frozenset({"ru", "be"})),
    ("і", frozenset({"uk", "be"})),
    ("їєґ", frozenset({"uk"})),
    ("ў", frozenset({"be"})),
    ("ђћ", frozenset({"sr"})),
    ("јљњџ", frozenset({"sr", "mk"})),
    ("ѓќѕ", frozenset({"mk"})),
    ("ъ", frozenset({"bg", "ru"})),
    ("йьюя", frozenset({"ru", "uk", "be", "bg"})),
    ("щ", frozenset({"ru", "uk", "bg"})),
)
# Scripts without blanks all lie here.
_FAR = re.compile(r"[\u0e02-\U0010ffff]")
_LETTER = re.compile(r"[^\W\d_]")
_NAMES = tuple(dict.fromkeys(name for name, _, _ in _RANGES))
_NO_LETTER, _UNLISTED, _FIRST = 1, 2, 3


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str | None:
    """The writing system of one character, None for digits, marks and scripts not listed."""
    code = ord(letter)
    for name, first, last in _RANGES:
        if first <= code <= last:
            return name
    return None


def _number(sign: str) -> int:
    """The number of a letter's writing system."""
    if not _LETTER.match(sign):
        return _NO_LETTER
    name = script_of(sign)
    return _FIRST + _NAMES.index(name) if name else _UNLISTED


_SCRIPTS = CodePoints(_number, np.uint8)


def unspaced_letters(text: str) -> int:
    """How many letters of a text are of scripts without blanks between words."""
    return sum(script_of(letter) in UNSPACED for letter in _FAR.findall(text))


def script_counts(text: str) -> dict[str, int]:
    """How many letters of each writing system a text holds (first 5,000 letters)."""
    numbers = _SCRIPTS(text[:20_000])
    letters = numbers[numbers > _NO_LETTER][:5_000]
    counts = np.bincount(letters, minlength=_FIRST + len(_NAMES))[_FIRST:].tolist()
    return {name: count for name, count in zip(_NAMES, counts, strict=True) if count}


def main_script(text: str) -> str | None:
    """The writing system most of a text is in; Han and Kana together count as one for the comparison."""
    counts = script_counts(text)
    weighed = {name: count * (3 if name in _DENSE else 1) for name, count in counts.items()}
    return max(weighed, key=lambda name: weighed[name]) if weighed else None


def script_language(text: str) -> str | None:
    """The language a script decides alone, or None where several languages share it.

    Kana beside Han makes Japanese from one letter in twenty on; Han without it is Chinese.
    """
    counts = script_counts(text)
    weighed = {name: count * (3 if name in _DENSE else 1) for name, count in counts.items()}
    total = sum(weighed.values())
    kana, han = weighed.get("Kana", 0), weighed.get("Han", 0)
    if (kana + han) * 2 > total:
        return "ja" if kana * 20 > kana + han else "zh"
    for name, language in _ONE_LANGUAGE.items():
        if weighed.get(name, 0) * 2 > total:
            return language
    return None


def count_words(text: str) -> int:
    """Words of a text; scripts without blanks count one word for two characters."""
    return len(text.split()) + unspaced_letters(text) // 2
