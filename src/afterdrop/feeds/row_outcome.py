"""The outcome of one feed row: its changes to the listing and the candidate that are stored already.

Pure. Known listings are always refreshed. A new name becomes a listing and a candidate when it passes the authority
filter, or when its domain is a candidate already through another offer. A row whose end is past never revives a
listing. A listing that comes back counts as first seen anew, so that publishing can tell how long its domain was off
the market (a new round needs seven days without a live listing).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, TypedDict, get_args

from afterdrop.feeds.currency import Rates, usd
from afterdrop.feeds.mapping import Row
from afterdrop.feeds.run_context import FilterVerdict, RunContext
from afterdrop.feeds.spec import FeedSpec
from afterdrop.sources.registry.release_hours import drop_begins

# How long a listing without an end stays live after an incomplete feed last showed it.
UNSEEN = timedelta(days=3)

# What a row does to its listing: the function `listing_change` explains the words.
ListingChange = Literal["new", "refresh", "relist", "close", "past"]
# What a row counts as in its run; every row counts once. `ask` is not final: its metrics are asked for first.
CountedAs = Literal[
    "new",
    "refreshed",
    "unchanged",
    "relisted",
    "closed",
    "ended",
    "waits",
    "below_filter",
    "ask",
    "banned",
    "duplicate",
]
CandidateStep = Literal["", "new", "touch", "requeue"]

# What an offer may change from one scan to the next.
Changing = Literal[
    "feed",
    "source_title",
    "domain",
    "type",
    "price_usd",
    "price_note",
    "bids",
    "ends_at",
    "live_until",
    "exact_drop",
    "certain_from",
    "url",
]
CHANGING: tuple[Changing, ...] = get_args(Changing)
_CURRENCY_SPELLINGS = {"$": "USD", "US$": "USD", "$US": "USD", "€": "EUR", "£": "GBP"}


class ChangingValues(TypedDict):
    """The columns of a listing that an offer may change."""

    feed: str
    source_title: str | None
    domain: str
    type: str
    price_usd: int | None
    price_note: str | None
    bids: int
    ends_at: datetime | None
    live_until: datetime | None
    exact_drop: bool
    certain_from: datetime | None
    url: str | None


class ListingRow(ChangingValues):
    """A row of the table `listings` as intake writes it."""

    source: str
    external_id: str
    attribution: dict[str, str] | None
    first_seen_at: datetime
    last_seen_at: datetime
    seen_run: int
    withdrawn_at: datetime | None


class KnownListing(NamedTuple):
    """A stored listing: when it was first seen and withdrawn, the run that saw it, and what its offer may change."""

    first_seen_at: datetime
    withdrawn_at: datetime | None
    seen_run: int | None
    values: ChangingValues


class KnownCandidate(NamedTuple):
    """A stored candidate: its state, its outcome and time once it is settled, and its soonest end."""

    state: str
    outcome: str | None = None
    settled_at: datetime | None = None
    ends_at: datetime | None = None


class StoredRow(NamedTuple):
    """The stored state of a row: its listing, its candidate, and whether the operator banned its domain.

    `metrics_changed` says whether the feed gives other metrics of the name than are stored.
    """

    listing: KnownListing | None = None
    candidate: KnownCandidate | None = None
    banned: bool = False
    metrics_changed: bool = True


class RowOutcome(NamedTuple):
    """The values to store for a row.

    `listing` is the listing to write; None with `seen` only notes that it was in the file. `candidate` is the step
    of its candidate, and `metrics` says whether its metrics are stored.
    """

    counted_as: CountedAs
    listing: ListingRow | None = None
    seen: bool = False
    candidate: CandidateStep = ""
    metrics: bool = False


_ENDED, _WAITS, _DUPLICATE = RowOutcome("ended"), RowOutcome("waits"), RowOutcome("duplicate")
_COUNTED_AS: dict[ListingChange, CountedAs] = {
    "refresh": "refreshed",
    "relist": "relisted",
    "close": "closed",
}


def decide(row: Row, stored: StoredRow, verdict: FilterVerdict, context: RunContext) -> RowOutcome:
    """The outcome of `row`; `verdict` is the authority filter's on its metrics."""
    known, candidate, banned, metrics_changed = stored
    if known is None and candidate is None and not banned and verdict != "pass":
        # Most rows of most files: they are not known and do not pass.
        out_of_time = untimely(row.ends_at, context.spec, context.at)
        return RowOutcome(out_of_time or ("ask" if verdict == "unknown" else "below_filter"))
    known_live = known is not None and is_live(known.values["live_until"], known.withdrawn_at, context.at)
    change = listing_change(known is not None, known_live, row.ends_at, context.at)
    runs = change == "close" and known is not None and known.seen_run == context.run_id
    if runs or change == "past":
        return _DUPLICATE if runs else _ENDED  # another row of the same file says that it runs
    if change in ("new", "relist") and too_far_ahead(row.ends_at, context.spec, context.at):
        return _WAITS
    if change == "new" and banned:
        return RowOutcome("banned")
    listing = offer(row, context)
    if known is None:
        return RowOutcome("new", listing, True, candidate_step(candidate, True, context), metrics_changed)
    if change != "relist":
        listing["first_seen_at"] = known.first_seen_at
    offer_changed = change != "refresh" or any(listing[name] != known.values[name] for name in CHANGING)
    step: CandidateStep = ""
    if not banned and (candidate is not None or verdict == "pass"):
        step = candidate_step(candidate, offer_changed or metrics_changed, context)
    counted_as: CountedAs = _COUNTED_AS[change] if offer_changed else "unchanged"
    return RowOutcome(
        counted_as, listing if offer_changed else None, True, step, metrics_changed and step != ""
    )


