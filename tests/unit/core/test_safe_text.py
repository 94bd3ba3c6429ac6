"""Hostile texts become storable and printable without losing what stands around the bad characters."""

from __future__ import annotations

import pytest
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


# Each as its writers spell it, with the joiner that belongs there.
JOINED = {
    "Persian, I want": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Persian, a plural, in a sentence": "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627 \u0648 2",
    "Arabic, a joiner that shows a form": "\u0647\u200d\u0640\u0627",
    "Urdu, a vowel sign before": "\u06a9\u064e\u200c\u06a9",
    "Kurdish": "\u0626\u0647\u200c\u0645",
    "Uyghur": "\u0642\u0649\u0632\u200c\u0686\u0649",
    "Syriac": "\u0712\u200c\u071d",
    "N'Ko": "\u07d2\u200c\u07de",
    "Adlam": "\U0001e922\u200c\U0001e923",
    "Mongolian": "\u1820\u200d\u1821",
    "Hindi, a half form": "\u0930\u0915\u094d\u200d\u0937\u093e",
    "Hindi, no conjunct": "\u0936\u0915\u094d\u200c\u0924\u093f",
    "Marathi": "\u0926\u0930\u094d\u200d\u092f\u093e",
    "Bengali, before the virama": "\u09b0\u200d\u09cd\u09af\u09be\u09ac",
    "Bengali": "\u0989\u09a6\u09cd\u200c\u09af\u09be\u09aa\u09a8",
    "Tamil": "\u0b95\u0bcd\u200c\u0bb7",
    "Telugu, at the end of a word": "\u0c2c\u0c3e\u0c38\u0c4d\u200c \u0c05",
    "Kannada": "\u0cb0\u200d\u0ccd\u0caf",
    "Malayalam, at the end of a word": "\u0d05\u0d35\u0d28\u0d4d\u200d, \u0d05\u0d35",
    "Malayalam, at the end": "\u0d05\u0d35\u0d28\u0d4d\u200d",
    "Sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3 \u0dbd\u0d82\u0d9a\u0dcf",
    "Khmer": "\u179f\u17ca\u200c\u17b8",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "a doctor": "\U0001f469\U0001f3fd\u200d\u2695\ufe0f and more",
    "a rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "a shaken head": "\U0001f642\u200d\u2194\ufe0f",
    "a black cat": "\U0001f408\u200d\u2b1b",
}


@pytest.mark.parametrize("text", JOINED.values(), ids=JOINED)
def test_joiners_stay_where_letters_and_emoji_need_them(text: str) -> None:
    assert blank_controls(text) == one_line(text) == text
    twice = text.replace("\u200c", "\u200c\xad\u200c\u200d").replace("\u200d", "\u200d\u200d")
    assert one_line(twice) == text


# Scripts and signs for which a joiner changes nothing: who puts one there hides it.
UNJOINED = ["pay|pal", "pay|\u0440al", "\u0441\u0431\u0435\u0440|\u0431\u0430\u043d\u043a", "\u03b1|\u03b2"]
UNJOINED += ["\u652f|\u4ed8\u5b9d", "\u30d1|\u30b9", "\ud55c|\uad6d", "\u05d1|\u05e0\u05e7", "\u0e18|\u0e19"]
UNJOINED += [
    "\u0540|\u0561",
    "\u10d0|\u10d1",
    "1|2",
    "a.|b",
    "\u0645|a",
    "a|\u0645",
    "\u0645|.",
    "\u060c|\u0645",
]
UNJOINED += ["\u0645|\u0661", "\u0645|\u0915", "\u0915|\u0916", "a\u0301|\u0301b", "a|\u094d", "\U0001f468|a"]
UNJOINED += ["a|\U0001f468", "\U0001f468|\u0645", "\xa9|\xae", "\u0645|\u202e\u062e", "\u0645|\u200b|\u062e"]


@pytest.mark.parametrize("text", UNJOINED)
@pytest.mark.parametrize("joiner", ["\u200c", "\u200d", "\u200c\u200d\u200c"])
def test_joiners_go_where_nothing_joins(text: str, joiner: str) -> None:
    said = one_line(text.replace("|", joiner))
    assert not {"\u200c", "\u200d"} & {*said}
    assert said == one_line(text.replace("|", "\u200b"))


def test_joiners_go_at_the_ends_and_those_of_letters_join_no_emoji() -> None:
    for text in ("\u200c\u0645", "\u0645\u200d", "\u200d\U0001f468\u200d", "\u200d", "\u0645\u200c \u062e"):
        assert not {"\u200c", "\u200d"} & {*one_line(text)}
    assert one_line("\U0001f468\u200c\U0001f469") == "\U0001f468 \U0001f469"
    assert one_line("\u0d28\u0d4d\u200d\r\n\u0d05") == "\u0d28\u0d4d\u200d \u0d05"
    assert one_line("\u0645\u06cc\u200c\u062e\u0648\u0627", 4) == "\u0645\u06cc…"


def test_a_soft_hyphen_leaves_no_blank() -> None:
    for text, said in (
        ("Donau\xaddampf\xad\xadschiff", "Donaudampfschiff"),
        ("\xadpay\xadpal\xad", "paypal"),
        ("\u0441\u0430\u0434\xad\u043e\u0432\u043e\u0434", "\u0441\u0430\u0434\u043e\u0432\u043e\u0434"),
        ("one \xad two", "one two"),
        ("a\u200b\xad\u200bb", "a b"),
    ):
        assert one_line(text) == said


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
    assert one_line(line, most) == line
