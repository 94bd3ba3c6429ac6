"""Alert rules: the pure truth of what matches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.alerts.criteria import Facts, facts, matches

DOMAIN = Facts(
    score=60, domain_rating=20, trust_flow=10, referring_domains=50, archive_years=9, price_usd=100, tld="com",
    listing_type="bid", topic="Arts", language="de", clean=True, text="xn--bcher-kva.de\nbücher.de\nalte bücher kaufen",
)  # fmt: skip
SUMMARY: dict[str, Any] = {
    "domain": "a.com", "tld": "com", "score": 50, "verdict": "ok", "flags": [], "topic": None, "language": None,
    "title": "Old TITLE",
    "metrics": {"domain_rating": None, "referring_domains": 3, "archive_years": 1, "trust_flow": None},
    "listing": {"type": "pending_delete", "price_usd": None},
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
    unknown = facts(SUMMARY)
    for name, bound in (("min_dr", 1), ("min_tf", 1), ("topics", ["Arts"]), ("langs", ["en"])):
        assert not matches({name: bound}, unknown)
    assert matches({"max_price": 1, "clean_only": True, "keywords": ["title"]}, unknown)
    assert not matches({"clean_only": True}, facts({**SUMMARY, "flags": ["gap"]}))
    assert not matches({"clean_only": True}, facts({**SUMMARY, "verdict": "risky"}))


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_lower_minimum_matches_whatever_a_higher_one_does(low: int, high: int) -> None:
    low, high = sorted((low, high))
    domain = replace(DOMAIN, score=70, domain_rating=70, trust_flow=70)
    for name in ("min_score", "min_dr", "min_tf"):
        assert matches({name: low}, domain) or not matches({name: high}, domain)


@given(
    st.dictionaries(st.sampled_from(["min_score", "min_dr", "max_price"]), st.integers(0, 200), max_size=3)
)
def test_a_rule_matches_when_each_of_its_restrictions_does(criteria: dict[str, Any]) -> None:
    assert matches(criteria, DOMAIN) == all(
        matches({name: bound}, DOMAIN) for name, bound in criteria.items()
    )
