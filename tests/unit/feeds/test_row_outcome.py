"""What becomes of a feed row: every combination of row, listing, candidate and filter that differs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from afterdrop.feeds.mapping import Row
from afterdrop.feeds.row_outcome import (
    CHANGING,
    Judgement,
    KnownCandidate,
    KnownListing,
    RunContext,
    candidate_step,
    decide,
    offer,
)
from tests.unit.feeds.given import spec

NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)
SOON = NOW + timedelta(hours=30)
PAST = NOW - timedelta(hours=1)
DAY = timedelta(days=1)


def row(**changes: Any) -> Row:
    values: dict[str, Any] = {
        "line": 1,
        "domain": "a.com",
        "key": "7",
        "url": "https://x.com/7",
        "type": "bid",
        "price": Decimal(12),
        "currency": "USD",
        "bids": 1,
        "ends_at": SOON,
        "metrics": {"trust_flow": 9},
        "notes": (),
    }
    return Row(**{**values, **changes})


def occasion(**changes: Any) -> RunContext:
    return RunContext(spec(**changes), 3, NOW, {}, timedelta(days=30))


def known(seen: datetime = PAST, withdrawn: datetime | None = None, **changes: Any) -> KnownListing:
    values = {name: value for name, value in offer(row(), occasion()).items() if name in CHANGING}
    return KnownListing(seen, withdrawn, {**values, **changes})


@pytest.mark.parametrize(
    ("judgement", "ends_at", "fate"),
    [
        ("below", SOON, "below_filter"),
        ("unknown", SOON, "ask"),
        ("below", None, "below_filter"),
        ("below", PAST, "ended"),
        ("pass", PAST, "ended"),
        ("pass", NOW, "ended"),
    ],
)
def test_an_unknown_row_that_is_not_stored(judgement: Judgement, ends_at: datetime | None, fate: str) -> None:
    decision = decide(row(ends_at=ends_at), None, None, judgement, occasion())
    assert (decision.fate, decision.listing, decision.seen, decision.candidate) == (fate, None, False, "")


def test_a_new_name_that_passes() -> None:
    decision = decide(row(), None, None, "pass", occasion())
    assert (decision.fate, decision.candidate, decision.seen, decision.metrics) == ("new", "new", True, True)
    assert decision.listing == {
        "source": "market_a",
        "external_id": "7",
        "feed": "sample",
        "domain": "a.com",
        "type": "bid",
        "price_usd": 12,
        "price_note": None,
        "bids": 1,
        "ends_at": SOON,
        "live_until": SOON,
        "exact_drop": False,
        "url": "https://x.com/7",
        "gated": False,
        "attribution": None,
        "first_seen_at": NOW,
        "last_seen_at": NOW,
        "seen_run": 3,
        "withdrawn_at": None,
    }


def test_a_second_offer_of_a_candidate_needs_no_filter() -> None:
    decision = decide(row(), None, KnownCandidate("settled", "published", PAST), "below", occasion())
    assert (decision.fate, decision.candidate) == ("new", "again")


def test_a_banned_name_is_not_taken_in() -> None:
    assert decide(row(), None, None, "pass", occasion(), banned=True).fate == "banned"
    assert decide(row(), None, None, "below", occasion(), banned=True).fate == "banned"
    refreshed = decide(row(bids=2), known(), KnownCandidate("due"), "pass", occasion(), banned=True)
    assert (refreshed.fate, refreshed.candidate) == ("refreshed", "")


def test_a_known_listing_is_refreshed_whatever_the_filter_says() -> None:
    decision = decide(row(bids=4), known(PAST - DAY), KnownCandidate("due"), "below", occasion())
    assert (decision.fate, decision.candidate) == ("refreshed", "touch")
    assert decision.listing is not None
    assert (decision.listing["bids"], decision.listing["first_seen_at"]) == (4, PAST - DAY)


def test_an_unchanged_listing_is_only_seen() -> None:
    published = KnownCandidate("settled", "published", PAST)
    decision = decide(row(), known(), published, "pass", occasion(), metrics_changed=False)
    assert (decision.fate, decision.listing, decision.seen, decision.candidate) == (
        "unchanged",
        None,
        True,
        "",
    )
    changed = decide(row(), known(), published, "pass", occasion(), metrics_changed=True)
    assert (changed.fate, changed.listing, changed.candidate, changed.metrics) == (
        "unchanged",
        None,
        "again",
        True,
    )


def test_a_known_listing_without_candidate() -> None:
    assert decide(row(), known(), None, "below", occasion()).candidate == ""
    assert decide(row(), known(), None, "pass", occasion()).candidate == "new"


@pytest.mark.parametrize("listing", [known(withdrawn=PAST), known(live_until=PAST, ends_at=PAST)])
def test_a_listing_that_comes_back_is_first_seen_anew(listing: KnownListing) -> None:
    decision = decide(row(), listing, KnownCandidate("settled", "published", PAST), "below", occasion())
    assert (decision.fate, decision.candidate) == ("relisted", "again")
    assert decision.listing is not None
    assert (decision.listing["first_seen_at"], decision.listing["withdrawn_at"]) == (NOW, None)


def test_a_past_end_closes_a_running_listing_and_revives_no_other() -> None:
    closed = decide(
        row(ends_at=PAST), known(), KnownCandidate("settled", "published", PAST), "pass", occasion()
    )
    assert (closed.fate, closed.candidate) == ("closed", "again")
    assert closed.listing is not None
    assert closed.listing["live_until"] == PAST
    assert decide(row(ends_at=PAST), known(withdrawn=PAST), None, "pass", occasion()).fate == "ended"


@pytest.mark.parametrize(
    ("candidate", "changed", "step"),
    [
        (None, False, "new"),
        (KnownCandidate("due"), True, "touch"),
        (KnownCandidate("held"), True, "touch"),
        (KnownCandidate("settled", "published", PAST), True, "again"),
        (KnownCandidate("settled", "published", PAST), False, ""),
        (KnownCandidate("settled", "refreshed", PAST), True, "again"),
        (KnownCandidate("settled", "banned", PAST), True, ""),
        (KnownCandidate("settled", "rejected", NOW - 29 * DAY), True, ""),
        (KnownCandidate("settled", "rejected", NOW - 30 * DAY), False, "again"),
        (KnownCandidate("settled", "rejected", None), False, "again"),
        (KnownCandidate("settled", "not_reviewed_in_time", PAST), False, "again"),
        (KnownCandidate("settled", "failed", PAST), False, "again"),
    ],
)
def test_what_a_candidate_does(candidate: KnownCandidate | None, changed: bool, step: str) -> None:
    assert candidate_step(candidate, changed, occasion()) == step


def test_offers_carry_what_their_feed_is() -> None:
    credit = {"text": "Drop list: X", "url": "https://x.com/"}
    listing = offer(
        row(type="pending_delete", price=None, ends_at=SOON),
        occasion(registry=True, licence="attribution", attribution=credit, complete=False),
    )
    assert (listing["exact_drop"], listing["attribution"], listing["live_until"]) == (True, credit, SOON)
    assert offer(row(), occasion(licence="own_use"))["gated"] is True
    endless = offer(row(ends_at=None, price=Decimal("1.5"), currency="EUR"), occasion(complete=False))
    assert endless["live_until"] == NOW + timedelta(days=3)
    assert endless["price_usd"] is None
    assert "no exchange rate for EUR" in endless["price_note"]
    assert offer(row(ends_at=None), occasion())["live_until"] is None
