"""API keys and their checksums."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.accounts.api_keys import ENTROPY_BYTES, hash_key, looks_right, make_key


@given(st.binary(min_size=ENTROPY_BYTES, max_size=64))
def test_a_key_has_the_right_form_and_hash(entropy: bytes) -> None:
    key = make_key(entropy)
    assert re.fullmatch(r"ad_live_[0-9A-Za-z]{38}", key.text)
    assert looks_right(key.text)
    assert key.hash == hash_key(key.text)
    assert key.text not in repr((key.hash, key.hint))


@given(st.binary(min_size=32, max_size=32), st.integers(8, 45), st.sampled_from("09AZaz"))
def test_one_wrong_character_is_noticed(entropy: bytes, place: int, letter: str) -> None:
    text = make_key(entropy).text
    wrong = text[:place] + letter + text[place + 1 :]
    assert looks_right(wrong) == (wrong == text)


@given(st.binary(min_size=32, max_size=32), st.integers(8, 44))
def test_two_swapped_characters_are_noticed(entropy: bytes, place: int) -> None:
    text = make_key(entropy).text
    swapped = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    assert looks_right(swapped) == (swapped == text)


@pytest.mark.parametrize("text", ["", "ad_live_", "ad_live_" + "a" * 38, "x" * 46, "ad_live_" + "é" * 38])
def test_other_texts_are_not_keys(text: str) -> None:
    assert not looks_right(text)


def test_too_little_entropy_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        make_key(b"x" * 31)


def test_different_entropy_gives_different_keys() -> None:
    assert make_key(b"a" * 32).text != make_key(b"b" * 32).text
