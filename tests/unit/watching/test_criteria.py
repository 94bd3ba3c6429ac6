"""Alert rules as a whole; tests/integration/catalogue/test_criteria_property.py looks at each of their members."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.lists.criteria import facts_of
from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.shapes import Summary
from afterdrop.watching.criteria import as_filter, matches

DOMAIN: dict[str, Any] = dict(
    score=60, dr=20, tf=10, ref_domains=50, years=9, price=100, tld="com",
    type="bid", topic="Arts", language="de", clean=True, text="xn--bcher-kva.de\nbücher.de\nalte bücher kaufen",
)  # fmt: skip
SUMMARY: dict[str, Any] = {
    "domain": "a.com", "tld": "com", "score": 50, "status": "pending_delete",
    "verdict": "ok", "flags": [], "topic": None, "language": None,
    "title": "Old TITLE",
    "metrics": {
        "domain_rating": None, "referring_domains": 3, "archive_years": 1, "archive_first_year": 2024,
        "trust_flow": None, "citation_flow": None,
    },
    "listing": {
        "type": "pending_delete", "price_usd": None, "bids": 0, "source": "drops", "source_title": None, "url": None,
    },
    "purchase": [], "flag_levels": {},
    "facts": dict.fromkeys(
        ("valuation_usd", "search_volume", "cost_per_click_usd", "extensions_taken", "adult")
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({}, True),
        ({"min_score": 60}, True), ({"min_score": 61}, False),
        ({"min_dr": 20}, True), ({"min_dr": 21}, False),
        ({"min_tf": 11}, False), ({"min_ref_domains": 51}, False), ({"min_archive_years": 10}, False),
        ({"max_price": 100}, True), ({"max_price": 99}, False), ({"max_price": 0}, True), ({"max_price": None}, True),
        ({"tlds": ["de", "com"]}, True), ({"tlds": ["net"]}, False), ({"tlds": []}, True),
        ({"listing_types": ["auction"]}, False), ({"topics": ["Arts"]}, True), ({"topics": ["Home"]}, False),
        ({"langs": ["de"]}, True), ({"langs": ["en"]}, False),
        ({"clean_only": True}, True), ({"clean_only": False}, True),
        ({"keywords": ["BÜCHER"]}, True), ({"keywords": ["kaufen", "x9"]}, True), ({"keywords": ["x9"]}, False),
        ({"min_score": 10, "tlds": ["net"]}, False),
    ],
)  # fmt: skip
def test_each_restriction(criteria: dict[str, Any], expected: bool) -> None:
    assert matches(criteria, DOMAIN) is expected


def test_unknown_values_pass_no_minimum_no_topic_and_no_language_but_any_price() -> None:
    unknown = facts_of(cast(Summary, SUMMARY))
    for name, bound in (("min_dr", 1), ("min_tf", 1), ("topics", ["Arts"]), ("langs", ["en"])):
        assert not matches({name: bound}, unknown)
    assert matches({"max_price": 1, "clean_only": True, "keywords": ["title"]}, unknown)
    assert not matches({"clean_only": True}, facts_of(cast(Summary, {**SUMMARY, "flags": ["gap"]})))
    assert not matches({"clean_only": True}, facts_of(cast(Summary, {**SUMMARY, "verdict": "risky"})))


@given(
    st.dictionaries(st.sampled_from(["min_score", "min_dr", "max_price"]), st.integers(0, 200), max_size=3)
)
def test_a_rule_matches_when_each_of_its_restrictions_does(criteria: dict[str, Any]) -> None:
    assert matches(criteria, DOMAIN) == all(
        matches({name: bound}, DOMAIN) for name, bound in criteria.items()
    )


def test_a_rule_is_the_filter_of_a_list() -> None:
    criteria = cast(Any, {"min_score": 60, "tlds": ["com"], "max_price": None, "keywords": []})
    assert as_filter(criteria) == ListFilter.of(min_score=60, tld=["com"])
