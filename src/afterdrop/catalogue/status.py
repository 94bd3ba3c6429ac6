"""A domain's status: computed when asked for, never stored. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal, TypedDict

from afterdrop.feeds import row_outcome

Status = Literal["listed", "ending_soon", "pending_delete", "available", "ended"]
ListName = Literal["live", "available", "archive"]
Became = Literal["renewed", "sold", "caught", "free", "unknown"]
BECAME: Final[tuple[Became, ...]] = ("renewed", "sold", "caught", "free", "unknown")

ENDING_SOON: Final = timedelta(hours=24)
STATUSES_OF: Final[dict[ListName, frozenset[Status]]] = {
    "live": frozenset({"listed", "ending_soon", "pending_delete"}),
    "available": frozenset({"available"}),
    "archive": frozenset({"available", "ended"}),
}


def is_live(live_until: datetime | None, now: datetime) -> bool:
    """Live until its end; at the very second of its end it is ended. None: live without a known end.

    `store.live` says the same in SQL.
    """
    return row_outcome.is_live(live_until, None, now)


def is_certain(certain_from: datetime | None, now: datetime) -> bool:
    """Whether a listed name will drop at its end, and not only may. None: that was certain from the first."""
    return certain_from is None or certain_from <= now


def status(
    listing_type: str | None,
    ends_at: datetime | None,
    live_until: datetime | None,
    announced: bool,
    now: datetime,
) -> Status:
    """The status at `now` of a domain that shows a listing of `listing_type` ending at `ends_at`.

    `live_until` is the latest end of all its listings, `announced` whether the registry re-check announced it as
    dropped and unregistered.
    """
    if not is_live(live_until, now):
        return "available" if announced else "ended"
    if listing_type == "pending_delete":
        return "pending_delete"
    if ends_at is not None and ends_at - now < ENDING_SOON:
        return "ending_soon"
    return "listed"


class Outcome(TypedDict):
    """The outcome of a domain after its end.

    `registrar` is the one of a caught domain, `days` how many whole days after the drop it was registered: both None
    where they are not known, as when nobody saw it free.
    """

    became: Became
    registrar: str | None
    days: int | None
