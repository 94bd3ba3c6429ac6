"""Filters: what passes, what never passes, and spellings."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from afterdrop.catalogue.lists.filters import ListFilter, Order, default_sort, orders_of
from afterdrop.catalogue.lists.search_index import search_text
from tests.support.oracle import accepts

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


def summary(**values: Any) -> dict[str, Any]:
    metrics = {
        **{"domain_rating": 20, "referring_domains": 100, "archive_years": 5, "archive_first_year": 2016},
        **{"trust_flow": 10, "citation_flow": 12},
    }
    facts = {
        **{"valuation_usd": 900, "search_volume": 400, "cost_per_click_usd": 1.25},
        **{"extensions_taken": 7, "adult": False},
    }
    listing = {
        **{"type": "auction", "price_usd": 50, "bids": 3, "source": "market_a"},
        "ends_at": "2026-11-21T18:00:00Z",
    }
    return {
        "domain": "xn--bcher-kva.co.uk",
        "tld": "co.uk",
        "score": 60,
        "verdict": "ok",
        "flags": [],
        "topic": "Arts",
        "language": "de",
        "title": "Öffentliche 50% Büche\u0301r",
        "found_at": "2026-11-20T12:00:00Z",
        "status": "listed",
        "outcome": {"became": "caught", "registrar": None, "days": 2},
        **values,
        "metrics": {**metrics, **values.get("metrics", {})},
        "facts": values.get("facts", facts),
        "listing": {**listing, **values.get("listing", {})},
    }


NULLS = summary(
    metrics=dict.fromkeys(
        (
            *("domain_rating", "referring_domains", "archive_years", "archive_first_year"),
            *("trust_flow", "citation_flow"),
        )
    ),
    facts={},
    listing={"price_usd": None, "ends_at": None, "bids": 0},
    outcome=None,
    topic=None,
    language=None,
    title=None,
)


@pytest.mark.parametrize(
    ("wanted", "passes", "nulls_pass"),
    [
        ({}, True, True),
        ({"min_score": 60}, True, True),
        ({"min_score": 61}, False, False),
        ({"min_dr": 20}, True, False),
        ({"min_dr": 21}, False, False),
        ({"min_dr": 0}, True, True),
        ({"min_tf": 10}, True, False),
        ({"min_tf": 11}, False, False),
        ({"min_cf": 12}, True, False),
        ({"min_cf": 13}, False, False),
        ({"min_valuation": 900, "min_searches": 400, "min_cpc": 125, "min_extensions_taken": 7}, True, False),
        ({"min_valuation": 901}, False, False),
        ({"min_searches": 401}, False, False),
        ({"min_cpc": 126}, False, False),
        ({"min_extensions_taken": 8}, False, False),
        ({"not_adult": True}, True, False),
        ({"min_age": 10}, True, False),
        ({"min_age": 11}, False, False),
        ({"max_first_year": 2016}, True, False),
        ({"max_first_year": 2015}, False, False),
        ({"min_bids": 3}, True, False),
        ({"min_bids": 4}, False, False),
        ({"max_bids": 3}, True, True),
        ({"max_bids": 2}, False, True),
        ({"max_price": 50, "priced": True}, True, False),
        ({"source": ["market_a"]}, True, True),
        ({"source": ["market_b"]}, False, False),
        ({"outcome": ["caught", "sold"]}, True, False),
        ({"outcome": ["free"]}, False, False),
        ({"tag": None}, True, True),
        ({"tag": []}, False, False),
        ({"tag": ["xn--bcher-kva.co.uk", "other.com"]}, True, True),
        ({"unseen": ["other.com"]}, True, True),
        ({"unseen": ["xn--bcher-kva.co.uk"]}, False, False),
        ({"ends_after": NOW + timedelta(hours=23)}, True, False),
        ({"ends_after": NOW + timedelta(hours=24)}, False, False),
        ({"ends_by": NOW + timedelta(hours=24)}, True, False),
        ({"ends_by": NOW + timedelta(hours=23)}, False, False),
        ({"ends_by": NOW + timedelta(hours=30), "ending_within_hours": 2}, False, False),
        ({"drops_on": date(2026, 11, 21)}, False, False),
        ({"min_ref_domains": 100}, True, False),
        ({"min_ref_domains": 101}, False, False),
        ({"min_archive_years": 5}, True, False),
        ({"min_archive_years": 6}, False, False),
        ({"max_price": 50}, True, True),
        ({"max_price": 49}, False, True),
        ({"max_price": 0}, False, True),
        ({"tld": [".CO.UK", "com"]}, True, True),
        ({"tld": ["uk"]}, False, False),
        ({"type": ["auction", "bid"]}, True, True),
        ({"type": ["bid"]}, False, False),
        ({"topic": ["aRTS"]}, True, False),
        ({"topic": ["Games"]}, False, False),
        ({"lang": ["DE"]}, True, False),
        ({"lang": ["en"]}, False, False),
        ({"clean": True}, True, True),
        ({"ending_within_hours": 24}, True, False),
        ({"ending_within_hours": 23}, False, False),
        ({"min_trust_ratio": 66}, True, False),
        ({"exclude_tld": ["uk", "de"]}, True, True),
        ({"exclude_tld": [".CO.UK"]}, False, False),
        ({"exclude": ["casino", "FFENTLICHE"]}, False, True),
        ({"min_length": 6, "max_length": 6}, True, True),
        ({"min_length": 7}, False, False),
        ({"starts_with": "BÜ", "ends_with": "er"}, True, True),
        ({"starts_with": "xn"}, False, False),
        ({"letters_only": True, "no_digits": True, "no_hyphens": True}, True, True),
        ({"q": "BÜCHER.co"}, True, True),
        ({"q": "xn--BCHER"}, True, True),
        ({"q": "öffentliche 50%"}, True, False),
        ({"q": "büch\u00e9r"}, True, False),
        ({"q": "50_"}, False, False),
        ({"q": "uk\n"}, False, False),
    ],
)
def test_each_filter(wanted: dict[str, Any], passes: bool, nulls_pass: bool) -> None:
    assert accepts(ListFilter.of(**wanted), summary(), NOW) is passes
    assert accepts(ListFilter.of(**wanted), NULLS, NOW) is nulls_pass


def test_clean_takes_the_verdict_and_the_flags() -> None:
    clean = ListFilter.of(clean=True)
    assert not accepts(clean, summary(verdict="risky"), NOW)
    assert not accepts(clean, summary(flags=["gap"]), NOW)


def test_trust_flow_that_is_not_shown_never_passes() -> None:
    basic = summary()
    del basic["metrics"]["trust_flow"]
    assert not accepts(ListFilter.of(min_tf=1), basic, NOW)
    assert accepts(ListFilter.of(min_tf=1).without_trust_flow(), basic, NOW)


def test_ended_is_never_ending() -> None:
    over = summary(listing={"ends_at": "2026-11-20T18:00:00Z"})
    assert not accepts(ListFilter.of(ending_within_hours=720), over, NOW)


@pytest.mark.parametrize(
    ("since", "passes"),
    [
        (datetime(2026, 11, 20, 12, tzinfo=UTC), True),
        (datetime(2026, 11, 20, 12, 0, 0, 1, tzinfo=UTC), False),
        (datetime(2026, 11, 20, 14, tzinfo=timezone(timedelta(hours=2))), True),
        (datetime(2026, 11, 20, 14, 0, 1, tzinfo=timezone(timedelta(hours=2))), False),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), True),
        (datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=-12))), False),
    ],
)
def test_since_is_a_whole_second_in_any_zone(since: datetime, passes: bool) -> None:
    assert accepts(ListFilter.of(since=since), summary(), NOW) is passes


def test_no_filter_is_no_filter() -> None:
    assert not ListFilter.of(min_score=0, q="", max_price=None)
    assert ListFilter.of(max_price=0)
    assert len({ListFilter.of(tld=["com", ".COM"]), ListFilter.of(tld=["com"])}) == 1


def test_default_order() -> None:
    assert [default_sort(which) for which in ("live", "available", "archive")] == ["score", "score", "ended"]


def test_the_search_text_has_name_unicode_form_and_title() -> None:
    assert search_text("xn--bcher-kva.de", "Straße") == "xn--bcher-kva.de\nbücher.de\nstrasse"
    assert search_text("a.de", None) == "a.de\na.de\n"
    assert search_text("xn--n3h.net", "☃") == "xn--n3h.net\nxn--n3h.net\n☃"


@pytest.mark.parametrize(
    ("ends_at", "passes"),
    [
        ("2026-11-20T23:59:59Z", False),
        ("2026-11-21T00:00:00Z", True),
        ("2026-11-21T23:59:59Z", True),
        ("2026-11-22T00:00:00Z", False),
    ],
)
def test_a_drop_is_on_its_date_in_utc(ends_at: str, passes: bool) -> None:
    dropping = summary(listing={"type": "pending_delete", "ends_at": ends_at}, status="pending_delete")
    assert accepts(ListFilter.of(drops_on=date(2026, 11, 21)), dropping, NOW) is passes


def test_orders_of_the_api_are_columns_with_a_direction() -> None:
    assert orders_of("live", None) == (Order("score", descending=True),)
    assert orders_of("archive", None) == (Order("ends", descending=True),)
    assert orders_of("live", "price") == (Order("price", descending=False),)
    assert orders_of("live", Order("tf", descending=False)) == (Order("tf", descending=False),)


def test_figures_of_full_detail_and_times_without_a_value() -> None:
    assert ListFilter.of(min_tf=5).needs_full
    assert ListFilter.of(min_cf=5).needs_full
    assert not ListFilter.of(min_dr=5).needs_full
    assert ListFilter.of(min_tf=5, min_cf=5, min_dr=5).without_trust_flow() == ListFilter.of(min_dr=5)
    assert not ListFilter.of(since=None, ends_after=None)
