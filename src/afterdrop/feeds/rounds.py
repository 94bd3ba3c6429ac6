"""What a feed row does to a listing that may be known already, and when a domain begins a new round.

Pure. A round is one time on the market: a domain that comes back after seven days without any live listing is found
anew, anything else is a refresh. A row whose end is past never revives anything.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

QUIET = timedelta(days=7)
# How long a listing without an end stays live after an incomplete feed last showed it.
UNSEEN = timedelta(days=3)

Move = Literal["new", "refresh", "relist", "close", "past"]


def live(live_until: datetime | None, withdrawn_at: datetime | None, at: datetime) -> bool:
    """Whether a listing counts as running at `at`."""
    return withdrawn_at is None and (live_until is None or live_until > at)


def move(known: bool, known_live: bool, ends_at: datetime | None, at: datetime) -> Move:
    """What a row seen at `at` does.

    new: a listing not known yet. refresh: a running one's price, bids, end and url change. relist: an ended or
    withdrawn one is offered again, with its end ahead. close: a running one turns out to have ended (its end was
    moved before `at`). past: nothing, the row's end is past.
    """
    if ends_at is not None and ends_at <= at:
        return "close" if known_live else "past"
    if not known:
        return "new"
    return "refresh" if known_live else "relist"


def live_until(ends_at: datetime | None, complete: bool, seen_at: datetime) -> datetime | None:
    """Until when a listing seen at `seen_at` is live: its end; without one, None while a complete feed carries it,
    or three days from now where the feed is not complete."""
    if ends_at is not None or complete:
        return ends_at
    return seen_at + UNSEEN


def begins_round(last_live_until: datetime | None, listed_at: datetime) -> bool:
    """Whether a domain that was last live until `last_live_until` (None: it still is) begins a new round with an
    offer first seen at `listed_at`."""
    return last_live_until is not None and listed_at - last_live_until >= QUIET
