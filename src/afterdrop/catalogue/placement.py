"""Where a reviewed domain belongs: on the list or not, in which round, and what each audience sees of it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from afterdrop.catalogue.attribution import credits_owed
from afterdrop.catalogue.listings import Listing, Showing, begins_round, showing
from afterdrop.catalogue.status import is_live
from afterdrop.catalogue.vetting import Vetting, facts, view
from afterdrop.metrics.model import Metrics
from afterdrop.review.history.domain_history import History

Outcome = Literal["published", "refreshed", "rejected", "not_reviewed_in_time"]
Vet = Callable[[History, Metrics, int | None], Vetting]
# What the registry said belongs to the time after an end; a domain on the market again starts afresh.
_NO_REGISTRY: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("availability", "checked_at", "first_free_at", "available_since", "recheck_at"), None),
    **dict.fromkeys(("resolved_at", "registrar", "registered_at", "expires_at", "estimated_drop"), None),
    **dict.fromkeys(("announced", "caught_after_drop"), False),
}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a domain when it is placed. `standing` is its row of `domains`.

    `fresh`: the review is still valid. `restored`: an operator put it back on the list and means it.
    """

    listings: Sequence[Listing]
    metrics: Metrics
    standing: Mapping[str, Any] | None = None
    fresh: bool = True
    restored: bool = False

    @property
    def public_listings(self) -> list[Listing]:
        """Those that may be shown to everybody."""
        return [listing for listing in self.listings if not listing.gated]

    @property
    def reserves(self) -> bool:
        """Whether a licence reserves any of it for operators."""
        return any(offer.gated for offer in self.listings) or any(
            value.gated for value in self.metrics.every()
        )

    @property
    def public(self) -> bool:
        """Whether everybody sees the domain already."""
        return self.standing is not None and not self.standing["gated"]

    def alive(self, now: datetime) -> bool:
        """Whether a listing is live, for the audience that sees the domain: rounds are theirs."""
        offers = self.public_listings if self.public else self.listings
        return any(offer.live(now) for offer in offers)


@dataclass(frozen=True, slots=True)
class Placement:
    """What to store. `row` None: nothing changes but, with `take_off`, that the domain leaves every list.

    `reserved` is the operators' view where it differs. `match`: alert rules are to be held against it.
    """

    outcome: Outcome
    score: int | None = None
    reasons: tuple[str, ...] = ()
    row: Mapping[str, Any] | None = None
    reserved: Mapping[str, Any] | None = None
    match: bool = False
    take_off: str | None = None

    @property
    def changes(self) -> bool:
        """Whether readers of the lists may notice."""
        return self.row is not None or self.take_off is not None


@dataclass(frozen=True, slots=True)
class _Audience:
    """One audience's side: what it would see, and why it would not be listed for it."""

    vetting: Vetting
    shown: Showing | None
    listings: Sequence[Listing]

    def listable(self, *, anew: bool, restored: bool, now: datetime) -> bool:
        """A new round needs a live listing and every condition; within its round a listed domain stays."""
        if self.shown is None or not anew:
            return self.shown is not None
        refused = [each for each in self.vetting.refusals if not (restored and each.code == "spam_history")]
        return not refused and any(listing.live(now) for listing in self.listings)

    def columns(self) -> dict[str, Any]:
        """The view columns."""
        assert self.shown is not None
        columns = {**view(self.vetting), **listing_columns(self.shown)}
        offers = (self.shown.shown, *(listing for _, listing in self.shown.later))
        owed = credits_owed(columns["report"]["attributions"], (offer.attribution for offer in offers))
        columns["report"]["attributions"] = owed
        if self.shown.shown.price_note and columns["price_usd"] is None:
            columns["report"]["score_notes"]["price"] = self.shown.shown.price_note
        return columns


def listing_columns(shown: Showing) -> dict[str, Any]:
    """The columns of a view that come from listings."""
    return {
        **_offer(shown.shown),
        "ends_at": shown.shown.shown_end,
        "live_until": shown.live_until,
        "turns_at": shown.later[0][0] if shown.later else None,
        "later": [
            {**_offer(listing), "from": _seconds(moment), "ends_at": _seconds(listing.shown_end)}
            for moment, listing in shown.later
        ]
        or None,
    }


def _offer(listing: Listing) -> dict[str, Any]:
    return {
        "source": listing.source,
        "type": listing.type,
        "price_usd": None if listing.type == "pending_delete" else listing.price_usd,
        "bids": listing.bids,
        "url": listing.url,
    }


def _seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())


def place(history: History, known: Known, vet: Vet, now: datetime, day: str) -> Placement:
    """Decide about a domain with a finished review. `day` is the scan's, `vet` as `vetting.vet` but for the time."""
    standing = known.standing
    if standing is not None and standing["removed_at"] is not None:
        return Placement("rejected", reasons=(standing["removed_reason"] or "Taken off the list.",))
    everyone = _audience(history, known.metrics, known.listings, vet, now)
    public = everyone
    if known.reserves:
        public = _audience(history, known.metrics.for_viewer(False), known.public_listings, vet, now)
    points, reasons = everyone.vetting.scored.points, tuple(everyone.vetting.reject_reasons)
    if everyone.vetting.spam and not known.restored:
        return Placement("rejected", points, reasons, take_off=None if standing is None else reasons[0])
    alive = known.alive(now)
    anew = standing is None or (alive and begins_round(standing["live_until"], now))
    if anew and not alive:
        return Placement("not_reviewed_in_time", points, ("The listing ended before its review.",))
    if anew and not known.fresh:
        return Placement("rejected", points, ("Its review is too old for a new round.",))
    to_public = public.listable(anew=anew or not known.public, restored=known.restored, now=now)
    if not to_public and (
        (anew and known.public) or not everyone.listable(anew=anew, restored=known.restored, now=now)
    ):
        return Placement("rejected", points, reasons)
    return _placed(history, known, public if to_public else None, everyone, now, day if anew else None)


def _audience(
    history: History, metrics: Metrics, listings: Sequence[Listing], vet: Vet, now: datetime
) -> _Audience:
    shown = showing(listings, now)
    price = None if shown is None else _offer(shown.shown)["price_usd"]
    return _Audience(vet(history, metrics, price), shown, listings)


def _placed(
    history: History,
    known: Known,
    public: _Audience | None,
    everyone: _Audience,
    now: datetime,
    new_on: str | None,
) -> Placement:
    standing = known.standing
    theirs = everyone.columns()
    ours = theirs if public is None or public is everyone else public.columns()
    row = {"domain": history.domain, **facts(history), "gated": public is None, **ours, "updated_at": now}
    if new_on is not None:
        round_ = 1 if standing is None else standing["round"] + 1
        row |= {"round": round_, "found_at": now, "hunt_day": new_on, "rank_on_hunt_day": None}
    if standing is not None and not is_live(standing["live_until"], now) and known.alive(now):
        row |= _NO_REGISTRY
    shown_first = standing is not None and standing["gated"] and public is not None
    return Placement(
        "published" if new_on is not None else "refreshed",
        ours["score"],
        row=row,
        reserved=None if ours == theirs else theirs,
        match=new_on is not None or shown_first,
    )
