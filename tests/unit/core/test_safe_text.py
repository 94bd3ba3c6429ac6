"""Hostile texts become storable without losing what is around them."""

from __future__ import annotations

from afterdrop.core.safe_text import storable


def test_nul_and_half_surrogates_are_replaced_wherever_they_stand() -> None:
    assert storable("a\x00b\ud800c") == "a\ufffdb\ufffdc"
    assert storable({"k\x00": ["x\x00", ("y", 1)], "n": None}) == {
        "k\ufffd": ["x\ufffd", ["y", 1]],
        "n": None,
    }
