"""The errors of link ranks and their messages."""

from __future__ import annotations

import pytest

from afterdrop.sources.webgraph.errors import interruptible, sized


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0.0 MB"), (68_430_000, "68.4 MB"), (10**9, "1.0 GB"), (16_200_000_000, "16.2 GB")],
)
def test_bytes_of_a_message_have_digits_enough_to_compare(number: int, text: str) -> None:
    assert sized(number) == text


def test_a_query_stopped_by_ctrl_c_is_ctrl_c_again() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="another"), interruptible():
        raise RuntimeError("another")
    with interruptible():
        pass
