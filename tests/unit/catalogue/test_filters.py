"""Filters: what passes, what never passes, and spellings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.search_index import search_text
from afterdrop.catalogue.lists.sort_orders import Order, default_sort, orders_of


def test_no_filter_is_no_filter() -> None:
    assert not ListFilter.of(min_score=0, q="", max_price=None)
    assert ListFilter.of(max_price=0)
    assert len({ListFilter.of(tld=["com", ".COM"]), ListFilter.of(tld=["com"])}) == 1


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("tld", [".CO.UK", "com"], {"co.uk", "com"}),
        ("topic", ["aRTS"], {"Arts"}),
        ("lang", ["DE"], {"de"}),
        ("q", "B\u00dcCHER 50%", {"b\u00fccher 50%"}),
        ("q", "bu\u0308che\u0301r", {"b\u00fcch\u00e9r"}),
        ("exclude", ["casino", "FFENTLICHE"], {"casino", "ffentliche"}),
        ("starts_with", "B\u00dc", {"b\u00fc"}),
        ("tag", [], set()),
    ],
)
def test_spellings_are_folded(name: str, given: Any, kept: set[str]) -> None:
    assert ListFilter.of(**{name: given}).get(name) == kept


@pytest.mark.parametrize(
    ("since", "kept"),
    [
        (datetime(2026, 11, 20, 12, tzinfo=UTC), datetime(2026, 11, 20, 12, tzinfo=UTC)),
        (datetime(2026, 11, 20, 12, 0, 0, 1, tzinfo=UTC), datetime(2026, 11, 20, 12, 0, 1, tzinfo=UTC)),
        (
            datetime(2026, 11, 20, 14, tzinfo=timezone(timedelta(hours=2))),
            datetime(2026, 11, 20, 12, tzinfo=UTC),
        ),
    ],
)
def test_since_is_a_whole_second_in_any_zone(since: datetime, kept: datetime) -> None:
    assert ListFilter.of(since=since).get("since") == kept


def test_no_time_is_too_far() -> None:
    for far in (
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
    ):
        assert ListFilter.of(since=far)


def test_default_order() -> None:
    assert [default_sort(which) for which in ("live", "available", "archive")] == ["score", "score", "ended"]


def test_the_search_text_has_name_unicode_form_and_title() -> None:
    assert search_text("xn--bcher-kva.de", "Straße") == "xn--bcher-kva.de\nbücher.de\nstrasse"
    assert search_text("a.de", None) == "a.de\na.de\n"
    assert search_text("xn--n3h.net", "☃") == "xn--n3h.net\nxn--n3h.net\n☃"


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
