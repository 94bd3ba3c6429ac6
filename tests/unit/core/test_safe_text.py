"""Hostile texts become storable and printable without losing what stands around the bad characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from afterdrop.core.safe_text import blank_controls, is_storable, isolated, isolating, one_line, storable


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


HEBREW, ARABIC = "\u05d7\u05d3\u05e9\u05d5\u05ea", "\u0623\u062e\u0628\u0627\u0631"


def test_text_from_right_to_left_is_isolated_and_other_text_as_it_was() -> None:
    assert isolated(f"{HEBREW} <b> 2012") == f"<bdi>{HEBREW} &lt;b&gt; 2012</bdi>"
    assert isolated(f"BBC {ARABIC}") == f"<bdi>BBC {ARABIC}</bdi>"
    for text in ("Harp makers & more (2012)", "Über uns", "ニュース", "Новости", ""):
        assert "<bdi>" not in isolated(text)
    assert isolated("a & b") == "a &amp; b"


def test_in_a_sentence_each_quote_from_right_to_left_is_isolated() -> None:
    assert isolating(f"Spam stood there: “{HEBREW}, {HEBREW}!”, 3 May 2015") == (
        f"Spam stood there: “<bdi>{HEBREW}, {HEBREW}</bdi>!”, 3 May 2015"
    )
    assert isolating(f"<i> {ARABIC} and {HEBREW}") == f"&lt;i&gt; <bdi>{ARABIC}</bdi> and <bdi>{HEBREW}</bdi>"
    assert isolating("12 captures & more") == "12 captures &amp; more"


@given(st.text(), st.integers(5, 60))
def test_one_line_is_one_line_and_short(text: str, most: int) -> None:
    line = one_line(text, most)
    assert len(line) <= most
    assert line.splitlines() in ([], [line])
