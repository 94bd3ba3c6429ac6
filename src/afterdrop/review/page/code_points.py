"""What is known of each character of a text, looked up for all of them at once.

Pure. A loop over the characters of a page takes ten times as long.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class CodePoints:
    """A whole number for each character, never 0; `of` is asked once for each character that is met."""

    def __init__(self, of: Callable[[str], int], dtype: DTypeLike) -> None:
        self._of = of
        self._known: NDArray[Any] = np.zeros(sys.maxunicode + 1, dtype)

    def __call__(self, text: str) -> NDArray[Any]:
        """The number of each character of a text, in order."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        found = self._known[codes]
        if not found.all():
            new = np.unique(codes[found == 0])
            self._known[new] = [self._of(chr(code)) for code in new]
            found = self._known[codes]
        return found
