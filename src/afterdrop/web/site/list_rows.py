"""What a list's row shows beside the summary: the life, whether it is followed, seen or open, tags and note. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from afterdrop.catalogue.status import Outcome
from afterdrop.delivery.mail.message import one_line
from afterdrop.desk.rules import UNMARKED, Marks
from afterdrop.web.site import labels

_SOON: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is stored about the domains of a page: their lives, and what the account has of its own about them."""

    lives: Mapping[str, str] = field(default_factory=dict)
    followed: Collection[str] = ()
    marks: Mapping[str, Marks] = field(default_factory=dict)
    seen: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class HuntRow:
    """A row: `life` is None where the viewer may not see it; `soon`: it ends within six hours."""

    item: Mapping[str, Any]
    life: str | None
    followed: bool
    seen: bool
    soon: bool
    opened: bool
    tags: tuple[str, ...]
    note: str
    outcome: str


def hunt_row(item: Mapping[str, Any], kept: Kept, now: datetime, opened: str) -> HuntRow:
    """The row of a summary; `opened` is the domain whose short report stands beside the list."""
    name, ends_at = item["domain"], item["listing"]["ends_at"]
    told = outcome_words(item["outcome"])
    own = kept.marks.get(name, UNMARKED)
    left = None if ends_at is None else datetime.fromisoformat(ends_at) - now
    return HuntRow(
        item,
        kept.lives.get(name) if item["detail"] == "full" else None,
        name in kept.followed,
        name in kept.seen,
        left is not None and timedelta() < left < _SOON,
        name == opened,
        own.tags,
        own.note,
        told,
    )


def outcome_words(outcome: Outcome | None) -> str:
    """What became of a domain: `Caught by Gandi after 2 d`; empty for a live one."""
    if outcome is None:
        return ""
    if outcome["became"] != "caught":
        return labels.OUTCOMES[outcome["became"]]
    by = f" by {one_line(outcome['registrar'], 40)}" if outcome["registrar"] else ""
    days = outcome["days"]
    soon = "" if days is None else " the same day" if days == 0 else f" after {days} d"
    return f"Caught{by}{soon}" if by or soon else labels.OUTCOMES["caught"]
