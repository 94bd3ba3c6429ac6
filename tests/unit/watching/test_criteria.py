"""Alert rules: which members restrict, and what matches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.lists.criteria import facts_of
from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.shapes import Summary
from afterdrop.watching.criteria import RuleRow, as_filter, changed, matches, restricting, rule_json

DOMAIN: dict[str, Any] = dict(
    score=60, dr=20, tf=10, ref_domains=50, years=9, price=100, tld="com",
    type="bid", topic="Arts", language="de", clean=True, text="xn--bcher-kva.de\nbücher.de\nalte bücher kaufen",
)  # fmt: skip
SUMMARY: dict[str, Any] = {
    "domain": "a.com", "tld": "com", "score": 50, "verdict": "ok", "flags": [], "topic": None, "language": None,
    "title": "Old TITLE",
    "metrics": {
        "domain_rating": None, "referring_domains": 3, "archive_years": 1, "archive_first_year": 2024,
        "trust_flow": None,
    },
    "listing": {"type": "pending_delete", "price_usd": None},
    "facts": dict.fromkeys(
        ("valuation_usd", "search_volume", "cost_per_click_usd", "extensions_taken", "adult")
    ),
}  # fmt: skip
STATED = {
    "valuation_usd": 900, "search_volume": 400, "cost_per_click_usd": 1.25, "extensions_taken": 7, "adult": False,
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


def test_what_marketplaces_say_restricts_rules_as_it_does_lists() -> None:
    stated = facts_of(cast(Summary, {**SUMMARY, "facts": STATED}))
    adult = facts_of(cast(Summary, {**SUMMARY, "facts": {**STATED, "adult": True}}))
    unknown = facts_of(cast(Summary, SUMMARY))
    for name, most in (
        ("min_valuation", 900),
        ("min_searches", 400),
        ("min_cpc", 125),
        ("min_extensions_taken", 7),
    ):
        assert matches({name: most}, stated)
        assert not matches({name: most + 1}, stated)
        assert not matches({name: 1}, unknown)
    assert [matches({"not_adult": True}, facts) for facts in (stated, adult, unknown)] == [True, False, False]


def test_a_rule_may_ask_for_the_last_owners_links() -> None:
    known = facts_of(cast(Summary, {**SUMMARY, "last_owner_links": 60}))
    unknown = facts_of(cast(Summary, SUMMARY))
    asked = [
        ({"min_last_owner_links": least}, facts) for least, facts in ((60, known), (61, known), (1, unknown))
    ]
    assert [matches(rule, facts) for rule, facts in asked] == [True, False, False]


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_lower_minimum_matches_whatever_a_higher_one_does(low: int, high: int) -> None:
    low, high = sorted((low, high))
    domain = {**DOMAIN, "score": 70, "dr": 70, "tf": 70}
    for name in ("min_score", "min_dr", "min_tf"):
        assert matches({name: low}, domain) or not matches({name: high}, domain)


@given(
    st.dictionaries(st.sampled_from(["min_score", "min_dr", "max_price"]), st.integers(0, 200), max_size=3)
)
def test_a_rule_matches_when_each_of_its_restrictions_does(criteria: dict[str, Any]) -> None:
    assert matches(criteria, DOMAIN) == all(
        matches({name: bound}, DOMAIN) for name, bound in criteria.items()
    )


MEMBERS: dict[str, Any] = {
    "name": "n",
    "min_score": 50,
    "min_dr": 0,
    "max_price": None,
    "tlds": ["com"],
    "topics": [],
    "clean_only": False,
    "keywords": ["hut"],
}


def test_only_what_restricts_is_kept() -> None:
    assert restricting(MEMBERS) == {"min_score": 50, "tlds": ["com"], "keywords": ["hut"]}


def test_a_change_touches_what_is_sent_and_nothing_clears() -> None:
    before = restricting(MEMBERS)
    assert changed(before, {}) == before
    assert changed(before, {"name": "x", "min_dr": 5}) == {**before, "min_dr": 5}
    assert changed(before, {"min_score": None, "tlds": [], "keywords": ["a"]}) == {"keywords": ["a"]}


def test_a_rule_is_shown_whole() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    own = {
        "id": 7,
        "name": "n",
        "active": True,
        "frequency": "daily",
        "mail": True,
        "match_count": 0,
        "created_at": now,
    }
    shown = rule_json(
        cast(RuleRow, {**own, "last_matched_at": None, "criteria": {"min_dr": 5, "clean_only": True}})
    )
    assert (shown["min_dr"], shown["min_score"], shown["tlds"], shown["clean_only"]) == (5, None, [], True)
    assert len(shown) == 19


def test_a_rule_is_the_filter_of_a_list() -> None:
    criteria = cast(Any, {"min_score": 60, "tlds": ["com"], "max_price": None, "keywords": []})
    assert as_filter(criteria) == ListFilter.of(min_score=60, tld=["com"])
