"""Where a reviewed domain belongs: on the list or not, in which round, and what is shown of it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from afterdrop.catalogue.attribution import credits_owed
from afterdrop.catalogue.judged_columns import judged_columns, review_columns
from afterdrop.catalogue.listings import Listing, Showing, begins_round, showing
from afterdrop.catalogue.rows import DomainRow, ListingColumns, NextListing, OfferColumns, ViewColumns
from afterdrop.catalogue.status import is_live
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.life import packed, stored_life
from afterdrop.scoring.judge import Judgement
from afterdrop.sources.metrics.model import Metrics

Outcome = Literal["published", "refreshed", "rejected", "unreadable", "not_reviewed_in_time"]
Judge = Callable[[History, Metrics, int | None], Judgement]
# The registry's answers belong to the time after an end; a domain that is on the market again starts without any.
_NO_REGISTRY: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("availability", "checked_at", "available_since"), None),
    **dict.fromkeys(("resolved_at", "registrar", "registered_at", "expires_at", "estimated_drop"), None),
    **dict.fromkeys(("announced", "caught_after_drop"), False),
}


@dataclass(frozen=True, slots=True)
class KnownDomain:
    """The stored state of a domain when it is placed. `row` is its row of `domains`, None when it was never published.

    `fresh`: the review is still valid. `restored`: an operator put it back on the list, and that stands.
    """

    listings: Sequence[Listing]
    metrics: Metrics
    row: DomainRow | None = None
    fresh: bool = True
    restored: bool = False

    def has_live_listing(self, now: datetime) -> bool:
        """Whether a listing is live."""
        return any(listing.live(now) for listing in self.listings)


@dataclass(frozen=True, slots=True)
class Placement:
    """Changes to store. Without a `row` nothing changes, except that with `unlist_reason` the domain leaves every list.

    `match`: alert rules are to be matched against the domain.
    """

    outcome: Outcome
    score: int | None = None
    reasons: tuple[str, ...] = ()
    row: Mapping[str, Any] | None = None
    match: bool = False
    unlist_reason: str | None = None

    @property
    def changes(self) -> bool:
        """Whether readers of the lists may notice."""
        return self.row is not None or self.unlist_reason is not None


def _view(judgement: Judgement, showing: Showing) -> ViewColumns:
    """The columns that show a domain."""
    columns: ViewColumns = {**judged_columns(judgement), **listing_columns(showing)}
    listings = (showing.shown, *(listing for _, listing in showing.next_listings))
    stored = columns["report"]
    stored["attributions"] = credits_owed(
        stored["attributions"], (listing.attribution for listing in listings)
    )
    if showing.shown.price_note and columns["price_usd"] is None:
        stored["score_notes"]["price"] = showing.shown.price_note
    return columns


def listing_columns(showing: Showing) -> ListingColumns:
    """The columns of a view that come from listings."""
    following: list[NextListing] = [
        {
            **_offer(listing),
            "shown_from": int(moment.timestamp()),
            "ends_at": _seconds(listing.shown_end),
            "certain_from": _seconds(listing.certain_from),
        }
        for moment, listing in showing.next_listings
    ]
    return {
        **_offer(showing.shown),
        "ends_at": showing.shown.shown_end,
        "certain_from": showing.shown.certain_from,
        "live_until": showing.live_until,
        "next_listing_at": showing.next_listings[0][0] if following else None,
        "next_listings": following or None,
    }


def _offer(listing: Listing) -> OfferColumns:
    return {
        "source": listing.source,
        "source_title": listing.source_title,
        "type": listing.type,
        "price_usd": shown_price(listing.type, listing.price_usd),
        "bids": listing.bids,
        "url": listing.url,
    }


def shown_price(listing_type: str | None, price_usd: int | None) -> int | None:
    """The price that is shown and scored: a pending delete has none, whatever its feed says."""
    return None if listing_type == "pending_delete" else price_usd


def _seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())


def place(history: History, known: KnownDomain, judge: Judge, now: datetime, day: str) -> Placement:
    """Decide about a domain with a finished review. `day` is the scan's; `judge` is the one judge with its time bound.

    Where `known` was restored by an operator, it has to overrule the spam found.
    """
    row = known.row
    if row is not None and row["removed_at"] is not None:
        return Placement("rejected", reasons=(row["removed_reason"] or "Removed from the list.",))
    shown = showing(known.listings, now)
    judgement = judge(history, known.metrics, None if shown is None else _offer(shown.shown)["price_usd"])
    points, reasons = judgement.score.points, tuple(judgement.reject_reasons)
    if history.unread:
        return Placement("unreadable", reasons=reasons)
    if judgement.spam:
        return Placement("rejected", points, reasons, unlist_reason=None if row is None else reasons[0])
    live = known.has_live_listing(now)
    new_round = row is None or (live and begins_round(row["live_until"], now))
    if new_round and not live:
        return Placement("not_reviewed_in_time", points, ("The listing ended before its review.",))
    if new_round and not known.fresh:
        return Placement("rejected", points, ("Its review is too old for a new listing.",))
    # A new round takes every condition; within its round a listed domain stays.
    if shown is None or (new_round and judgement.refusals):
        return Placement("rejected", points, reasons)
    return _placed(history, known, _view(judgement, shown), now, day if new_round else None)


def _placed(
    history: History, known: KnownDomain, view: ViewColumns, now: datetime, new_round_on: str | None
) -> Placement:
    stored = known.row
    row: dict[str, Any] = {
        "domain": history.domain,
        **review_columns(history),
        "life": packed(stored_life(view["report"]["history"])),
        **view,
        "updated_at": now,
    }
    if new_round_on is not None:
        round_ = 1 if stored is None else stored["round"] + 1
        row |= {"round": round_, "found_at": now, "hunt_day": new_round_on, "rank_on_hunt_day": None}
    if stored is not None and not is_live(stored["live_until"], now) and known.has_live_listing(now):
        row |= _NO_REGISTRY
    return Placement(
        "published" if new_round_on is not None else "refreshed",
        view["score"],
        row=row,
        match=new_round_on is not None,
    )
