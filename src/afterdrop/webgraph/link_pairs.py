"""Links as numbers: the lines of the edges file, and the referring domains of a range of names. Pure.

A pair is one 64-bit number, what it is sorted by first in the high half. Whole chunks are read and sorted at once:
four billion links leave no time for a loop over them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from afterdrop.webgraph.file_format import shorten

Pairs = NDArray[np.uint64]
Positions = NDArray[np.uint32]
HALF: Final = np.uint64(32)
LOW: Final = np.uint64(0xFFFFFFFF)
_LINE = re.compile(rb"\d{1,18}\t\d{1,18}", re.ASCII)
_DIGITS: Final = b"0123456789"


class BadLine(ValueError):
    """A line of the edges file that cannot be one, with its number."""


def read_pairs(chunk: bytes, before: int, nodes: int, last: int) -> Pairs:
    """The pairs (from, to) of whole lines `FROM<tab>TO`, which must rise and be of `nodes` names.

    `before`: lines before the chunk; `last`: the pair before it, -1 for none. Raises BadLine naming the line.
    """
    lines = chunk.count(b"\n")
    # Without its digits a chunk is nothing but a tab and a line end for each line.
    if chunk.translate(None, _DIGITS) != b"\t\n" * lines:
        raise _first_bad(chunk, before)
    numbers = np.fromstring(chunk, dtype=np.int64, sep=" ")
    if len(numbers) != 2 * lines:
        raise _first_bad(chunk, before)
    if numbers.max(initial=0) >= nodes:
        line = int(np.argmax(numbers >= nodes)) // 2
        raise BadLine(f"line {before + line + 1:,} names a vertex beyond the last, {nodes - 1:,}")
    pairs: Pairs = numbers[0::2].astype(np.uint64) << HALF | numbers[1::2].astype(np.uint64)
    _refuse_disorder(pairs, before, last)
    return pairs


def _refuse_disorder(pairs: Pairs, before: int, last: int) -> None:
    if len(pairs) and last >= 0 and int(pairs[0]) <= last:
        raise BadLine(_disorder(before + 1, int(pairs[0]) == last))
    rises = pairs[1:] > pairs[:-1]
    if not rises.all():
        place = int(np.argmin(rises))
        raise BadLine(_disorder(before + place + 2, bool(pairs[place + 1] == pairs[place])))


def _disorder(line: int, double: bool) -> str:
    if double:
        return f"line {line:,} has the same link as the line before"
    return f"is not in order: line {line:,} belongs before the line above it"


def _first_bad(chunk: bytes, before: int) -> BadLine:
    """The first line that is no pair of numbers, of a chunk that has one."""
    numbered = enumerate(chunk.split(b"\n"), before + 1)
    place, line = next((place, line) for place, line in numbered if not _LINE.fullmatch(line))
    text = shorten(line[:200].decode("utf-8", "replace"))
    return BadLine(f"line {place:,} is not two tab-separated numbers: '{text}'")


@dataclass(frozen=True, slots=True)
class Referrers:
    """Who links to the names of a range: `counts` by name from the range's first on, `kept` pairs (name, place) of
    the best-placed referring domains of each, sorted."""

    counts: Positions
    kept: Pairs


def referrers(pairs: Pairs, first: int, names: int, most: int) -> Referrers:
    """Count and choose among all pairs (name, referring domain's rank position) of `names` names from `first` on.

    `pairs` has no doubles, comes in any order and is sorted in place.
    """
    pairs.sort()
    own = (pairs >> HALF).astype(np.int64) - first
    counts = np.bincount(own, minlength=names)
    starts = np.cumsum(counts) - counts
    # A pair's place among its name's pairs is its distance from the first of them.
    own[:] = starts[own]
    np.subtract(np.arange(len(own)), own, out=own)
    return Referrers(counts.astype(np.uint32), pairs[own < most])
