"""Which rows' texts contain a string: an index of letters and pairs of letters, as one bit a row each. Pure.

A string of one or two of the usual characters is answered by the bits alone. For longer ones the bits of their pairs
leave few rows over, and those texts are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from operator import contains
from typing import Final

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint8]
# Sixty-four rows a number, the first one in the highest bit of the first byte.
Mask = NDArray[np.uint64]
Rows = NDArray[np.bool_]

_USUAL: Final = "abcdefghijklmnopqrstuvwxyz0123456789.- "
# Class 0 is the line break, which no search spans; other bytes share the classes after the usual characters'.
_OTHERS: Final = 4
_CLASSES: Final = 1 + len(_USUAL) + _OTHERS


def _class_table() -> NDArray[np.int32]:
    table = np.array([1 + len(_USUAL) + byte % _OTHERS for byte in range(256)], dtype=np.int32)
    for number, char in enumerate(_USUAL, 1):
        table[ord(char)] = number
    table[ord("\n")] = 0
    return table


_TABLE: Final = _class_table()


def packed(rows: Rows) -> Mask:
    """A mask of rows that are True by number."""
    bits = np.packbits(rows)
    whole = np.zeros((len(bits) + 7) // 8 * 8, dtype=np.uint8)
    whole[: len(bits)] = bits
    return whole.view(np.uint64)


def unpacked(mask: Mask, size: int) -> Rows:
    """The rows of a mask, True by number."""
    return np.unpackbits(mask.view(np.uint8), count=size).view(np.bool_)


class SearchIndex:
    """The index of texts by row number. Rows are only ever added."""

    def __init__(self, capacity: int) -> None:
        self._bits: Bits = np.zeros((_CLASSES * (_CLASSES + 1), (capacity + 7) // 8), dtype=np.uint8)
        self._texts: list[str] = []

    def add(self, texts: Sequence[str]) -> None:
        """Give the next rows these texts."""
        for text in texts:
            row = len(self._texts)
            if row >= self._bits.shape[1] * 8:
                more = np.zeros((self._bits.shape[0], self._bits.shape[1] // 4 + 16), dtype=np.uint8)
                self._bits = np.concatenate([self._bits, more], axis=1)
            self._bits[_features(text.encode("utf-8", "surrogatepass")), row >> 3] |= 128 >> (row & 7)
            self._texts.append(text)

    def likely(self, q: str, mask: Mask, size: int) -> tuple[Mask, bool]:
        """Those rows of a mask of `size` visible ones whose text may contain `q`, and whether all of them do."""
        if "\n" in q or "\x00" in q or any("\ud800" <= char <= "\udfff" for char in q):
            return np.zeros_like(mask), True
        raw = q.encode()
        features = _features(raw)
        if not len(features):
            return mask, True
        bits = self._bits[features, : (size + 7) // 8]
        found = mask.copy()
        # The bits may have those of rows that are not visible yet; the mask has none of them.
        found.view(np.uint8)[: bits.shape[1]] &= np.bitwise_and.reduce(bits, axis=0)
        return found, len(raw) <= 2 and all(chr(byte) in _USUAL for byte in raw)

    def read(self, q: str, mask: Mask, size: int) -> Mask:
        """Those of the rows of `mask` whose text contains `q`, by reading it."""
        rows = unpacked(mask, size)
        likely = np.flatnonzero(rows)
        rows[likely] = list(map(contains, map(self._texts.__getitem__, likely.tolist()), repeat(q)))
        return packed(rows)


def _features(raw: bytes) -> NDArray[np.int32]:
    """The numbers of a text's letters and pairs; of a search, only those that a text must have."""
    letters = _TABLE[np.frombuffer(raw, dtype=np.uint8)]
    pairs = letters[:-1] * _CLASSES + letters[1:]
    whole = pairs[(letters[:-1] > 0) & (letters[1:] > 0)]
    found: NDArray[np.int32] = np.concatenate([whole, _CLASSES * _CLASSES + letters[letters > 0]])
    return found
