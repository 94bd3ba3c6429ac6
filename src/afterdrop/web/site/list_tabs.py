"""What stands above a list: tabs of presets and saved filters, chips, suggestions, ways to widen. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.wider import Wider
from afterdrop.core.time_zones import time_zone
from afterdrop.web.site.languages import language_name
from afterdrop.web.site.list_query import filter_words, filters_of, query_string, shown, tidy_query

PATHS: Final[dict[ListName, str]] = {
    "live": "/domains",
    "available": "/domains/available",
    "archive": "/domains/archive",
}
_ENDINGS: Final = (("Caught", "caught"), ("Renewed", "renewed"), ("Sold", "sold"), ("Free", "free"))


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab: a list with filters. `own` ones are the account's saved filters."""

    title: str
    which: ListName
    values: Mapping[str, str]
    own: bool = False

    @property
    def href(self) -> str:
        """Its address."""
        return PATHS[self.which] + (f"?{query_string(self.values)}" if self.values else "")

    def shows(self, which: ListName, values: Mapping[str, str]) -> bool:
        """Whether a page with this query is the tab's."""
        return self.which == which and filters_of(self.values) == filters_of(values)


def presets(which: ListName, now: datetime, zone: str, since: datetime | None) -> list[Tab]:
    """The presets of a list; `since` is when the account last looked at it."""
    if which == "archive":
        told = [Tab(title, "archive", {"outcome": word}) for title, word in _ENDINGS]
        return [Tab("All", "archive", {}), *told]
    local = now.astimezone(time_zone(zone))
    tabs = [
        Tab("All", "live", {}),
        Tab("Ending today", "live", {"ends_by": f"{local:%Y-%m-%d}"}),
        Tab("Under $100", "live", {"max_price": "100", "priced": "true"}),
        Tab("Drops tomorrow", "live", {"drops_on": f"{now.astimezone(UTC) + timedelta(days=1):%Y-%m-%d}"}),
        Tab("Free now", "available", {}),
    ]
    if since is not None:
        seen = since.astimezone(time_zone(zone))
        day = f"{seen:%A}" if now - since < timedelta(days=6) else f"{seen.day} {seen:%b}"
        when = f"{seen:%H:%M}" if seen.date() == local.date() else day
        tabs.append(
            Tab(f"New since {when}", "live", {"since": f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"})
        )
    return tabs


def saved_tabs(saved: Iterable[tuple[str, ListName, str]]) -> Sequence[Tab]:
    """The saved filters (name, list, query string) as tabs."""
    return [Tab(name, which, tidy_query(query.encode())[1], own=True) for name, which, query in saved]


# Filters that most hunts begin with, each one click away.
_SUGGESTED: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("English", {"lang": "en"}),
    ("No flags", {"clean": "true"}),
    ("TF ≥ 20", {"min_tf": "20"}),
    ("≤ $100", {"max_price": "100", "priced": "true"}),
    ("48 h", {"ending_within_hours": "48"}),
)


def suggested(which: ListName, filters: Mapping[str, str]) -> list[tuple[str, Mapping[str, str]]]:
    """Filters to offer beside those in use, as their words and what they add to the address."""
    ends = {"ending_within_hours", "ends_by", "drops_on"}
    used = {*filters, *(ends if ends & set(filters) or which != "live" else ())}
    return [(title, values) for title, values in _SUGGESTED if not used & set(values)]


# The same on a chip, where room is short.
_CHIPS: Final = {
    "min_score": "Score ≥ {}",
    "min_dr": "DR ≥ {}",
    "min_tf": "TF ≥ {}",
    "min_cf": "CF ≥ {}",
    "min_ref_domains": "Ref. domains ≥ {}",
    "min_archive_years": "Years ≥ {}",
    "min_age": "Age ≥ {}",
    "min_bids": "Bids ≥ {}",
    "max_bids": "Bids ≤ {}",
    "max_price": "≤ ${} or none",
    "clean": "No flags",
    "priced": "With a price",
    "tld": ".{}",
}


def chips_of(values: Mapping[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """The filters of the query as chips: a few words, and the names that go when the chip is taken away."""
    said = filter_words(values)
    told = {name: shape.format(shown(values[name])) for name, shape in _CHIPS.items() if name in values}
    said |= told
    if "lang" in values:
        said["lang"] = ", ".join(language_name(code) for code in values["lang"].split(",")[:4])
    if "priced" in said and "max_price" in said:
        said.pop("priced")
        said["max_price"] = f"≤ ${shown(values['max_price'])}"
    chips = [(text[:1].upper() + text[1:], (name,)) for name, text in said.items() if name != "q"]
    return [(text, ("max_price", "priced") if names == ("max_price",) else names) for text, names in chips]


# Members of the catalogue's filter that the address calls by other names.
_PARAMETERS: Final = {
    "tlds": "tld",
    "types": "type",
    "topics": "topic",
    "langs": "lang",
    "sources": "source",
    "outcomes": "outcome",
    "only": "tag",
    "unpriced": "priced",
    "ends_before": "ends_by",
}


def widened(
    ways: Iterable[tuple[Wider, int]], here: Callable[..., str], chips: Mapping[str, str]
) -> list[tuple[str, str, int]]:
    """Ways to widen an empty list, as words, address and how many domains there are then."""
    found = []
    for way, total in ways:
        name = _PARAMETERS.get(way.name, way.name)
        gone = ("unseen", "unrejected") if name == "without" else (name,)
        if way.value is None:
            text = "Without: " + ", ".join(chips[each] for each in gone if each in chips)
        else:
            text = filter_words({name: str(way.value)})[name]
            text = text[:1].upper() + text[1:]
        changes = {each: None if way.value is None else str(way.value) for each in gone}
        found.append((text, here(page=None, open=None, **changes), total))
    return found
