"""The rows of a list: its columns, as an account arranged them, and what a row has beside the summary. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from afterdrop.catalogue.drops import when
from afterdrop.catalogue.shapes import SiteRow
from afterdrop.catalogue.status import ListName, Outcome
from afterdrop.core.safe_text import one_line
from afterdrop.watching.desk_rules import UNMARKED, Marks
from afterdrop.web.site import labels

_SOON: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `sort` names the order of its figures, `falling` whether people want the most first."""

    key: str
    title: str
    head: str
    sort: str | None = None
    falling: bool = True
    number: bool = False
    about: str = ""


COLUMNS: Final[Mapping[str, Column]] = {
    column.key: column
    for column in (
        Column("life", "Life", "Life", about="The sites there, from 2000 to today"),
        Column("score", "Score", "Score", "score"),
        Column("tf", "Trust Flow", "TF", "tf", number=True, about="Trust Flow: how close links are to trusted sites"),
        Column("cf", "Citation Flow", "CF", "cf", number=True, about="Citation Flow: how many links there are"),
        Column("dr", "Domain Rating", "DR", "dr", number=True, about="Domain Rating: the strength of all links"),
        Column("refs", "Referring domains", "Ref. domains", "ref_domains", number=True, about="Domains linking to it"),
        Column("live", "Links still there", "Still there", "live_links", number=True, about="Strongest links of today"),
        Column("years", "Years", "Years", "years", number=True, about="Years with captures in the web archive"),
        Column("price", "Price and bids", "Price · bids", "price", falling=False, number=True),
        Column("valuation", "Valuation", "Valuation", "valuation", number=True, about="A marketplace's appraisal"),
        Column("searches", "Searches a month", "Searches", "searches", number=True, about="For the name's words"),
        Column("cpc", "Cost per click", "CPC", "cpc", number=True, about="The price of a click for advertisers"),
        Column("taken", "Extensions taken", "Ext. taken", "taken", number=True, about="Registered under so many more"),
        Column("adult", "Adult", "Adult", about="Whether the marketplace lists it as adult"),
        Column("market", "Marketplace", "Marketplace", "marketplace", falling=False),
        Column("ends", "End", "Ends", "ends", falling=False),
        Column("outcome", "What became of it", "Outcome"),
        Column("flags", "Flags", "Flags", about="Risks we found"),
        Column("topic", "Topic and language", "Topic"),
        Column("found", "Found", "Found", "found"),
        Column("tags", "Your tags and note", "Tags"),
    )
}  # fmt: skip
_FIGURES: Final = ("life", "score", "tf", "dr", "refs", "years", "price")
DEFAULTS: Final[Mapping[ListName, tuple[str, ...]]] = {
    "live": (*_FIGURES, "market", "ends", "flags"),
    "available": (*_FIGURES, "topic", "ends", "flags"),
    "archive": ("life", "score", "tf", "dr", "refs", "years", "price", "ends", "outcome", "flags"),
}


def columns_of(kept: object, which: ListName) -> list[Column]:
    """The columns of a list in order; `kept` is what the account stored. Unknown keys are skipped."""
    mine = kept.get(which) if isinstance(kept, dict) else None
    known = [COLUMNS[key] for key in mine if key in COLUMNS] if isinstance(mine, list) else []
    return known or [COLUMNS[key] for key in DEFAULTS[which]]


def arranged(ticked: Sequence[str], places: Mapping[str, int]) -> list[str]:
    """The ticked columns in the order of their places; those without one come last, as they stand by default."""
    order = {key: at for at, key in enumerate(COLUMNS)}
    known = [key for key in dict.fromkeys(ticked) if key in COLUMNS]
    return sorted(known, key=lambda key: (places.get(key, len(order)), order[key]))


def with_choice(kept: object, which: ListName, chosen: Sequence[str]) -> dict[ListName, list[str]]:
    """The stored columns of an account after it chose those of one list; no column at all gives the default back."""
    others = {name: keys for name, keys in kept.items() if name != which} if isinstance(kept, dict) else {}
    return {**others, which: list(chosen)} if chosen else others


@dataclass(frozen=True, slots=True)
class RowAnnotations:
    """The stored annotations of a page's domains: their lives, and what the account has of its own about them.

    `stages` is what registries say of ended names, `stands` what stands at those with new holders, in words.
    """

    lives: Mapping[str, str] = field(default_factory=dict)
    followed: Collection[str] = ()
    marks: Mapping[str, Marks] = field(default_factory=dict)
    seen: Collection[str] = ()
    stages: Mapping[str, str] = field(default_factory=dict)
    stands: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HuntRow:
    """A row: `life` is None where the viewer may not see it; `soon`: it ends or drops within six hours."""

    item: SiteRow
    life: str | None
    followed: bool
    seen: bool
    soon: bool
    opened: bool
    tags: tuple[str, ...]
    note: str
    outcome: str
    stands: str


def hunt_row(item: SiteRow, kept: RowAnnotations, now: datetime, opened: str) -> HuntRow:
    """The row of a summary; `opened` is the domain whose short report stands beside the list."""
    name, ends = item["domain"], when(item["listing"])
    own = kept.marks.get(name, UNMARKED)
    return HuntRow(
        item=item,
        life=kept.lives.get(name) if item["detail"] == "full" else None,
        followed=name in kept.followed,
        seen=name in kept.seen,
        soon=ends is not None and ends.near(now, _SOON),
        opened=name == opened,
        tags=own.tags,
        note=own.note,
        outcome=", ".join(filter(None, (outcome_words(item["outcome"]), kept.stages.get(name)))),
        stands=kept.stands.get(name, ""),
    )


def outcome_words(outcome: Outcome | None) -> str:
    """The outcome of a domain: `Caught by Gandi after 2 d`; empty for a live one."""
    if outcome is None:
        return ""
    if outcome["became"] != "caught":
        return labels.OUTCOMES[outcome["became"]]
    by = f" by {one_line(outcome['registrar'], 40)}" if outcome["registrar"] else ""
    days = outcome["days"]
    soon = "" if days is None else " the same day" if days == 0 else f" after {days} d"
    return f"Caught{by}{soon}" if by or soon else labels.OUTCOMES["caught"]
