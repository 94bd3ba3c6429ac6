"""What became of a domain that ended, and what widens an empty list."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest

from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.wider import wider
from afterdrop.catalogue.outcomes import outcome
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import BECAME
from afterdrop.catalogue.summary import site_row
from tests.support.oracle import accepts
from tests.support.rows import DAY, FREE, LINKS, NOW, PRO, row

ENDED: dict[str, Any] = {
    **{"ends_at": NOW - 10 * DAY, "certain_from": None, "announced": False, "caught_after_drop": False},
    **dict.fromkeys(
        (
            "resolved_at",
            "availability",
            "available_since",
            "registrar",
            "registered_at",
            "life",
            "last_owner_links",
            "live_links",
        )
    ),
    **{"last_open_on": None, "open_now": False, "removed_at": None},
}
KEPT = {"resolved_at": NOW, "availability": "registered", "registrar": "Some Registrar"}


def ended(**values: Any) -> SummaryRow:
    return cast(SummaryRow, row("a.com", **{**ENDED, **values}))


@pytest.mark.parametrize(
    ("values", "became"),
    [
        ({}, "unknown"),
        ({"availability": "registered"}, "unknown"),
        ({**KEPT, "availability": "dropping"}, "unknown"),
        ({**KEPT, "bids": 1, "type": "auction"}, "sold"),
        ({**KEPT, "bids": 1, "type": "bid"}, "sold"),
        ({**KEPT, "bids": 0, "type": "bid"}, "renewed"),
        ({**KEPT, "bids": 1, "type": "buy_now"}, "renewed"),
        ({**KEPT, "type": "pending_delete", "bids": 0}, "renewed"),
        ({**KEPT, "caught_after_drop": True}, "caught"),
        ({"announced": True, "availability": "available"}, "free"),
    ],
)
def test_what_became_of_it(values: dict[str, Any], became: str) -> None:
    assert outcome(ended(**values))["became"] == became


@pytest.mark.parametrize(
    ("since", "registered", "days"),
    [
        (NOW - 5 * DAY, NOW - 2 * DAY - timedelta(hours=1), 2),
        (NOW - DAY, NOW - 2 * DAY, 0),
        (None, NOW, None),
        (NOW, None, None),
    ],
)
def test_how_soon_it_was_caught(since: Any, registered: Any, days: int | None) -> None:
    caught = {**KEPT, "caught_after_drop": True, "available_since": since, "registered_at": registered}
    told = outcome(ended(**caught))
    assert told == {"became": "caught", "registrar": "Some Registrar", "days": days}


FOUND_FREE = {"announced": True, "availability": "available", "available_since": NOW - DAY}
CAUGHT = {**KEPT, "caught_after_drop": True, "available_since": NOW - 5 * DAY, "registered_at": NOW - 2 * DAY}


def test_only_who_may_know_that_it_is_free_is_told_so() -> None:
    free = ended(**FOUND_FREE)
    assert site_row(free, PRO, NOW, LINKS)["outcome"] == {"became": "free", "registrar": None, "days": None}
    opened = cast(SummaryRow, {**free, "last_open_on": "2026-11-01"})
    assert accepts(ListFilter.of(outcome=["free"]), site_row(opened, FREE, NOW, LINKS), NOW)


@pytest.mark.parametrize("values", [{}, KEPT, {**KEPT, "bids": 1, "type": "bid"}, CAUGHT, FOUND_FREE])
def test_others_are_told_the_same_whatever_became_of_it(values: dict[str, Any]) -> None:
    told = site_row(ended(**values), FREE, NOW, LINKS)
    assert told["outcome"] is None
    assert not any(accepts(ListFilter.of(outcome=[what]), told, NOW) for what in BECAME)


def test_who_caught_it_is_told_to_those_who_see_the_registration() -> None:
    opened = ended(**{**CAUGHT, "last_open_on": "2026-11-01"})
    assert site_row(opened, FREE, NOW, LINKS)["outcome"] == {
        "became": "caught",
        "registrar": None,
        "days": None,
    }
    for row_, viewer in ((opened, PRO), (cast(SummaryRow, {**opened, "open_now": True}), FREE)):
        told = site_row(row_, viewer, NOW, LINKS)["outcome"]
        assert told == {"became": "caught", "registrar": "Some Registrar", "days": 3}


def test_a_live_domain_has_no_outcome() -> None:
    assert site_row(ended(ends_at=NOW + DAY, live_until=NOW + DAY), PRO, NOW, LINKS)["outcome"] is None


def test_one_filter_at_a_time_is_made_wider_or_left_out() -> None:
    wanted = ListFilter.of(ending_within_hours=48, max_price=100, min_tf=20, lang=["en"], clean=True)
    ways = [(way.name, way.value) for way in wider(wanted)]
    assert ways == [
        *(("ending_within_hours", hours) for hours in (120, 336, 720)),
        *(("max_price", price) for price in (250, 500, 1000, 5000)),
        ("min_tf", 10),
        *((name, None) for name in ("min_tf", "max_price", "lang", "clean", "ending_within_hours")),
    ]
    assert wider(wanted)[0].wanted == ListFilter.of(
        ending_within_hours=120, max_price=100, min_tf=20, lang=["en"], clean=True
    )
    assert wider(ListFilter()) == []
    assert [(way.name, way.value) for way in wider(ListFilter.of(min_score=1))] == [("min_score", None)]
