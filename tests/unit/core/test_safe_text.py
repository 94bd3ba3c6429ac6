"""Hostile texts become storable and printable without losing what stands around the bad characters."""

from __future__ import annotations

from afterdrop.core.safe_text import blank_controls, is_storable, storable


def test_nul_and_half_surrogates_are_replaced_wherever_they_stand() -> None:
    assert storable("a\x00b\ud800c") == "a\ufffdb\ufffdc"
    assert storable({"k\x00": ["x\x00", ("y", 1)], "n": None}) == {
        "k\ufffd": ["x\ufffd", ["y", 1]],
        "n": None,
    }


def test_what_can_be_stored_is_known() -> None:
    for text in ("", "plain", "Größe", "\ufffd", "\U0001f469", "\x01\x1a"):
        assert is_storable(text) and storable(text) == text
    for text in ("\0", "a\0b", "ü\0", "a\ud800", "\udfff"):
        assert not is_storable(text) and is_storable(storable(text))


def test_each_run_of_controls_and_invisible_characters_becomes_one_blank() -> None:
    assert blank_controls("a\r\n\x00b\u202ec\u200b\ufeffd é中") == "a b c d é中"
