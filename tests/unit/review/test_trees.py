"""Trees over figures: where they end and what their leaves say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from afterdrop.review.page.model import EDGE, PARTS, Trees

# The first tree asks the figure 0 and then, where it is above a half, the figure 1; the second is a leaf.
NODES = {
    "roots": [0, 5],
    "figure": [0, 0, 1, 0, 0, 0],
    "limit": [0.5, 0, 0.25, 0, 0, 0],
    "below": [1, 0, 3, 0, 0, 0],
    "share": [0, 0, 0, 51, 255, 102],
}


def trees() -> Trees:
    return Trees({f"spam_{name}": np.array(NODES[name], kind) for name, kind in PARTS.items()}, "spam")


@pytest.mark.parametrize(("figures", "first"), [((0.5, 1), 0.0), ((1, 0.25), 0.2), ((1, 0.5), 1.0)])
def test_each_page_ends_in_a_leaf_of_every_tree(figures: tuple[float, float], first: float) -> None:
    mean = (first + 0.4) / 2
    told = trees().odds(np.array(figures, np.float32))
    assert told == pytest.approx(math.log((mean + EDGE) / (1 - mean + EDGE)), abs=1e-6)
