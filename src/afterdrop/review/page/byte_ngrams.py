"""Stage 1, parsing: py3langid's scores without its loop over bytes: the same numbers in less time.

Its automaton forgets all but the last few bytes, so that the state after each byte of a text can be found from those
alone, for all places of the text together. The loop waits for memory at every byte.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from py3langid.langid import LanguageIdentifier

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIGNS = 256


class ByteNgrams(LanguageIdentifier):  # type: ignore[misc]  # untyped package
    """An identifier whose answers are those of its class."""

    __slots__ = ("_depth", "_features", "_next", "_rows")

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)
        self._next = np.frombuffer(self.tk_nextmove, np.uint32)
        self._rows = np.array(self._rowbase, np.uint32)
        self._features = np.array(self.tk_output, np.int32)
        self._depth = _depth(self._next.reshape(-1, _SIGNS), self._rows // _SIGNS)

    def _raw_score(self, text: bytes) -> NDArray[np.float32]:
        # The automaton's state after each byte.
        read = np.frombuffer(text, np.uint8)
        states = np.zeros(len(read), np.uint32)
        for back in range(min(self._depth, len(read)) - 1, -1, -1):
            states[back:] = self._next[self._rows[states[back:]] + read[: len(read) - back]]
        found = self._features[states]
        counts = Counter(found[found >= 0].tolist())
        scores: NDArray[np.float32] = (
            self._sparse_score(counts, self.nb_ptc) if counts else super()._raw_score(b"")
        )
        return scores


def _depth(rows: NDArray[np.uint32], row_of: NDArray[np.uint32]) -> int:
    """How many bytes an automaton remembers: the most steps after which a state is reached for the first time."""
    steps = np.full(len(row_of), -1)
    steps[0] = depth = 0
    while (latest := np.flatnonzero(steps == depth)).size:
        fresh = np.zeros(len(row_of), bool)
        fresh[rows[row_of[latest]].ravel()] = True
        steps[fresh & (steps < 0)] = depth = depth + 1
    return depth - 1
