"""Words as numbers: where they stand, which are alike, and that a hash depends on the word alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.review.page.model import LONGEST_TEXT, hashed_words
from afterdrop.review.page.text import fold


def words(text: str) -> list[str]:
    found = hashed_words(text)
    return [text[start:end] for start, end in zip(found.starts.tolist(), found.ends.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" + _ ", []),
        ("Café 24", ["Café", "24"]),
        ("漢", ["漢"]),
        ("eins 漢字表 zwei", ["eins", "漢字", "字表", "zwei"]),
        ("abc가나 가나다", ["abc가나", "가나", "나다"]),
        ("x" * LONGEST_TEXT, ["x" * LONGEST_TEXT]),
    ],
)
def test_where_words_stand(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_a_hash_is_the_words_alone() -> None:
    here, there = hashed_words("Oars for the café"), hashed_words("123 CAFE boats oars for")
    assert here.hashes[3] == there.hashes[1]
    assert here.pairs[0] == there.pairs[3]
    assert len(set(here.hashes.tolist())) == 4


def test_numbers_are_one_word_and_long_words_have_stems() -> None:
    found = hashed_words("1987 and 20 and casinospiele casinobonus 12345678")
    assert found.hashes[0] == found.hashes[2] == found.hashes[6]
    assert found.long.tolist() == [False, False, False, False, True, True, False]
    assert found.stems[0] == found.stems[1]
    assert found.hashes[4] != found.hashes[5]


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_text_beside_another_keeps_its_words(one: str, other: str) -> None:
    alone, beside = hashed_words(other), hashed_words(f"{one} {other}")
    before = len(hashed_words(f"{one} ").hashes)
    assert beside.hashes[before:].tolist() == alone.hashes.tolist()
    assert beside.stems[len(beside.stems) - len(alone.stems) :].tolist() == alone.stems.tolist()
    assert [fold(word) for word in words(f"{one} {other}")[before:]] == [fold(word) for word in words(other)]
