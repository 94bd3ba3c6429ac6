"""What the free plan is told of the Pro list: enough to want a name, too little to find it."""

from __future__ import annotations

from typing import Any, cast

from afterdrop.catalogue.masked_rows import masked_row
from afterdrop.catalogue.shapes import Summary


def told(name: str, **metrics: Any) -> Any:
    known = {"domain_rating": 33, "referring_domains": 1752, "archive_years": 18, "trust_flow": 27, **metrics}
    summary = {"domain": name, "tld": "co.uk", "score": 76, "topic": "Arts", "title": "A secret bakery"}
    return masked_row(cast(Summary, {**summary, "metrics": known}))


def test_names_of_any_length_look_alike_and_figures_are_rounded() -> None:
    short, long = told("ab.co.uk"), told("a-secret-bakery-of-the-north.co.uk")
    assert short == long
    assert (short.name, short.score, short.domain_rating) == ("••••••••.co.uk", 75, 35)
    assert (short.referring_domains, short.archive_years) == (2000, 20)
    nothing = told("ab.co.uk", domain_rating=None, referring_domains=None, archive_years=None)
    assert (nothing.domain_rating, nothing.referring_domains, nothing.archive_years) == (None, None, None)
