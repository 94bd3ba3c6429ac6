"""The columns of the lists: what each shows, which are there by default, and how an account arranges them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from afterdrop.catalogue.status import ListName


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
        Column("life", "Life", "Life", about="What was there, from 2000 to today"),
        Column("score", "Score", "Score", "score"),
        Column("tf", "Trust Flow", "TF", "tf", number=True, about="Trust Flow: how close links are to trusted sites"),
        Column("cf", "Citation Flow", "CF", "cf", number=True, about="Citation Flow: how many links there are"),
        Column("dr", "Domain Rating", "DR", "dr", number=True, about="Domain Rating: the strength of all links"),
        Column("refs", "Referring domains", "Ref. dom.", "ref_domains", number=True, about="Domains that link to it"),
        Column("years", "Years", "Years", "years", number=True, about="Years with captures in the web archive"),
        Column("price", "Price and bids", "Price · bids", "price", falling=False, number=True),
        Column("market", "Marketplace", "Marketplace", "marketplace", falling=False),
        Column("ends", "End", "Ends", "ends", falling=False),
        Column("outcome", "What became of it", "Outcome"),
        Column("flags", "Flags", "Flags", about="Risks we found"),
        Column("topic", "Topic and language", "Topic"),
        Column("found", "Found", "Found", "found"),
        Column("tags", "Your tags and note", "Tags"),
    )
}  # fmt: skip
_FIGURES: Final = ("life", "score", "tf", "cf", "dr", "refs", "years", "price")
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


def with_choice(kept: object, which: ListName, chosen: Sequence[str]) -> dict[str, Any]:
    """What the account stores after it chose the columns of one list; no column at all gives the default back."""
    others = {name: keys for name, keys in kept.items() if name != which} if isinstance(kept, dict) else {}
    return {**others, which: list(chosen)} if chosen else others
