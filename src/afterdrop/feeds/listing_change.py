"""What a feed row does to a listing that may be known already.

Pure. A row whose end is past never revives anything. A listing that comes back counts as first seen anew, so that
publishing can tell how long its domain was off the market (a new round needs seven days without a live listing).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

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
