"""The composed pages that were written after the rules: no honest one is accused, nearly all others are found."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page
from tests.unit.review.fresh import Fresh, fresh_pages

PAGES = fresh_pages()
HONEST = [pytest.param(page, id=page.name) for page in PAGES if page.label == "legit"]


@pytest.mark.parametrize("page", HONEST)
def test_honest_pages_near_a_trade_are_not_accused(page: Fresh) -> None:
    reading = read_page(page.body, url="")
    assert reading.verdict not in {"spam", "parked"}, reading.evidence


# The last lots are of kinds that no list knows: a model that would call all of them spam would accuse others, too.
@pytest.mark.parametrize(
    ("label", "lots", "least"),
    [
        ("spam", {1, 2, 3}, 0.93),
        ("spam", {4}, 0.5),
        ("spam", {5}, 0.8),
        ("spam", {7}, 0.6),
        ("parked", {1, 2, 3, 4}, 0.98),
        ("parked", {5, 6}, 0.98),
        ("error", {5, 6}, 0.9),
    ],
)
def test_most_are_found_and_what_accuses_stands_in_the_page(label: str, lots: set[int], least: float) -> None:
    own = [page for page in PAGES if page.label == label and page.lot in lots]
    missed = []
    for page in own:
        reading = read_page(page.body, url="")
        missed += [page.name] if reading.verdict != label else []
        source = page.body.decode()
        assert [item.quote for item in reading.evidence if item.quote not in source] == [], page.name
    assert len(own) - len(missed) >= least * len(own), missed
