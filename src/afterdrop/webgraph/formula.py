"""The link rank: one number, 0-100, from a name's two positions in the open web graph. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.uint32]


def link_ranks(
    harmonic: Positions, pagerank: Positions, nodes: int, domains: Positions | None = None
) -> NDArray[np.float64]:
    """The ranks of names from their positions by harmonic centrality and by PageRank among `nodes` names.

    Positions count from 1. The rank is the geometric mean of both on a logarithmic scale: the first of all has 100,
    the last 0, and every factor of the graph's size is worth the same. A name to which no domain links has 0
    (`domains` 0; None when that was not counted). Two decimals.

    >>> link_ranks(np.array([1000], np.uint32), np.array([1000], np.uint32), 121_000_000).tolist()
    [62.88]
    """
    if nodes <= 1:
        ratings: NDArray[np.float64] = np.full(len(harmonic), 100.0)
    else:
        mean = (np.log(harmonic, dtype=np.float64) + np.log(pagerank, dtype=np.float64)) / 2
        ratings = np.round(np.clip(100 * (1 - mean / np.log(nodes)), 0, 100), 2)
    if domains is not None:
        ratings[domains == 0] = 0.0
    return ratings
