"""When a feed file is not to be believed: it may refresh and add, but ends nothing.

Pure. A file is suspect when it has no good rows, or lacks more than max(20, 20 %) of the known names whose end is
still ahead. Two suspect files in a row that agree to 90 % are the truth after all (a marketplace did shrink). Whether
they agree is judged by a sketch of each file's names: its 1,024 smallest hashes.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

SKETCH_SIZE = 1024
AGREE = 0.9
MISSING_SHARE = 0.2
MISSING_LEAST = 20


class Sketch:
    """The smallest hashes of all names added, each name once; constant memory whatever the file's size."""

    def __init__(self, size: int = SKETCH_SIZE) -> None:
        self._size = size
        self._largest_first: list[int] = []
        self._members: set[int] = set()

    def add(self, name: str) -> None:
        """Add a name; adding it again changes nothing."""
        number = int.from_bytes(blake2b(name.encode(), digest_size=7).digest(), "big")
        kept = self._largest_first
        if (len(kept) == self._size and number >= -kept[0]) or number in self._members:
            return
        self._members.add(number)
        if len(kept) < self._size:
            heapq.heappush(kept, -number)
        else:
            self._members.discard(-heapq.heappushpop(kept, -number))

    def hashes(self) -> list[int]:
        """The sketch as ascending numbers below 2^56 (whole in any JSON)."""
        return sorted(self._members)


def agreement(first: Sequence[int], second: Sequence[int]) -> float:
    """The share of names two files have in common (estimated Jaccard index), 0.0 to 1.0; two empty ones agree."""
    one, other = set(first), set(second)
    smallest = heapq.nsmallest(max(len(one), len(other)), one | other)
    if not smallest:
        return 1.0
    return sum(1 for number in smallest if number in one and number in other) / len(smallest)


def suspicion(known_ahead: int, missing: int, good_rows: int) -> str | None:
    """Why a file is suspect, in one sentence; None when it is not.

    `known_ahead`: listings of this feed known before whose end is ahead, or that have none; `missing`: how many of
    them the file lacks; `good_rows`: usable rows in the file.
    """
    if good_rows == 0:
        return "the file has no good rows"
    if missing > max(MISSING_LEAST, MISSING_SHARE * known_ahead):
        return f"the file lacks {missing} of the {known_ahead} known names whose end is still ahead"
    return None


@dataclass(frozen=True, slots=True)
class Plausibility:
    """What a read file may do. `why` says what made it suspect, also when it was accepted all the same."""

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

    `why` comes from `suspicion`; `previous` is the sketch of the feed's last readable file when that was suspect,
    else None; `override` is the operator's word (`scan --accept`). A file without good rows is never accepted:
    there is nothing to believe.
    """
    if why is None:
        return Plausibility("done", withdraws=complete)
    agreed = previous is not None and agreement(sketch, previous) >= AGREE
    if sketch and (override or agreed):
        return Plausibility("done", withdraws=complete, accepted=True, why=why)
    return Plausibility("suspect", withdraws=False, why=why)
