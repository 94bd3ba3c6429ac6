"""The outcome of a domain that ended: computed when asked for, never stored. Pure."""

from __future__ import annotations

from typing import Final

from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import Became, Outcome

# Listings that end with a sale when somebody bid.
AUCTIONS: Final = frozenset({"bid", "auction"})


def outcome(row: SummaryRow) -> Outcome:
    """The outcome of the domain of an ended row, for those who may know it (`summary.sees_availability`).

    `free`: dropped and unregistered. `caught`: dropped and registered again. Kept by the registry beyond the time of
    its drop it was `sold` where somebody had bid, else `renewed`. `unknown`: not told yet, or for good.
    `columns` says the same in SQL.
    """
    what = became(row)
    caught, since = what == "caught", row["available_since"]
    days = None
    if caught and since is not None and row["registered_at"] is not None:
        days = max((row["registered_at"] - since).days, 0)
    return {"became": what, "registrar": row["registrar"] if caught else None, "days": days}


def became(row: SummaryRow) -> Became:
    """The word for it."""
    if row["announced"]:
        return "free"
    if row["caught_after_drop"]:
        return "caught"
    if row["resolved_at"] is None or row["availability"] != "registered":
        return "unknown"
    return "sold" if row["type"] in AUCTIONS and row["bids"] else "renewed"
