"""Many random trees over the figures of a page: how many of its likes were what is asked.

Pure. Extremely randomized trees (Geurts, Ernst and Wehenkel, 2006), kept as flat arrays: a line of weights cannot say
that a sign counts only beside another, a tree can. `bench/page_model.py` grows them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# How near to certain a share of trees counts, so that its odds stay finite.
EDGE = 0.01
# The arrays of trees, and how they are kept.
PARTS = {"roots": np.int32, "figure": np.int16, "limit": np.float16, "below": np.int32, "share": np.uint8}


class Trees:
    """Trees by their nodes: a node asks whether its `figure` is above its `limit`.

    `below` is the node for no, the next one is for yes, and 0 marks a leaf, whose `share` (0 to 255) of pages were what
    is asked. `roots` are the first nodes. A node's children always have higher numbers than it.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]], name: str) -> None:
        roots, figure, limit, below, share = (np.asarray(arrays[f"{name}_{part}"]) for part in PARTS)
        self._roots = roots.astype(np.int64)
        # What is asked of a node stands together: trees are walked at random, and memory is slower than sums.
        self._nodes = np.empty((figure.size, 3), np.int32)
        self._nodes[:, 0] = figure
        self._nodes[:, 1] = below
        self._nodes[:, 2] = limit.astype(np.float32).view(np.int32)
        self._share = share.astype(np.float32) / 255

    def odds(self, figures: Floats) -> float:
        """The logarithm of the odds by the mean of all trees."""
        nodes = self._roots
        while True:
            asked = self._nodes[nodes]
            below = asked[:, 1]
            if not below.any():
                break
            limits = np.ascontiguousarray(asked[:, 2]).view(np.float32)
            nodes = np.where(below > 0, below + (figures[asked[:, 0]] > limits), nodes)
        mean = float(self._share[nodes].mean())
        return math.log((mean + EDGE) / (1 - mean + EDGE))
