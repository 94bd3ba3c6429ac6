"""Status and best listing: from listings, registry state and the clock alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.listings import Listing, advance_listing, begins_round, best, showing, shown_at
from afterdrop.catalogue.placement import listing_columns
from afterdrop.catalogue.rows import ListingColumns
from afterdrop.catalogue.status import STATUSES_OF, is_live, status

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
HOUR, DAY, SECOND = timedelta(hours=1), timedelta(days=1), timedelta(seconds=1)


def test_every_status_is_on_one_side_of_the_end() -> None:
    assert not STATUSES_OF["live"] & STATUSES_OF["archive"]
    assert STATUSES_OF["available"] < STATUSES_OF["archive"]


def listing(
    name: str = "a", kind: str = "auction", ends_at: datetime | None = NOW + DAY, **more: object
) -> Listing:
    given_: dict[str, object] = {
        **{"source": "market_a", "external_id": name, "type": kind, "price_usd": 10, "bids": 1},
        "source_title": f"Market of {name}",
        **{"ends_at": ends_at, "live_until": ends_at, "url": None, "first_seen_at": NOW},
        **more,
    }
    return Listing(**given_)  # type: ignore[arg-type]  # values of a row


def test_of_a_row() -> None:
    row = {name: getattr(listing(), name) for name in Listing.__slots__}
    assert Listing.of({**row, "id": 1, "feed": "x"}) == listing()


@pytest.mark.parametrize(
    ("live_until", "ends_at", "withdrawn_at", "end", "shown_end"),
    [
        (None, None, None, None, None),
        (NOW, NOW, None, NOW, NOW),
        (None, None, NOW, NOW, NOW),
        (NOW + DAY, NOW + DAY, NOW, NOW, NOW),
        (NOW - DAY, NOW - DAY, NOW, NOW - DAY, NOW - DAY),
        (NOW + DAY, None, NOW, NOW, NOW),
    ],
)
def test_ends(
    live_until: datetime | None,
    ends_at: datetime | None,
    withdrawn_at: datetime | None,
    end: datetime | None,
    shown_end: datetime | None,
) -> None:
    offer = listing(ends_at=ends_at, live_until=live_until, withdrawn_at=withdrawn_at)
    assert (offer.end, offer.shown_end) == (end, shown_end)
    assert offer.live(NOW) is (end is None or end > NOW)


def test_an_auction_goes_before_buy_now_before_a_drop_then_the_soonest() -> None:
    drop = listing("d", "pending_delete", NOW + HOUR)
    buy = listing("b", "buy_now", None)
    late, soon = listing("l", "bid", NOW + 2 * DAY), listing("s", "auction", NOW + DAY)
    over = listing("o", "auction", NOW)
    assert best([drop, buy, late, soon, over], NOW) is soon
    assert best([drop, buy, over], NOW) is buy
    assert best([drop, over], NOW) is drop
    assert best([over], NOW) is None
    assert best([buy, listing("c", "buy_now", NOW + 9 * DAY)], NOW).external_id == "c"  # type: ignore[union-attr]  # one is live


def test_without_a_live_one_the_last_to_end_is_shown() -> None:
    first, last = listing("f", ends_at=NOW - 2 * DAY), listing("l", "pending_delete", NOW - DAY)
    shown = showing([last, first], NOW)
    assert shown is not None
    assert (shown.shown, shown.live_until, shown.next_listings) == (last, NOW - DAY, ())
    assert showing([], NOW) is None


offers = st.lists(
    st.builds(
        lambda name, kind, hours, gone: listing(
            name,
            kind,
            None if hours is None else NOW + hours * HOUR,
            withdrawn_at=None if gone is None else NOW + gone * HOUR,
        ),
        st.text("abc", min_size=1, max_size=3),
        st.sampled_from(["auction", "bid", "buy_now", "pending_delete"]),
        st.none() | st.integers(-20, 20),
        st.none() | st.integers(-30, 0),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda offer: offer.external_id,
)


@given(offers, st.lists(st.integers(0, 30), max_size=5))
def test_a_stored_view_shows_at_any_later_time_what_its_listings_say(
    found: list[Listing], hours: list[int]
) -> None:
    shown = showing(found, NOW)
    assert shown is not None
    row = listing_columns(shown)
    for later in sorted(hours):
        now = NOW + later * HOUR
        seen = shown_at(row, now)
        expected = best(found, now)
        assert is_live(shown.live_until, now) is (expected is not None)
        if expected is not None:
            assert (seen["source"], seen["source_title"], seen["type"], seen["ends_at"]) == (
                expected.source,
                expected.source_title,
                expected.type,
                expected.shown_end,
            )
            assert status(expected.type, expected.shown_end, shown.live_until, False, now) == status(
                seen["type"], seen["ends_at"], shown.live_until, False, now
            )
        if row["next_listing_at"] is not None and row["next_listing_at"] <= now:
            row = cast(ListingColumns, {**row, **advance_listing(row["next_listings"] or [], now)})
            assert shown_at(row, now) is row


def test_a_stored_view_advances_to_the_listing_that_lasts_longer() -> None:
    first, second = listing("a", "auction", NOW + HOUR), listing("b", "bid", NOW + 2 * HOUR)
    third = listing("c", "bid", NOW + 3 * HOUR)
    shown = showing([first, second, third], NOW)
    assert shown is not None
    row = listing_columns(shown)
    assert shown_at(row, NOW) is row
    then = shown_at(row, NOW + HOUR)
    assert (then["ends_at"], then["next_listing_at"]) == (second.shown_end, NOW + 2 * HOUR)
    last = shown_at(then, NOW + 2 * HOUR)
    assert (last["ends_at"], last["next_listing_at"], last["next_listings"]) == (third.shown_end, None, None)


def test_a_round_begins_after_seven_quiet_days() -> None:
    assert begins_round(NOW - 7 * DAY, NOW)
    assert not begins_round(NOW - 7 * DAY + SECOND, NOW)
    assert not begins_round(None, NOW)
    assert not begins_round(NOW + DAY, NOW)
