"""Lines of the edges file as numbers, and the referring domains of a range of names."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.sources.webgraph.link_pairs import BadLine, read_pairs, referrers


def pair(left: int, right: int) -> int:
    return left << 32 | right


def test_whole_lines_become_pairs() -> None:
    assert read_pairs(b"0\t5\n0\t6\n7\t0\n", 0, 8, -1).tolist() == [pair(0, 5), pair(0, 6), pair(7, 0)]
    assert read_pairs(b"0\t1\n", 9, 8, pair(0, 0)).tolist() == [pair(0, 1)]
    assert len(read_pairs(b"", 0, 8, -1)) == 0
    assert read_pairs(b"4294967294\t1\n", 0, 2**32 - 1, -1).tolist() == [pair(4294967294, 1)]


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (b"0\t1\n0 2\n", "line 12 is not two tab-separated numbers: '0 2'"),
        (b"0\t1\n0\t2\t3\n", "line 12 is not"),
        (b"0\t1\n\n", "line 12 is not"),
        (b"0\t1\n\t5\n", "line 12 is not"),
        (b"0\t1\n5\t\n", "line 12 is not"),
        (b"0\t1\n-5\t1\n", "line 12 is not"),
        (b"0\t1\n5\t1\r\n", "line 12 is not"),
        (b"0\t1\n0\tx\x1b[2J\n", "line 12 is not two tab-separated numbers: '0 x [2J'"),
        (b"0\t1\n999999999999999999999\t8\n", "line 12 "),
        (b"0\t0\n", "line 11 has the same link"),
    ],
)
def test_a_wrong_line_is_named(chunk: bytes, message: str) -> None:
    with pytest.raises(BadLine) as caught:
        read_pairs(chunk, 10, 8, pair(0, 0))
    assert message in str(caught.value)


def test_disorder_between_chunks_is_named() -> None:
    with pytest.raises(BadLine, match="line 11 belongs before"):
        read_pairs(b"0\t1\n", 10, 8, pair(3, 0))


@given(
    st.sets(st.tuples(st.integers(10, 19), st.integers(1, 40)), max_size=120),
    st.integers(1, 5),
    st.randoms(),
)
def test_counts_and_best_are_those_of_a_plain_loop(
    links: set[tuple[int, int]], most: int, rng: random.Random
) -> None:
    mixed = list(links)
    rng.shuffle(mixed)
    found = referrers(np.array([pair(*link) for link in mixed], np.uint64), 10, 10, most)
    assert found.counts.tolist() == [sum(name == own for own, _ in links) for name in range(10, 20)]
    wanted = [
        pair(name, place)
        for name in range(10, 20)
        for place in sorted(place for own, place in links if own == name)[:most]
    ]
    assert found.kept.tolist() == wanted
