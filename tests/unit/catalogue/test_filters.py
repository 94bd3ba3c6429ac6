"""Filters: what passes, what never passes, and spellings."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from afterdrop.catalogue.filters import ListFilter, Order, accepts, default_sort, order_of, search_text

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


def summary(**values: Any) -> dict[str, Any]:
    metrics = {
        **{"domain_rating": 20, "referring_domains": 100, "archive_years": 5, "archive_first_year": 2016},
        **{"trust_flow": 10, "citation_flow": 12},
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
        "listing": {**listing, **values.get("listing", {})},
    }


NULLS = summary(
    metrics=dict.fromkeys(
        (
            *("domain_rating", "referring_domains", "archive_years", "archive_first_year"),
            *("trust_flow", "citation_flow"),
        )
    ),
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
        ({"min_age": 10}, True, False),
        ({"min_age": 11}, False, False),
        ({"min_bids": 3}, True, False),
        ({"min_bids": 4}, False, False),
        ({"max_bids": 3}, True, True),
        ({"max_bids": 2}, False, True),
        ({"max_price": 50, "unpriced": False}, True, False),
        ({"sources": ["market_a"]}, True, True),
        ({"sources": ["market_b"]}, False, False),
        ({"outcomes": ["caught", "sold"]}, True, False),
        ({"outcomes": ["free"]}, False, False),
        ({"only": None}, True, True),
        ({"only": []}, False, False),
        ({"only": ["xn--bcher-kva.co.uk", "other.com"]}, True, True),
        ({"without": ["other.com"]}, True, True),
        ({"without": ["xn--bcher-kva.co.uk"]}, False, False),
        ({"ends_after": NOW + timedelta(hours=23)}, True, False),
        ({"ends_after": NOW + timedelta(hours=24)}, False, False),
        ({"ends_before": NOW + timedelta(hours=24)}, True, False),
        ({"ends_before": NOW + timedelta(hours=23)}, False, False),
        ({"ends_before": NOW + timedelta(hours=30), "ending_within_hours": 2}, False, False),
        ({"drops_on": date(2026, 11, 21)}, False, False),
        ({"min_ref_domains": 100}, True, False),
        ({"min_ref_domains": 101}, False, False),
        ({"min_archive_years": 5}, True, False),
        ({"min_archive_years": 6}, False, False),
        ({"max_price": 50}, True, True),
        ({"max_price": 49}, False, True),
        ({"max_price": 0}, False, True),
        ({"tlds": [".CO.UK", "com"]}, True, True),
        ({"tlds": ["uk"]}, False, False),
        ({"types": ["auction", "bid"]}, True, True),
        ({"types": ["bid"]}, False, False),
        ({"topics": ["aRTS"]}, True, False),
        ({"topics": ["Games"]}, False, False),
        ({"langs": ["DE"]}, True, False),
        ({"langs": ["en"]}, False, False),
        ({"clean": True}, True, True),
        ({"ending_within_hours": 24}, True, False),
        ({"ending_within_hours": 23}, False, False),
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
    assert len({ListFilter.of(tlds=["com", ".COM"]), ListFilter.of(tlds=["com"])}) == 1


def test_default_order() -> None:
    assert [default_sort(which) for which in ("live", "available", "archive")] == ["score", "score", "ended"]


def test_the_search_text_has_name_unicode_form_and_title() -> None:
    assert search_text("xn--bcher-kva.de", "Straße") == "xn--bcher-kva.de\nbücher.de\nstrasse"
    assert search_text("a.de", None) == "a.de\na.de\n"


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
    assert order_of("live", None) == Order("score", descending=True)
    assert order_of("archive", None) == Order("ends", descending=True)
    assert order_of("live", "price") == Order("price", descending=False)
    assert order_of("live", Order("tf", descending=False)) == Order("tf", descending=False)


def test_figures_of_full_detail_and_times_without_a_value() -> None:
    assert ListFilter.of(min_tf=5).needs_full
    assert ListFilter.of(min_cf=5).needs_full
    assert not ListFilter.of(min_dr=5).needs_full
    assert ListFilter.of(min_tf=5, min_cf=5, min_dr=5).without_trust_flow() == ListFilter.of(min_dr=5)
    assert not ListFilter.of(since=None, ends_after=None)
