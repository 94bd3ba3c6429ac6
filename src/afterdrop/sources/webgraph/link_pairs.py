"""Links as numbers: reading lines of the edges file, and counting referring domains of a range of names. Pure.

A pair is one 64-bit number; its high half is what it is sorted by first. Whole chunks are read and sorted at once,
because four billion links leave no time for a loop over them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from afterdrop.sources.webgraph.file_format import shorten

Pairs = NDArray[np.uint64]
Positions = NDArray[np.uint32]
HALF: Final = np.uint64(32)
LOW: Final = np.uint64(0xFFFFFFFF)
_LINE = re.compile(rb"\d{1,18}\t\d{1,18}", re.ASCII)
_DIGITS: Final = b"0123456789"


class BadLine(ValueError):
    """A line of the edges file that is wrong; the message has its number."""


def read_pairs(chunk: bytes, before: int, nodes: int, last: int) -> Pairs:
    """The pairs (from, to) of whole lines `FROM<tab>TO`. Pairs must ascend, and vertices be below `nodes`.

    `before` is the number of lines before the chunk, `last` the pair before it (-1 for none). Raises BadLine.
    """
    lines = chunk.count(b"\n")
    # Without its digits a chunk consists of a tab and a line end for each line.
    if chunk.translate(None, _DIGITS) != b"\t\n" * lines:
        raise _first_bad(chunk, before)
    numbers = np.fromstring(chunk, dtype=np.int64, sep=" ")
    if len(numbers) != 2 * lines:
        raise _first_bad(chunk, before)
    if numbers.max(initial=0) >= nodes:
        line = int(np.argmax(numbers >= nodes)) // 2
        raise BadLine(f"line {before + line + 1:,} names a vertex beyond the last, {nodes - 1:,}")
    pairs: Pairs = numbers[0::2].astype(np.uint64) << HALF | numbers[1::2].astype(np.uint64)
    if len(pairs) and last >= 0 and int(pairs[0]) <= last:
        raise BadLine(_disorder(before + 1, int(pairs[0]) == last))
    rises = pairs[1:] > pairs[:-1]
    if not rises.all():
        place = int(np.argmin(rises))
        raise BadLine(_disorder(before + place + 2, bool(pairs[place + 1] == pairs[place])))
    return pairs


def _disorder(line: int, double: bool) -> str:
    if double:
        return f"line {line:,} has the same link as the line before"
    return f"is not in order: line {line:,} belongs before the line above it"


def _first_bad(chunk: bytes, before: int) -> BadLine:
    """The error for the first line of a chunk that is not a pair of numbers."""
    numbered = enumerate(chunk.split(b"\n"), before + 1)
    place, line = next((place, line) for place, line in numbered if not _LINE.fullmatch(line))
    text = shorten(line[:200].decode("utf-8", "replace"))
    return BadLine(f"line {place:,} is not two tab-separated numbers: '{text}'")


@dataclass(frozen=True, slots=True)
class Referrers:
    """The referring domains of a range of names.

    `counts` has their number by name, from the first name of the range on. `kept` has the sorted pairs (name, rank
    position) of the best-ranked referring domains of each name.
    """

    counts: Positions
    kept: Pairs


def referrers(pairs: Pairs, first: int, names: int, most: int) -> Referrers:
    """Count the pairs (name, rank position of a referring domain) of `names` names from `first` on.

    The `most` best-ranked ones of each name are kept. `pairs` has no duplicates; it is sorted in place.
    """
    pairs.sort()
    own = (pairs >> HALF).astype(np.int64) - first
    counts = np.bincount(own, minlength=names)
    starts = np.cumsum(counts) - counts
    # The place of a pair among the pairs of its name is its distance from the first of them.
    own[:] = starts[own]
    np.subtract(np.arange(len(own)), own, out=own)
    return Referrers(counts.astype(np.uint32), pairs[own < most])
