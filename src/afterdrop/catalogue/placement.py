"""Where a reviewed domain belongs: on the list or not, in which round, and what each audience sees of it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, cast

import orjson

from afterdrop.catalogue.attribution import credits_owed
from afterdrop.catalogue.judged_columns import judged_columns, review_columns
from afterdrop.catalogue.listings import Listing, Showing, begins_round, showing, shown_at
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
    """What is stored of a domain when it is placed. `row` is its row of `domains`, None when it was never published.

    `fresh`: the review is still valid. `restored`: an operator put it back on the list, and that stands.
    """

    listings: Sequence[Listing]
    metrics: Metrics
    row: DomainRow | None = None
    fresh: bool = True
    restored: bool = False

    @property
    def public_listings(self) -> list[Listing]:
        """Those that may be shown to everybody."""
        return [listing for listing in self.listings if not listing.gated]

    @property
    def has_reserved(self) -> bool:
        """Whether a licence reserves a listing or a metric value for operators."""
        return any(listing.gated for listing in self.listings) or any(
            value.gated for value in self.metrics.every()
        )

    @property
    def public(self) -> bool:
        """Whether everybody sees the domain already."""
        return self.row is not None and not self.row["gated"]

    def has_live_listing(self, now: datetime) -> bool:
        """Whether a listing is live for the audience that sees the domain: that audience's rounds are counted."""
        listings = self.public_listings if self.public else self.listings
        return any(listing.live(now) for listing in listings)


@dataclass(frozen=True, slots=True)
class Placement:
    """What to store. Without a `row` nothing changes, except that with `unlist_reason` the domain leaves every list.

    `reserved` is the operators' view where it differs. `match`: alert rules are to be matched against the domain.
    """

    outcome: Outcome
    score: int | None = None
    reasons: tuple[str, ...] = ()
    row: Mapping[str, Any] | None = None
    reserved: ViewColumns | None = None
    match: bool = False
    unlist_reason: str | None = None

    @property
    def changes(self) -> bool:
        """Whether readers of the lists may notice."""
        return self.row is not None or self.unlist_reason is not None


@dataclass(frozen=True, slots=True)
class _AudienceView:
    """What one audience would see of the domain, and why it would not be listed for that audience."""

    judgement: Judgement
    shown: Showing | None
    listings: Sequence[Listing]
    kept: ViewColumns | None = None

    def listable(self, *, new_round: bool, now: datetime) -> bool:
        """A new round needs a live listing and every condition; within its round a listed domain stays."""
        if self.shown is None or not new_round:
            return self.shown is not None
        return not self.judgement.refusals and any(listing.live(now) for listing in self.listings)

    def columns(self) -> ViewColumns:
        """The view columns: those stored where they are kept."""
        if self.kept is not None:
            return self.kept
        assert self.shown is not None
        columns: ViewColumns = {**judged_columns(self.judgement), **listing_columns(self.shown)}
        listings = (self.shown.shown, *(listing for _, listing in self.shown.next_listings))
        stored = columns["report"]
        stored["attributions"] = credits_owed(
            stored["attributions"], (listing.attribution for listing in listings)
        )
        if self.shown.shown.price_note and columns["price_usd"] is None:
            stored["score_notes"]["price"] = self.shown.shown.price_note
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