def is_live(live_until: datetime | None, withdrawn_at: datetime | None, at: datetime) -> bool:
    """Whether a listing counts as running at `at`."""
    return withdrawn_at is None and (live_until is None or live_until > at)


def listing_change(known: bool, known_live: bool, ends_at: datetime | None, at: datetime) -> ListingChange:
    """The change that a row seen at `at` makes to its listing.

    new: the listing is not known yet. refresh: price, bids, end and url of a running listing change. relist: an ended
    or withdrawn listing is offered again, with its end ahead. close: a running listing has ended after all (its end
    was moved before `at`), unless the same file says that it runs. past: nothing, because the row's end is past.
    """
    if is_past(ends_at, at):
        return "close" if known_live else "past"
    if not known:
        return "new"
    return "refresh" if known_live else "relist"


def is_past(ends_at: datetime | None, at: datetime) -> bool:
    """Whether a row's end has passed at `at`."""
    return ends_at is not None and ends_at <= at


def too_far_ahead(ends_at: datetime | None, spec: FeedSpec, at: datetime) -> bool:
    """Whether a row waits at `at`: its feed lists names only some days ahead, and its end is further off."""
    ahead = spec.ahead_days
    return ahead is not None and ends_at is not None and ends_at > at + timedelta(days=ahead)


def untimely(ends_at: datetime | None, spec: FeedSpec, at: datetime) -> Literal["ended", "waits"] | None:
    """The result for a row that nobody knows, whatever its figures, where its end is past or too far ahead."""
    if is_past(ends_at, at):
        return "ended"
    return "waits" if too_far_ahead(ends_at, spec, at) else None


def certain_from(row: Row, spec: FeedSpec) -> datetime | None:
    """From when it is certain that the name will drop; None where the feed's word is certain from the first.

    The days are counted back from the hour of release where it is known, else from the beginning of the day.
    """
    if spec.certain_within_days is None or row.ends_at is None or row.type != "pending_delete":
        return None
    begins = drop_begins(row.domain, row.ends_at) or row.ends_at
    return begins - timedelta(days=spec.certain_within_days)


def live_until(ends_at: datetime | None, complete: bool, seen_at: datetime) -> datetime | None:
    """Until when a listing seen at `seen_at` is live: its end, if it has one.

    Without an end the answer is None while a complete feed carries the listing, and `UNSEEN` after `seen_at` where
    the feed is not complete.
    """
    if ends_at is not None or complete:
        return ends_at
    return seen_at + UNSEEN


def candidate_step(candidate: KnownCandidate | None, changed: bool, context: RunContext) -> CandidateStep:
    """The step of a name's candidate: it is made, brought up to date while it waits, or queued again.

    A published one is queued again when its offer changed (it is scored anew, not fetched again). A rejected one stays
    rejected as long as its review is valid.
    """
    if candidate is None:
        return "new"
    if candidate.state != "settled":
        return "touch"
    if candidate.outcome in ("published", "refreshed"):
        return "requeue" if changed else ""
    if candidate.outcome == "banned":
        return ""
    if candidate.outcome == "rejected":
        expired = candidate.settled_at is None or candidate.settled_at + context.review_valid <= context.at
        return "requeue" if expired else ""
    return "requeue"


def offer(row: Row, context: RunContext) -> ListingRow:
    """The row of the table `listings` that a feed row describes, as a first offer."""
    spec = context.spec
    price, note = in_usd(row.price, row.currency, context.rates)
    return {
        "source": spec.source,
        "source_title": spec.title,
        "external_id": row.key,
        "feed": spec.name,
        "domain": row.domain,
        "type": row.type,
        "price_usd": price,
        "price_note": note,
        "bids": row.bids,
        "ends_at": row.ends_at,
        "live_until": live_until(row.ends_at, spec.complete, context.at),
        "exact_drop": spec.registry and row.type == "pending_delete" and row.ends_at is not None,
        "certain_from": certain_from(row, spec),
        # A marketplace that gives no address of its listing is entered at its front door.
        "url": row.url or spec.home,
        "attribution": spec.attribution.model_dump() if spec.attribution else None,
        "first_seen_at": context.at,
        "last_seen_at": context.at,
        "seen_run": context.run_id,
        "withdrawn_at": None,
    }


def in_usd(price: Decimal | None, currency: str, rates: Mapping[str, float]) -> tuple[int | None, str | None]:
    """A price in whole US dollars, halves rounded up, and None; or None and the sentence that says why there is none.

    `rates` are units of a currency for one US dollar.
    """
    if price is None:
        return None, None
    code = _CURRENCY_SPELLINGS.get(currency, currency)
    if not code:
        return None, f"the feed names {price} without a currency"
    known = {code: Decimal(str(rates[code]))} if code in rates else {}
    dollars = usd(price, code, Rates(date.min, known))
    if dollars is None:
        return None, f"no exchange rate for {code[:20]} ({price} {code[:20]})"
    return dollars, None
