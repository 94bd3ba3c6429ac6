"""The link rank from two positions."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.sources.webgraph.table import link_ranks


def rank(harmonic: int, pagerank: int, nodes: int, domains: int | None = None) -> float:
    linking = None if domains is None else np.array([domains], np.uint32)
    one = np.array([harmonic], np.uint32), np.array([pagerank], np.uint32)
    return float(link_ranks(*one, nodes, linking)[0])


def test_the_scale_is_the_documented_one() -> None:
    full = 121_000_000
    assert [rank(place, place, full) for place in (1, 1000, 10**4, 10**5, 10**6, 10**7, full)] == [
        *(100.0, 62.88, 50.51, 38.14, 25.77, 13.4),
        0.0,
    ]


def test_both_positions_count_alike() -> None:
    assert rank(10, 1000, 10**6) == rank(1000, 10, 10**6) == rank(100, 100, 10**6)


def test_a_name_without_links_is_zero_unless_links_were_not_counted() -> None:
    assert rank(5, 5, 100, domains=0) == 0.0
    assert rank(5, 5, 100, domains=1) == rank(5, 5, 100) == 65.05


def test_a_graph_of_one_name() -> None:
    assert rank(1, 1, 1) == 100.0


@given(st.integers(1, 2**32 - 1), st.integers(1, 2**32 - 1), st.integers(1, 2**32 - 1))
def test_the_rank_stays_on_its_scale_and_never_rises_with_the_position(
    harmonic: int, pagerank: int, nodes: int
) -> None:
    rating = rank(harmonic, pagerank, nodes)
    assert 0 <= rating <= 100
    assert rank(min(harmonic + 1, 2**32 - 1), pagerank, nodes) <= rating
    assert math.isclose(rating, round(rating, 2))
