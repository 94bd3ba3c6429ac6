"""When a feed file is suspect: it may refresh and add listings, but must not end any.

Pure. A file is suspect when it has no good rows, or lacks more than max(20, 20 %) of the known names whose end is
ahead, or more than max(20, 50 %) of those at a fixed price without an end. Such names vanish without notice: a closeout
runs five days, so that a fifth of them leaves every day, and more than a third in two. Two suspect files in a row that
agree to 90 % are believed after all, because the marketplace did shrink. Their agreement is estimated from a sketch of
each file's names: the 1,024 smallest hashes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple

SKETCH_SIZE = 1024
_BYTES = 7
AGREE = 0.9
MISSING_SHARE = 0.2
MISSING_ENDLESS_SHARE = 0.5
MISSING_LEAST = 20


class Sketch:
    """The smallest hashes of all names added, each name once, in constant memory."""

    def __init__(self, size: int = SKETCH_SIZE) -> None:
        self._size = size
        self._largest_first: list[int] = []
        self._members: set[int] = set()

    def add_all(self, names: Iterable[str]) -> None:
        """Add names; adding one again changes nothing."""
        digests = [blake2b(name.encode(), digest_size=_BYTES).digest() for name in names]
        if len(self._largest_first) == self._size:
            least = (-self._largest_first[0]).to_bytes(_BYTES, "big")
            digests = [digest for digest in digests if digest < least]
        for digest in digests:
            self._add(int.from_bytes(digest, "big"))

    def add(self, name: str) -> None:
        """Add a name; adding it again changes nothing."""
        self.add_all((name,))

    def _add(self, number: int) -> None:
        kept = self._largest_first
        if (len(kept) == self._size and number >= -kept[0]) or number in self._members:
            return
        self._members.add(number)
        if len(kept) < self._size:
            heapq.heappush(kept, -number)
        else:
            self._members.discard(-heapq.heappushpop(kept, -number))

    def hashes(self) -> list[int]:
        """The sketch: ascending numbers below 2^56."""
        return sorted(self._members)


def sketch_of(batches: Iterable[Iterable[str]]) -> list[int]:
    """The sketch of all names of a file, which come in batches."""
    sketch = Sketch()
    for names in batches:
        sketch.add_all(names)
    return sketch.hashes()


def agreement(first: Sequence[int], second: Sequence[int]) -> float:
    """The share of names that two files have in common (estimated Jaccard index), 0.0 to 1.0; empty files agree."""
    one, other = set(first), set(second)
    smallest = heapq.nsmallest(max(len(one), len(other)), one | other)
    if not smallest:
        return 1.0
    return sum(1 for number in smallest if number in one and number in other) / len(smallest)


class Lacking(NamedTuple):
    """How many known listings of a feed a file should have, and how many of them it lacks."""

    known: int = 0
    missing: int = 0

    def exceeds(self, share: float) -> bool:
        """Whether the file lacks more than `share` of them, and more than a few."""
        return self.missing > max(MISSING_LEAST, share * self.known)


def suspicion(ahead: Lacking, endless: Lacking, good_rows: int) -> str | None:
    """Why a file is suspect, in one sentence; None when it is not.

    `ahead` counts the feed's known listings whose end is ahead, `endless` those without an end that were seen lately,
    and `good_rows` the usable rows of the file.
    """
    if good_rows == 0:
        return "the file has no usable rows"
    if ahead.exceeds(MISSING_SHARE):
        return f"the file lacks {ahead.missing} of the {ahead.known} known names that have not ended"
    if endless.exceeds(MISSING_ENDLESS_SHARE):
        return f"the file lacks {endless.missing} of the {endless.known} known names at a fixed price"
    return None


@dataclass(frozen=True, slots=True)
class Plausibility:
    """Whether a file is believed. `why` says what made it suspect, also when it was accepted nevertheless."""

    state: Literal["done", "suspect"]
    withdraws: bool
    accepted: bool = False
    why: str | None = None


def judge_file(
    complete: bool,
    why: str | None,
    sketch: Sequence[int],
    previous: Sequence[int] | None,
    override: bool = False,
) -> Plausibility:
    """Whether the file of a feed may end listings.

    `why` comes from `suspicion`. `previous` is the sketch of the feed's last readable file if that was suspect, else
    None. `override` is the operator's word (`scan --accept`). A file without good rows is never accepted.
    """
    if why is None:
        return Plausibility("done", withdraws=complete)
    agreed = previous is not None and agreement(sketch, previous) >= AGREE
    if sketch and (override or agreed):
        return Plausibility("done", withdraws=complete, accepted=True, why=why)
    return Plausibility("suspect", withdraws=False, why=why)
