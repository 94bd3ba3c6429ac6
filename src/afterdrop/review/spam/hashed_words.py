"""A text's words as numbers: where each stands and its hash, all words of a text at once.

Pure. Words are folded as phrases are; digits alone are one word, and runs of scripts without blanks are taken apart
into pairs of signs. A word's hash is a sum over its signs, weighed by place, so that the sums of all beginnings of a
text give the hash of any part of it without a loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from afterdrop.review.page.phrases import fold
from afterdrop.review.page.scripts import CodePoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]
    Places = NDArray[np.int64]

# So many signs of a text are hashed at most.
LONGEST_TEXT = 12_000
MIX = np.uint64(0x9E3779B97F4A7C15)
_BASE = 0x100000001B3
_HIGH = np.uint64(20)
# Scripts without blanks all lie beyond.
_UNSPACED = 0xE00
_STEM, _LONG = 5, 7
_APART, _LETTER, _DIGIT = 1, 2, 3
_NUMBER, _ENDING = np.uint64(0x5851F42D4C957F2D), np.uint64(0x2545F4914F6CDD1D)


@dataclass(frozen=True, slots=True)
class HashedWords:
    """The words of a text in order: `text[starts:ends]`, and their hashes; of long ones (`long`), their `stems`'."""

    starts: Places
    ends: Places
    hashes: Hashes
    long: NDArray[np.bool_]
    stems: Hashes

    @property
    def pairs(self) -> Hashes:
        """The hash of each word and the next."""
        made: Hashes = (self.hashes[:-1] * MIX + self.hashes[1:]) >> _HIGH
        return made


def mixed(hashes: Hashes) -> Hashes:
    """Hashes whose low bits depend on all that went into them."""
    made: Hashes = (hashes * MIX) >> _HIGH
    return made


def _kind(sign: str) -> int:
    return _DIGIT if sign.isdigit() else _LETTER if sign.isalnum() else _APART


_KINDS = CodePoints(_kind, np.uint8)


@lru_cache(maxsize=1)
def _powers() -> tuple[Hashes, Hashes]:
    """The base's powers modulo 2**64, and what undoes each."""
    undo = pow(_BASE, -1, 1 << 64)
    there, back = [1], [1]
    for _ in range(LONGEST_TEXT):
        there.append(there[-1] * _BASE % (1 << 64))
        back.append(back[-1] * undo % (1 << 64))
    return np.array(there, np.uint64), np.array(back, np.uint64)


def hashed_words(text: str) -> HashedWords:
    """The words of a text of LONGEST_TEXT signs at most."""
    folded = fold(text)
    signs = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KINDS(folded)
    starts, ends = _words(kinds != _APART, signs)
    powers, undone = _powers()
    sums = np.zeros(len(signs) + 1, np.uint64)
    np.cumsum((signs + np.uint64(1)) * powers[: len(signs)], out=sums[1:])
    digits = np.zeros(len(signs) + 1, np.int32)
    np.cumsum(kinds == _DIGIT, out=digits[1:])
    sizes = ends - starts
    numbers = digits[ends] - digits[starts] == sizes
    hashes = np.where(numbers, _NUMBER, (sums[ends] - sums[starts]) * undone[starts])
    long = (sizes >= _LONG) & ~numbers
    first = starts[long]
    stems = (sums[first + _STEM] - sums[first]) * undone[first] + _ENDING
    return HashedWords(starts, ends, mixed(hashes), long, mixed(stems))


def _words(inside: NDArray[np.bool_], signs: NDArray[np.uint32]) -> tuple[Places, Places]:
    """Where words start and end: runs of letters and digits, and of each that begins far away its pairs of signs."""
    edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2]
    far = signs[starts] >= _UNSPACED
    if not far.any():
        return starts, ends
    # One pair begins at each sign but the last; a single sign is its own.
    counts = np.maximum(ends[far] - starts[far] - 1, 1)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    pairs = np.repeat(starts[far], counts) + np.arange(counts.sum()) - before
    all_starts = np.concatenate([starts[~far], pairs])
    all_ends = np.concatenate([ends[~far], np.minimum(pairs + 2, np.repeat(ends[far], counts))])
    order = np.argsort(all_starts, kind="stable")
    return all_starts[order], all_ends[order]
