"""Which rows' texts contain a string: an index of letters and pairs of letters, as one bit a row each. Pure.

A string of one or two of the usual characters is answered by the bits alone. For longer ones the bits of their pairs
leave few rows over, and those texts are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from afterdrop.core.domain_names import unicode_name

Bits = NDArray[np.uint8]
# True or False for each row by its number.
Rows = NDArray[np.bool_]

_USUAL: Final = "abcdefghijklmnopqrstuvwxyz0123456789.- "
# Class 0 is the line break, which no search spans; other bytes share the classes after the usual characters'.
_OTHERS: Final = 4
_CLASSES: Final = 1 + len(_USUAL) + _OTHERS


# Nothing is seen of these: soft hyphens, blanks without width, joiners and marks of direction.
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
# What İ becomes in small letters.
_DOTTED_I: Final = "i\u0307"


def fold(text: str) -> str:
    """One spelling for letters that differ in case, composition or what is not seen; İ is an i."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace(_DOTTED_I, "i")
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", folded))


def search_text(domain: str, title: str | None) -> str:
    """The text that `q` and keywords search: the name, its Unicode form and the old title, each on a line."""
    return "\n".join(fold(part) for part in (domain, unicode_name(domain), title or ""))


def label(domain: str) -> str:
    """The name without its extension, in its Unicode form and folded."""
    return fold(unicode_name(domain)).partition(".")[0]


def _class_table() -> NDArray[np.int32]:
    table = np.array([1 + len(_USUAL) + byte % _OTHERS for byte in range(256)], dtype=np.int32)
    for number, char in enumerate(_USUAL, 1):
        table[ord(char)] = number
    table[ord("\n")] = 0
    return table


_TABLE: Final = _class_table()


class SearchIndex:
    """The texts of rows by row number (`search_text`), with their index. Rows are only ever added.

    The texts stand one after another in one buffer: so many objects would take more than what they hold.
    """

    def __init__(self, capacity: int) -> None:
        self._bits: Bits = np.zeros((_CLASSES * (_CLASSES + 1), (capacity + 7) // 8), dtype=np.uint8)
        self._texts = bytearray()
        # Where each text ends and the next one begins; where its label does, from there.
        self._ends: NDArray[np.int64] = np.zeros(capacity + 1, dtype=np.int64)
        self._labels: NDArray[np.uint16] = np.zeros((2, capacity), dtype=np.uint16)
        self._size = 0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that `restored` needs of the rows so far. More may be added while it is written."""
        texts = np.frombuffer(bytes(self._texts), dtype=np.uint8)
        return {"bits": self._bits, "texts": texts, "text_ends": self._ends, "labels": self._labels}

    @classmethod
    def restored(cls, arrays: Mapping[str, NDArray[Any]], size: int) -> SearchIndex:
        """An index again of `arrays`."""
        made = cls(0)
        made._bits, made._ends, made._labels = (arrays[name] for name in ("bits", "text_ends", "labels"))
        made._texts, made._size = bytearray(arrays["texts"].data), size
        # Of rows that were being added then there may be bits, which would become those of others.
        made._bits[:, (size + 7) // 8 :] = 0
        if size % 8:
            made._bits[:, size // 8] &= 0xFF << (8 - size % 8) & 0xFF
        return made

    def add(self, texts: Sequence[str]) -> None:
        """Give the next rows these texts."""
        if not texts:
            return
        first, ends, labels = self._size, [], []
        while first + len(texts) > self._labels.shape[1]:
            self._grow()
        every = [_bytes(text) for text in texts]
        # Set the bits of rows from `first` on. A line break ends each text, so that no pair spans two.
        letters = _TABLE[np.frombuffer(b"\n".join(every), dtype=np.uint8)]
        rows = np.repeat(np.arange(len(every)), [len(raw) + 1 for raw in every])[: len(letters)] + first % 8
        known = letters > 0
        pairs = known[:-1] & known[1:]
        wide = (first % 8 + len(every) + 7) // 8
        found = np.zeros((len(self._bits), wide * 8), dtype=np.bool_)
        found[letters[:-1][pairs] * _CLASSES + letters[1:][pairs], rows[:-1][pairs]] = True
        found[_CLASSES * _CLASSES + letters[known], rows[known]] = True
        self._bits[:, first // 8 : first // 8 + wide] |= np.packbits(found, axis=1)
        for raw in every:
            self._texts += raw
            ends.append(len(self._texts))
            start = raw.find(b"\n") + 1
            labels.append((start, max(raw.find(b".", start), start)))
        self._size += len(texts)
        self._ends[first + 1 : self._size + 1] = ends
        self._labels[:, first : self._size] = np.array(labels).T

    def _grow(self) -> None:
        more = self._labels.shape[1] // 4 + 128
        self._ends = np.concatenate([self._ends, np.zeros(more, dtype=np.int64)])
        self._labels = np.concatenate([self._labels, np.zeros((2, more), dtype=np.uint16)], axis=1)
        wide = (len(self._ends) + 7) // 8 - self._bits.shape[1]
        zeros = np.zeros((self._bits.shape[0], max(wide, 0)), dtype=np.uint8)
        self._bits = np.concatenate([self._bits, zeros], axis=1)

    def containing(self, q: str, rows: Rows) -> Rows:
        """Those of some rows whose text contains `q`."""
        found = self._likely(q, rows)
        if len(q) > 2 or not set(q) <= set(_USUAL):
            chosen = np.flatnonzero(found)
            starts, ends = self._ends[chosen].tolist(), self._ends[chosen + 1].tolist()
            places = map(self._texts.find, repeat(_bytes(q)), starts, ends)
            found[chosen] = np.fromiter(places, dtype=np.int64, count=len(chosen)) >= 0
        return found

    def with_affix(self, part: str, rows: Rows, *, at_end: bool) -> Rows:
        """Those of some rows whose label (`label`) starts with a part, or ends with it."""
        found = self._likely(part, rows)
        chosen = np.flatnonzero(found)
        starts, ends = ((self._ends[chosen] + self._labels[edge, chosen]).tolist() for edge in (0, 1))
        test = self._texts.endswith if at_end else self._texts.startswith
        found[chosen] = list(map(test, repeat(_bytes(part)), starts, ends))
        return found

    def _likely(self, q: str, rows: Rows) -> Rows:
        """Those of some rows whose text has all letters and pairs of letters of `q`."""
        if "\n" in q or "\x00" in q or any("\ud800" <= char <= "\udfff" for char in q):
            return np.zeros_like(rows)
        # The numbers of a text's letters and pairs; of a search, only those that a text must have.
        letters = _TABLE[np.frombuffer(q.encode(), dtype=np.uint8)]
        pairs = letters[:-1] * _CLASSES + letters[1:]
        whole = pairs[(letters[:-1] > 0) & (letters[1:] > 0)]
        features: NDArray[np.int32] = np.concatenate([whole, _CLASSES * _CLASSES + letters[letters > 0]])
        if not len(features):
            return rows.copy()
        bits = np.bitwise_and.reduce(self._bits[features, : (len(rows) + 7) // 8], axis=0)
        return rows & np.unpackbits(bits, count=len(rows)).view(np.bool_)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