def place(
    history: History, known: KnownDomain, judge: Judge, judge_as_stored: Judge, now: datetime, day: str
) -> Placement:
    """Decide about a domain with a finished review. `day` is the scan's; `judge` is the one judge with its time bound.

    `judge_as_stored` has the time and the weights of the stored row bound, where there is one. Where `known` was
    restored by an operator, both have to overrule the spam found.
    """
    row = known.row
    if row is not None and row["removed_at"] is not None:
        return Placement("rejected", reasons=(row["removed_reason"] or "Removed from the list.",))
    everyone = _audience_view(history, known.metrics, known.listings, judge, now)
    public = everyone
    if known.has_reserved:
        public = _public_view(history, known, judge, judge_as_stored, now)
    points, reasons = everyone.judgement.score.points, tuple(everyone.judgement.reject_reasons)
    if history.unread:
        return Placement("unreadable", reasons=reasons)
    if everyone.judgement.spam:
        return Placement("rejected", points, reasons, unlist_reason=None if row is None else reasons[0])
    live = known.has_live_listing(now)
    new_round = row is None or (live and begins_round(row["live_until"], now))
    if new_round and not live:
        return Placement("not_reviewed_in_time", points, ("The listing ended before its review.",))
    if new_round and not known.fresh:
        return Placement("rejected", points, ("Its review is too old for a new listing.",))
    to_public = public.listable(new_round=new_round or not known.public, now=now)
    if not to_public and (
        (new_round and known.public) or not everyone.listable(new_round=new_round, now=now)
    ):
        return Placement("rejected", points, reasons)
    return _placed(history, known, public if to_public else None, everyone, now, day if new_round else None)


def _audience_view(
    history: History, metrics: Metrics, listings: Sequence[Listing], judge: Judge, now: datetime
) -> _AudienceView:
    shown = showing(listings, now)
    price = None if shown is None else _offer(shown.shown)["price_usd"]
    return _AudienceView(judge(history, metrics, price), shown, listings)


def _public_view(
    history: History, known: KnownDomain, judge: Judge, judge_as_stored: Judge, now: datetime
) -> _AudienceView:
    """Everybody's view of a domain with reserved rows or values, kept as stored where nothing public has changed.

    A score is made at a time, which its price and its age tell. Made anew whenever a reserved row changes, it would
    tell everybody when that was.
    """
    metrics, listings, stored = known.metrics.for_viewer(False), known.public_listings, known.row
    anew = _audience_view(history, metrics, listings, judge, now)
    if stored is None or stored["gated"] or anew.shown is None:
        return anew
    again = _audience_view(history, metrics, listings, judge_as_stored, stored["updated_at"]).columns()
    shown: Mapping[str, Any] = shown_at(stored, now)
    kept = cast(ViewColumns, {name: shown[name] for name in again})
    return replace(anew, kept=kept) if _plain(shown_at(again, now)) == _plain(kept) else anew


def _plain(view: ViewColumns) -> Any:
    """As the database gives it back."""
    return orjson.loads(orjson.dumps(view))


def _placed(
    history: History,
    known: KnownDomain,
    public: _AudienceView | None,
    everyone: _AudienceView,
    now: datetime,
    new_round_on: str | None,
) -> Placement:
    stored = known.row
    operators = everyone.columns()
    shown = operators if public is None or public is everyone else public.columns()
    row: dict[str, Any] = {
        "domain": history.domain,
        **review_columns(history),
        "life": packed(stored_life(shown["report"]["history"])),
        "gated": public is None,
        **shown,
    }
    kept = stored is not None and public is not None and public.kept is not None
    row["updated_at"] = stored["updated_at"] if stored is not None and kept else now
    if new_round_on is not None:
        round_ = 1 if stored is None else stored["round"] + 1
        row |= {"round": round_, "found_at": now, "hunt_day": new_round_on}
        row |= {"rank_on_hunt_day": None, "operators_rank_on_hunt_day": None, "operators_found_at": None}
    if stored is not None and not is_live(stored["live_until"], now) and known.has_live_listing(now):
        row |= _NO_REGISTRY
    first_public = stored is not None and stored["gated"] and public is not None
    if first_public and stored is not None and new_round_on is None:
        # Since when operators have it would tell what is in their feeds, and nobody else would see it as new.
        row |= {"found_at": now, "operators_found_at": stored.get("operators_found_at") or stored["found_at"]}
    return Placement(
        "published" if new_round_on is not None else "refreshed",
        shown["score"],
        row=row,
        reserved=None if shown == operators else operators,
        match=new_round_on is not None or first_public,
    )
