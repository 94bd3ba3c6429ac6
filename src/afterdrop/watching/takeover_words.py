"""The takeover of a name, in words: who has it since when, and what stands there. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from afterdrop.catalogue.visits import VisitRow
from afterdrop.core.safe_text import one_line
from afterdrop.core.time_zones import time_zone
from afterdrop.review.history.after_life import AfterLifeKind

# A registration that began so long before somebody noticed is no new one.
_NEWLY: Final = timedelta(days=60)
# What stands there, as a sentence goes on after "Since 12 Dec 2026:".
_STANDS: Final[dict[AfterLifeKind, str]] = {
    "same": "the same site as before",
    "other": "another site",
    "parked": "a parking page",
    "for_sale": "for sale",
    "redirected": "sends its visitors away",
    "spam": "spam",
    "nothing": "no site",
    "unclear": "could not be told",
}


def registered_again(row: VisitRow) -> datetime | None:
    """When the registry registered the name anew; None where it does not say, or an auction handed it on as it was."""
    at = row["registered_at"]
    if at is not None and row["dropped_at"] is None and row["began_at"] - at > _NEWLY:
        return None
    return at


def passed(row: VisitRow, zone: str = "UTC") -> str:
    """The sentence about the new holder: "Registered again on 3 Dec 2026 at X, 9 days after it dropped."."""
    at = registered_again(row)
    words = (
        f"Registered again on {_day(at, zone)}" if at else f"A new holder since {_day(row['began_at'], zone)}"
    )
    if row["registrar"]:
        words += f" at {one_line(row['registrar'], 80).removesuffix('.')}"
    return f"{words}{_wait(at, row['dropped_at'])}."


def _wait(registered_at: datetime | None, dropped_at: datetime | None) -> str:
    if registered_at is None or dropped_at is None:
        return ""
    days = max((registered_at - dropped_at).days, 0)
    if not days:
        return ", on the day it dropped"
    return f", {days} day{'' if days == 1 else 's'} after it dropped"


def status_phrase(row: VisitRow) -> str:
    """The words for the page there: "spam (gambling)", "for sale at USD 900", "sends its visitors to other.com"."""
    kind = row["kind"] or "unclear"
    if kind == "spam" and row["category"]:
        return f"spam ({row['category']})"
    if kind == "for_sale" and row["price"]:
        return f"for sale at {row['price']}"
    if kind == "redirected" and row["leads_to"]:
        return f"sends its visitors to {row['leads_to']}"
    return _STANDS[kind]


def status_sentence(since: datetime, row: VisitRow, zone: str = "UTC") -> str:
    """The same with the day since which it is so, and the reason where the kind alone does not say it."""
    why = f" ({row['note']})" if row["note"] and row["kind"] in ("nothing", "unclear") else ""
    if row["kind"] == "unclear":
        return f"On {_day(since, zone)} it {status_phrase(row)}{why}."
    return f"Since {_day(since, zone)}: {status_phrase(row)}{why}."


def is_news(row: VisitRow, before: VisitRow | None) -> bool:
    """Whether a visit tells followers more than `before`, the last one after the same registration that told anything.

    That nothing stands at a name just registered is no news, and what could not be told is none either.
    """
    if row["kind"] in (None, "unclear"):
        return False
    return row["kind"] != "nothing" if before is None else _differ(row, before)


def spans(rows: Sequence[VisitRow]) -> list[tuple[datetime, VisitRow]]:
    """The pages that stood there one after the other, the newest first, each with the time at which it was first seen.

    `rows` are the visits of one name, the newest first. Visits that could not tell change nothing. The page first seen
    after a registration is there since the registration: a day or two later would be a second date for one fact.
    """
    stood: list[tuple[datetime, VisitRow]] = []
    for row in reversed(rows):
        at = row["visited_at"] or row["began_at"]
        if row["day"] == 0 and row["kind"] != "unclear":
            at = registered_again(row) or row["began_at"]
        first, last = stood[-1] if stood else (at, row)
        if not stood or last["began_at"] != row["began_at"]:
            stood.append((at, row))
        elif row["kind"] != "unclear" and last["kind"] == "unclear":
            stood[-1] = (at, row)
        elif row["kind"] != "unclear" and _differ(row, last):
            stood.append((at, row))
        elif row["kind"] != "unclear":
            stood[-1] = (first, row)
    return stood[::-1]


def _differ(row: VisitRow, before: VisitRow) -> bool:
    kinds = [(each["kind"], each["category"], each["leads_to"]) for each in (row, before)]
    return kinds[0] != kinds[1]


def _day(at: datetime, zone: str) -> str:
    local = at.astimezone(time_zone(zone))
    return f"{local.day} {local:%b %Y}"
