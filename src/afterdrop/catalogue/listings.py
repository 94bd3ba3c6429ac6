"""Which of a domain's listings it shows, now and as they end one after another. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

# A running auction over buy now over pending delete.
_RANK = {"bid": 0, "auction": 0, "buy_now": 1, "pending_delete": 2}
NEW_ROUND_AFTER = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Listing:
    """One offer of one domain as its feed last told it.

    It is live until `live_until` (None: until its complete feed no longer carries it) unless withdrawn before.
    Prices are whole US dollars, `price_note` says why one is not known. `gated` offers reach operators only.
    """

    source: str
    external_id: str
    type: str
    price_usd: int | None
    bids: int
    ends_at: datetime | None
    live_until: datetime | None
    url: str | None
    first_seen_at: datetime
    withdrawn_at: datetime | None = None
    gated: bool = False
    attribution: Mapping[str, str] | None = None
    price_note: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Listing:
        """From a row of the table `listings`."""
        return cls(**{name: row[name] for name in cls.__slots__})

    @property
    def end(self) -> datetime | None:
        """When it stops being live: withdrawn, ended or out of sight, whichever was first."""
        if self.withdrawn_at is None:
            return self.live_until
        return self.withdrawn_at if self.live_until is None else min(self.withdrawn_at, self.live_until)

    @property
    def shown_end(self) -> datetime | None:
        """The end to show: the feed's own, or the scan that missed it when that was before."""
        if self.withdrawn_at is None:
            return self.ends_at
        return self.withdrawn_at if self.ends_at is None else min(self.withdrawn_at, self.ends_at)

    def live(self, now: datetime) -> bool:
        """Whether it is live at `now`; at the very second of its end it is not."""
        return self.end is None or now < self.end


@dataclass(frozen=True, slots=True)
class Showing:
    """What a domain shows from `now` on: `shown` until the first of `later`, whose members follow at their times.

    `live_until` is the end of the domain as a whole: of the last listing to end, None while one has no known end.
    """

    shown: Listing
    live_until: datetime | None
    later: tuple[tuple[datetime, Listing], ...] = ()


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
    """What the domain of these listings shows from `now` on; None without any listing.

    When none is live it shows the one that ended last.
    """
    if not listings:
        return None
    shown = best(listings, now)
    if shown is None:
        last = max(listings, key=_ended_last)
        return Showing(last, last.end)
    ends = sorted({listing.end for listing in listings if listing.end is not None and listing.end > now})
    later: list[tuple[datetime, Listing]] = []
    current = shown
    for moment in ends:
        following = best(listings, moment)
        if following is not None and following is not current:
            later.append((moment, following))
            current = following
    endless = any(listing.end is None for listing in listings)
    return Showing(shown, None if endless else ends[-1], tuple(later))


def begins_round(last_live: datetime | None, now: datetime) -> bool:
    """Whether a listing that is live at `now` begins a new round of a domain that was last live until `last_live`.

    None: it still is, without a known end. A new round takes seven days without any live listing.
    """
    return last_live is not None and now - last_live >= NEW_ROUND_AFTER


def shown_at(row: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """A stored view with the listing it shows at `now`, when one that was better has ended since it was written."""
    if row["turns_at"] is None or now < row["turns_at"]:
        return row
    return {**row, **next_listings(row, now)}


def next_listings(row: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The listing columns of a stored view whose `turns_at` has come, as they are at `now`."""
    following = [item for item in row["later"] if item["from"] <= now.timestamp()][-1]
    later = [item for item in row["later"] if item["from"] > now.timestamp()]
    return {
        **{name: following[name] for name in ("source", "type", "price_usd", "bids", "url")},
        "ends_at": _instant(following["ends_at"]),
        "turns_at": _instant(later[0]["from"]) if later else None,
        "later": later or None,
    }


def _instant(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
