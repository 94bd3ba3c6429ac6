"""What becomes of one feed row, given what is stored already.

Pure. Known listings are always refreshed; a new name becomes a listing and a candidate when it passes the authority
filter, or when its domain is a candidate already through another offer.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from afterdrop.feeds.listing_change import live, live_until, move
from afterdrop.feeds.mapping import Row
from afterdrop.feeds.prices import in_usd
from afterdrop.feeds.spec import FeedSpec

Judgement = Literal["pass", "below", "unknown"]
# What is counted: one of these per row. `ask` is not counted yet: its metrics are asked for first.
Fate = Literal[
    "new", "refreshed", "unchanged", "relisted", "closed", "ended", "below_filter", "ask", "banned"
]
CandidateStep = Literal["", "new", "touch", "again"]

# What an offer may change from one scan to the next.
CHANGING = (
    "feed",
    "domain",
    "type",
    "price_usd",
    "price_note",
    "bids",
    "ends_at",
    "live_until",
    "exact_drop",
    "url",
    "gated",
)


class KnownListing(NamedTuple):
    """A stored listing: when it was first seen and withdrawn, and the values of CHANGING."""

    first_seen_at: datetime
    withdrawn_at: datetime | None
    values: Mapping[str, Any]


class KnownCandidate(NamedTuple):
    """A stored candidate: state due, held or settled; outcome and time once settled; its soonest end."""

    state: str
    outcome: str | None = None
    settled_at: datetime | None = None
    ends_at: datetime | None = None


class RunContext(NamedTuple):
    """What all rows of one run share. `at` is the scan's start, `review_valid` how long a rejection stands."""

    spec: FeedSpec
    run_id: int
    at: datetime
    rates: Mapping[str, float]
    review_valid: timedelta


class RowOutcome(NamedTuple):
    """What to store for a row: the whole listing, or only that it was seen; what its candidate does; its metrics."""

    fate: Fate
    listing: dict[str, Any] | None = None
    seen: bool = False
    candidate: CandidateStep = ""
    metrics: bool = False


_ENDED, _ASK, _BELOW = RowOutcome("ended"), RowOutcome("ask"), RowOutcome("below_filter")


def decide(
    row: Row,
    known: KnownListing | None,
    candidate: KnownCandidate | None,
    judgement: Judgement,
    occasion: RunContext,
    *,
    banned: bool = False,
    metrics_changed: bool = True,
) -> RowOutcome:
    """What becomes of `row`. `judgement` is the authority filter's on its metrics, `metrics_changed` whether the
    feed says other figures of the name than are stored."""
    if known is None and candidate is None and not banned and judgement != "pass":
        # Most rows of most files: nobody knows them, and they do not pass.
        if row.ends_at is not None and row.ends_at <= occasion.at:
            return _ENDED
        return _ASK if judgement == "unknown" else _BELOW
    running = known is not None and live(known.values["live_until"], known.withdrawn_at, occasion.at)
    step = move(known is not None, running, row.ends_at, occasion.at)
    if step == "past":
        return _ENDED
    if step == "new" and banned:
        return RowOutcome("banned")
    listing = offer(row, occasion)
    if known is None:
        return RowOutcome("new", listing, True, candidate_step(candidate, True, occasion), metrics_changed)
    if step != "relist":
        listing["first_seen_at"] = known.first_seen_at
    changed = step != "refresh" or any(listing[name] != known.values[name] for name in CHANGING)
    stirred = changed or metrics_changed
    follows: CandidateStep = ""
    if not banned and (candidate is not None or judgement == "pass"):
        follows = candidate_step(candidate, stirred, occasion)
    fate: Fate = _FATES[step] if changed else "unchanged"
    return RowOutcome(fate, listing if changed else None, True, follows, metrics_changed and follows != "")


_FATES: dict[str, Fate] = {"refresh": "refreshed", "relist": "relisted", "close": "closed"}


def candidate_step(candidate: KnownCandidate | None, changed: bool, occasion: RunContext) -> CandidateStep:
    """What a name's candidate row does: be made, be brought up to date while it waits, or be due again.

    A published one is due again when its offer changed (it is scored anew, not fetched again). A rejected one stays
    rejected as long as its review is valid.
    """
    if candidate is None:
        return "new"
    if candidate.state != "settled":
        return "touch"
    if candidate.outcome in ("published", "refreshed"):
        return "again" if changed else ""
    if candidate.outcome == "banned":
        return ""
    if candidate.outcome == "rejected":
        over = candidate.settled_at is None or candidate.settled_at + occasion.review_valid <= occasion.at
        return "again" if over else ""
    return "again"


def offer(row: Row, occasion: RunContext) -> dict[str, Any]:
    """The row of the table `listings` that a feed row describes, as a first offer."""
    spec = occasion.spec
    price, note = in_usd(row.price, row.currency, occasion.rates)
    return {
        "source": spec.source,
        "external_id": row.key,
        "feed": spec.name,
        "domain": row.domain,
        "type": row.type,
        "price_usd": price,
        "price_note": note,
        "bids": row.bids,
        "ends_at": row.ends_at,
        "live_until": live_until(row.ends_at, spec.complete, occasion.at),
        "exact_drop": spec.registry and row.type == "pending_delete" and row.ends_at is not None,
        "url": row.url,
        "gated": spec.gated,
        "attribution": spec.attribution.model_dump() if spec.attribution else None,
        "first_seen_at": occasion.at,
        "last_seen_at": occasion.at,
        "seen_run": occasion.run_id,
        "withdrawn_at": None,
    }
