"""What the service takes is valid by its description."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings

from tests.contract.described import described
from tests.contract.inputs import CORPUS, TEXTS, Input, inputs


@cache
def _places() -> list[Input]:
    return inputs(described().document)


def _refused(text: str) -> list[tuple[str, str]]:
    """The places that take a text which the description refuses there."""
    return [
        (place.name, text)
        for place in _places()
        if place.takes(text) and all(described().faults(place.schema, value) for value in place.values(text))
    ]


def test_what_is_taken_of_the_corpus_is_valid() -> None:
    assert [found for text in CORPUS for found in _refused(text)] == []


def test_every_place_takes_something_of_the_corpus() -> None:
    """Otherwise the tests here say nothing about it."""
    assert [place.name for place in _places() if not any(map(place.takes, CORPUS))] == []


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_whatever_is_taken_is_valid(text: str) -> None:
    assert _refused(text) == []
