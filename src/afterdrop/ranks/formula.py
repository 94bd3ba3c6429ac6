"""The link rank: one number, 0-100, from a name's two positions in the open web graph. Pure."""

from __future__ import annotations

import math


def link_rank(harmonic: int, pagerank: int, nodes: int, domains: int | None = None) -> float:
    """The rating of the name at position `harmonic` by harmonic centrality and `pagerank` by PageRank among `nodes`.

    Positions count from 1. The geometric mean of both on a logarithmic scale: first of all is 100, last is 0, and
    every factor of the graph's size is worth the same. 0 for a name that no domain links to (`domains` 0; None is
    not known). Two decimals.

    >>> link_rank(1000, 1000, 121_000_000)
    62.88
    """
    if domains == 0:
        return 0.0
    if nodes <= 1:
        return 100.0
    rating = 100 * (1 - (math.log(harmonic) + math.log(pagerank)) / (2 * math.log(nodes)))
    return round(min(max(rating, 0.0), 100.0), 2)
