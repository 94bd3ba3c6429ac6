"""What becomes of a feed row: every combination of row, listing, candidate and filter that differs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import pytest

from afterdrop.feeds.mapping import Row
from afterdrop.feeds.row_outcome import (
    CHANGING,
    ChangingValues,
    KnownCandidate,
    KnownListing,
    StoredRow,
    candidate_step,
    decide,
    offer,
)
from afterdrop.feeds.run_context import FilterVerdict, RunContext
from tests.support.feed_inputs import spec

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


def context(**changes: Any) -> RunContext:
    return RunContext(spec(**changes), 3, 7, NOW, NOW, {}, timedelta(days=30))


def known(
    seen: datetime = PAST, withdrawn: datetime | None = None, seen_run: int = 2, **changes: Any
) -> KnownListing:
    listing = offer(row(), context())
    values = {name: listing[name] for name in CHANGING} | changes
    return KnownListing(seen, withdrawn, seen_run, cast(ChangingValues, values))


@pytest.mark.parametrize(
    ("verdict", "ends_at", "counted_as"),
    [
        ("below", SOON, "below_filter"),
        ("unknown", SOON, "ask"),
        ("below", None, "below_filter"),
        ("below", PAST, "ended"),
        ("pass", PAST, "ended"),
        ("pass", NOW, "ended"),
    ],
)
def test_an_unknown_row_that_is_not_stored(
    verdict: FilterVerdict, ends_at: datetime | None, counted_as: str
) -> None:
    decision = decide(row(ends_at=ends_at), StoredRow(), verdict, context())
    assert (decision.counted_as, decision.listing, decision.seen, decision.candidate) == (
        counted_as,
        None,
        False,
        "",
    )


def test_a_listing_without_an_address_leads_to_its_marketplaces_home() -> None:
    at_home = context(home="https://x.com/market")
    for url, kept in ((None, "https://x.com/market"), ("https://x.com/7", "https://x.com/7")):
        decision = decide(row(url=url), StoredRow(), "pass", at_home)
        assert decision.listing is not None
        assert decision.listing["url"] == kept


def test_a_new_name_that_passes() -> None:
    decision = decide(row(), StoredRow(), "pass", context())
    assert (decision.counted_as, decision.candidate, decision.seen, decision.metrics) == (
        "new",
        "new",
        True,
        True,
    )
    assert decision.listing == {
        "source": "market_a",
        "source_title": None,
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
        "certain_from": None,
        "url": "https://x.com/7",
        "attribution": None,
        "first_seen_at": NOW,
        "last_seen_at": NOW,
        "seen_run": 3,
        "withdrawn_at": None,
    }


def test_an_unchanged_listing_is_only_seen() -> None:
    published = KnownCandidate("settled", "published", PAST)
    decision = decide(row(), StoredRow(known(), published, metrics_changed=False), "pass", context())
    assert (decision.counted_as, decision.listing, decision.seen, decision.candidate) == (
        "unchanged",
        None,
        True,
        "",
    )
    changed = decide(row(), StoredRow(known(), published, metrics_changed=True), "pass", context())
    assert (changed.counted_as, changed.listing, changed.candidate, changed.metrics) == (
        "unchanged",
        None,
        "requeue",
        True,
    )


def test_a_known_listing_without_candidate() -> None:
    assert decide(row(), StoredRow(known(), None), "below", context()).candidate == ""
    assert decide(row(), StoredRow(known(), None), "pass", context()).candidate == "new"


@pytest.mark.parametrize("listing", [known(withdrawn=PAST), known(live_until=PAST, ends_at=PAST)])
def test_a_listing_that_comes_back_is_first_seen_anew(listing: KnownListing) -> None:
    decision = decide(
        row(), StoredRow(listing, KnownCandidate("settled", "published", PAST)), "below", context()
    )
    assert (decision.counted_as, decision.candidate) == ("relisted", "requeue")
    assert decision.listing is not None
    assert (decision.listing["first_seen_at"], decision.listing["withdrawn_at"]) == (NOW, None)


def test_a_past_end_closes_a_running_listing_and_revives_no_other() -> None:
    closed = decide(
        row(ends_at=PAST), StoredRow(known(), KnownCandidate("settled", "published", PAST)), "pass", context()
    )
    assert (closed.counted_as, closed.candidate) == ("closed", "requeue")
    assert closed.listing is not None
    assert closed.listing["live_until"] == PAST
    assert (
        decide(row(ends_at=PAST), StoredRow(known(withdrawn=PAST), None), "pass", context()).counted_as
        == "ended"
    )


@pytest.mark.parametrize(
    ("candidate", "changed", "step"),
    [
        (None, False, "new"),
        (KnownCandidate("due"), True, "touch"),
        (KnownCandidate("held"), True, "touch"),
        (KnownCandidate("settled", "published", PAST), True, "requeue"),
        (KnownCandidate("settled", "published", PAST), False, ""),
        (KnownCandidate("settled", "refreshed", PAST), True, "requeue"),
        (KnownCandidate("settled", "banned", PAST), True, ""),
        (KnownCandidate("settled", "rejected", NOW - 29 * DAY), True, ""),
        (KnownCandidate("settled", "rejected", NOW - 30 * DAY), False, "requeue"),
        (KnownCandidate("settled", "rejected", None), False, "requeue"),
        (KnownCandidate("settled", "not_reviewed_in_time", PAST), False, "requeue"),
        (KnownCandidate("settled", "failed", PAST), False, "requeue"),
    ],
)
def test_the_step_of_a_candidate(candidate: KnownCandidate | None, changed: bool, step: str) -> None:
    assert candidate_step(candidate, changed, context()) == step


def test_a_listing_carries_the_properties_of_its_feed() -> None:
    credit = {"text": "Drop list: X", "url": "https://x.com/"}
    listing = offer(
        row(type="pending_delete", price=None, ends_at=SOON),
        context(registry=True, licence="attribution", attribution=credit, complete=False),
    )
    assert (listing["exact_drop"], listing["attribution"], listing["live_until"]) == (True, credit, SOON)
    endless = offer(row(ends_at=None, price=Decimal("1.5"), currency="EUR"), context(complete=False))
    assert endless["live_until"] == NOW + timedelta(days=3)
    assert endless["price_usd"] is None
    assert "no exchange rate for EUR" in (endless["price_note"] or "")
    assert offer(row(ends_at=None), context())["live_until"] is None


def dropping(domain: str, ends_at: datetime) -> Row:
    return row(domain=domain, type="pending_delete", ends_at=ends_at)


def test_a_row_too_far_ahead_waits_before_anybody_is_asked_about_it() -> None:
    near = context(ahead_days=14)
    far, due = dropping("a.co.uk", NOW + 14 * DAY + timedelta(seconds=1)), dropping("a.co.uk", NOW + 14 * DAY)
    verdicts: tuple[FilterVerdict, ...] = ("pass", "below", "unknown")
    for verdict in verdicts:
        waiting = decide(far, StoredRow(), verdict, near)
        assert (waiting.counted_as, waiting.listing, waiting.seen) == ("waits", None, False)
    assert (
        decide(far, StoredRow(None, KnownCandidate("settled", "published")), "pass", near).counted_as
        == "waits"
    )
    assert decide(far, StoredRow(known(withdrawn=PAST)), "pass", near).counted_as == "waits"
    assert decide(due, StoredRow(), "pass", near).counted_as == "new"
    assert decide(row(ends_at=None), StoredRow(), "pass", near).counted_as == "new"


def test_a_listed_name_whose_end_moves_too_far_ahead_stays_and_is_not_withdrawn() -> None:
    moved = decide(dropping("a.co.uk", NOW + 60 * DAY), StoredRow(known()), "pass", context(ahead_days=14))
    assert (moved.counted_as, moved.seen) == ("refreshed", True)


@pytest.mark.parametrize(
    ("days", "drop", "certain"),
    [
        (None, dropping("a.co.uk", NOW + 9 * DAY), None),
        (5, dropping("a.co.uk", NOW + 9 * DAY), NOW + 4 * DAY),
        # .se is released from 04:00 UTC on; its rows end two hours later
        (0, dropping("a.se", datetime(2026, 11, 28, 6, tzinfo=UTC)), datetime(2026, 11, 28, 4, tzinfo=UTC)),
        # .br names wait for applicants until the round closes
        (0, dropping("a.com.br", NOW + 9 * DAY), NOW + 9 * DAY),
        (5, row(ends_at=NOW + 9 * DAY), None),
        (5, row(type="pending_delete", ends_at=None), None),
    ],
)
def test_from_when_a_drop_is_certain(days: int | None, drop: Row, certain: datetime | None) -> None:
    assert offer(drop, context(certain_within_days=days))["certain_from"] == certain
