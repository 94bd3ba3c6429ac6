"""Yields a day: found in any language, beside a percent sign, and not on food."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page
from afterdrop.review.page.trades import yields


@pytest.mark.parametrize(
    ("text", "promised"),
    [
        ("Starter plan 5% daily for 7 days", "5% daily"),
        ("Gagnez 4 % par jour", "4 % par jour"),
        ("доход до 2,5% в день", "2,5% в день"),
        ("日利3%保証", "日利3%"),
        ("elke dag weer 3% erbij", "elke dag weer 3%"),
        ("10% profit every day and 3% a day", "10% profit every day"),
    ],
)
def test_a_yield_is_quoted_as_it_stands(text: str, promised: str) -> None:
    first, *_ = yields(text)
    assert text[first.start : first.end] == promised


@pytest.mark.parametrize(
    "text",
    [
        "12% Daily Value of iron",
        "Sales rose 5% last year.\nWe meet daily",
        "0% per day",
        "daily bread",
        "%" * 5000,
    ],
)
def test_other_percents_are_no_yields(text: str) -> None:
    assert yields(text) == []


def test_only_the_first_hundreds_of_percent_signs_are_read() -> None:
    assert yields("% " * 300 + "5% daily") == []


def test_a_yield_alone_leaves_a_page_clean() -> None:
    body = b"<title>Sourdough notes</title><p>Feed the starter: it gains about 5% a day in a cool cellar."
    assert read_page(body, url="").verdict == "clean"
