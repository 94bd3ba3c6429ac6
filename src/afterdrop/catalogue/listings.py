"""Which of its listings a domain shows, now and as they end one after another, and when a new round begins. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar, cast

from afterdrop.catalogue.rows import ListingColumns, NextListing
from afterdrop.catalogue.status import is_live
from afterdrop.feeds.spec import ListingType

# A running auction over buy now over pending delete.
_RANK: Final[Mapping[str, int]] = {"bid": 0, "auction": 0, "buy_now": 1, "pending_delete": 2}
# A row of the catalogue, whole or only what a summary needs.
ShownRow = TypeVar("ShownRow", bound=ListingColumns)


@dataclass(frozen=True, slots=True)
class Listing:
    """One offer of one domain, as its feed last described it.

    It is live until `live_until` (None: until its complete feed no longer carries it) unless withdrawn before.
    Prices are whole US dollars; `price_note` says why one is not known. `source_title` is what people call the
    marketplace, None where its feed does not say. Until `certain_from` the name only may drop; None where that was
    certain from the first.
    """

    source: str
    external_id: str
    type: ListingType
    price_usd: int | None
    bids: int
    ends_at: datetime | None
    live_until: datetime | None
    url: str | None
    first_seen_at: datetime
    withdrawn_at: datetime | None = None
    attribution: Mapping[str, str] | None = None
    price_note: str | None = None
    source_title: str | None = None
    certain_from: datetime | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Listing:
        """From a row of the table `listings`."""
        return cls(**{name: row[name] for name in cls.__slots__})

    @property
    def end(self) -> datetime | None:
        """When it stops being live: its own end or its withdrawal, whichever comes first."""
        if self.withdrawn_at is None:
            return self.live_until
        return self.withdrawn_at if self.live_until is None else min(self.withdrawn_at, self.live_until)

    @property
    def shown_end(self) -> datetime | None:
        """The end to show: the feed's own, or the scan that first missed it when that came before."""
        if self.withdrawn_at is None:
            return self.ends_at
        return self.withdrawn_at if self.ends_at is None else min(self.withdrawn_at, self.ends_at)

    def live(self, now: datetime) -> bool:
        """Whether it is live at `now`; at the very second of its end it is not."""
        return is_live(self.end, now)


@dataclass(frozen=True, slots=True)
class Showing:
    """A domain's listing: `shown` until the time of the first of `next_listings`, each of which follows at its time.

    `live_until` is the end of the last listing to end, None while one has no known end.
    """

    shown: Listing
    live_until: datetime | None
    next_listings: tuple[tuple[datetime, Listing], ...] = ()


def best(listings: Iterable[Listing], now: datetime) -> Listing | None:
    """The best live listing at `now`, None when none is live."""
    running = [listing for listing in listings if listing.live(now)]
    return min(running, key=_goodness) if running else None


def _goodness(listing: Listing) -> tuple[int, bool, datetime, str, str]:
    end = listing.shown_end
    return (
        _RANK[listing.type],
        end is None,
        end or datetime.max.replace(tzinfo=UTC),
        listing.source,
        listing.external_id,
    )


def _ended_last(listing: Listing) -> tuple[datetime, str, str]:
    return (listing.end or datetime.min.replace(tzinfo=UTC), listing.source, listing.external_id)


def showing(listings: Sequence[Listing], now: datetime) -> Showing | None:
    """The listing that a domain with these shows from `now` on, and those that follow; None without any listing.

    When none is live, the one that ended last is shown.
    """
    if not listings:
        return None
    shown = best(listings, now)
    if shown is None:
        last = max(listings, key=_ended_last)
        return Showing(last, last.end)
    ends = sorted({listing.end for listing in listings if listing.end is not None and listing.end > now})
    following: list[tuple[datetime, Listing]] = []
    current = shown
    for moment in ends:
        successor = best(listings, moment)
        if successor is not None and successor is not current:
            following.append((moment, successor))
            current = successor
    endless = any(listing.end is None for listing in listings)
    return Showing(shown, None if endless else ends[-1], tuple(following))


def shown_at(row: ShownRow, now: datetime) -> ShownRow:
    """A stored row with the listing it shows at `now`: a better one may have ended since the row was written."""
    if row["next_listing_at"] is None or now < row["next_listing_at"]:
        return row
    return cast(ShownRow, {**row, **advance_listing(row["next_listings"] or [], now)})


def advance_listing(next_listings: Sequence[NextListing], now: datetime) -> dict[str, Any]:
    """The listing columns to change once the first of `next_listings` is due at `now`."""
    current = [item for item in next_listings if item["shown_from"] <= now.timestamp()][-1]
    following = [item for item in next_listings if item["shown_from"] > now.timestamp()]
    return {
        "source": current["source"],
        "source_title": current["source_title"],
        "type": current["type"],
        "price_usd": current["price_usd"],
        "bids": current["bids"],
        "url": current["url"],
        "ends_at": _instant(current["ends_at"]),
        "certain_from": _instant(current["certain_from"]),
        "next_listing_at": _instant(following[0]["shown_from"]) if following else None,
        "next_listings": following or None,
    }


def _instant(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


NEW_ROUND_AFTER: Final = timedelta(days=7)


def begins_round(last_live: datetime | None, now: datetime) -> bool:
    """Whether a listing that is live at `now` begins a new round of a domain that was last live until `last_live`.

    None: it still is, without a known end. A new round takes seven days without any live listing.
    """
    return last_live is not None and now - last_live >= NEW_ROUND_AFTER
