"""Pages stitched from the same sentences, and where sentences stand."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from afterdrop.review.page import planted
from afterdrop.review.page.planted import find_repeated_sentences
from tests.unit.review.viewed import viewed

SENTENCES = [f"The {word} that you can order here is better than any other one." for word in "abcdefgh"]
_PIECES = st.sampled_from(["a" * 7, "b" * 90, "c" * 400, "d" * 401, " ", ".", "!", "。"])


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_sentences_stand_where_an_expression_finds_them(text: str) -> None:
    expression = re.compile(r"[^.!?…。！？]{25,400}[.!?…。！？]")
    assert list(planted._spans(text)) == [match.span() for match in expression.finditer(text)]


def test_a_page_of_few_sentences_over_and_over_is_a_doorway() -> None:
    text = " ".join(SENTENCES * 6)
    found = find_repeated_sentences(viewed(text))
    assert found is not None
    assert found.sure
    assert [item.rule for item in found.evidence] == ["the sentence stands 6 times"] * 3
    assert all(item.quote in text for item in found.evidence)


def test_few_or_different_sentences_are_none() -> None:
    text = " ".join(SENTENCES * 4)
    assert find_repeated_sentences(viewed(text)) is None
    text = " ".join(f"Number {n} is told of in a sentence of its own." for n in range(60))
    assert find_repeated_sentences(viewed(text)) is None
