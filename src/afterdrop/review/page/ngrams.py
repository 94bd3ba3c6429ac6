"""A language detector by byte n-grams: the method and the table of eld 1.0.6 (Apache-2.0, see NOTICE).

Pure. Each word is cut into pieces of four bytes, three apart; a piece speaks for the languages that use it, the
louder the fewer they are. `bench/make_ngram_table.py` made the table and says why the package is not a dependency.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np

# Text beyond these does not change the answer but the time.
_TEXT_CHARS, _TEXT_BYTES, _TEXT_BYTES_MOST = 1000, 350, 380
_WORD_BYTES, _PIECE = 70, 4
# The table counts pieces per 15,000; the author found a lower factor for the text's own counts to work better.
_FACTOR = 13_200
_DIVISOR = 3.2
_ENTRY = np.dtype([("language", "u1"), ("frequency", "<u2")])
# Odd but as measured: the original's look-behind spells ’ as \x2019, which reads as a blank, "1" and "9".
_BETWEEN_WORDS = re.compile(r"(?<![\W\d_])[\W\d_]+(?<!['` 19])")


@dataclass(frozen=True, slots=True)
class Ngrams:
    """The table: language codes by index, and per n-gram packed rows of (index: u8, frequency: u16)."""

    codes: tuple[str, ...]
    rows: dict[bytes, bytes]


@lru_cache(maxsize=1)
def table() -> Ngrams:
    """The shipped table, read once a process (105,548 n-grams, 60 languages)."""
    raw = lzma.decompress(resources.files("afterdrop.review").joinpath("data/ngrams.bin.xz").read_bytes())
    end = raw.index(b"\n")
    rows: dict[bytes, bytes] = {}
    at = end + 1
    while at < len(raw):
        ngram_end = at + 1 + raw[at]
        rows_end = ngram_end + 1 + 3 * raw[ngram_end]
        rows[raw[at + 1 : ngram_end]] = raw[ngram_end + 1 : rows_end]
        at = rows_end
    return Ngrams(tuple(raw[:end].decode().split()), rows)


def ngram_scores(text: str) -> dict[str, float]:
    """A score per language code, 0 to about 1; empty for text without a known piece."""
    pieces = _pieces(text)
    total = sum(pieces.values())
    ngrams = table()
    known = [(row, count) for piece, count in pieces.items() if (row := ngrams.rows.get(piece))]
    entries = np.frombuffer(b"".join(row for row, _ in known), _ENTRY)
    languages = [len(row) // _ENTRY.itemsize for row, _ in known]
    frequency = np.repeat([count / total * _FACTOR for _, count in known], languages)
    weight = np.repeat([_weight(size) for size in languages], languages)
    usual = entries["frequency"].astype(np.float64)
    near = np.minimum(frequency, usual) / np.maximum(frequency, usual)
    scores = np.bincount(entries["language"], near * weight + 2, len(ngrams.codes))
    return {
        code: score / (len(pieces) * _DIVISOR)
        for code, score in zip(ngrams.codes, scores.tolist(), strict=True)
        if score
    }


def _weight(languages: int) -> float:
    if languages == 1:
        return 27.0
    return (16 - languages) / 2 + 1 if languages < 16 else 1.0


def _pieces(text: str) -> dict[bytes, int]:
    pieces: list[bytes] = []
    for word in _cut(text).split():
        if len(word) <= _PIECE:
            pieces.append(b" " + word + b" ")
            continue
        last = min(len(word), _WORD_BYTES) - _PIECE
        pieces.append(b" " + word[:_PIECE])
        pieces += [word[at : at + _PIECE] for at in range(3, last, 3)]
        pieces.append(word[last:] + b" ")
    return Counter(pieces)


def _cut(text: str) -> bytes:
    raw = _BETWEEN_WORDS.sub(" ", text[:_TEXT_CHARS]).strip().lower().encode("utf-8", "ignore")
    if len(raw) <= _TEXT_BYTES:
        return raw
    space = raw.find(b" ", _TEXT_BYTES)
    return raw[: min(_TEXT_BYTES_MOST, space if space > 0 else _TEXT_BYTES)]
