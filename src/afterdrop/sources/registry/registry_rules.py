"""The table of registries' rules: how long a name stays in each stage, and when it is released. Pure.

The rows and their sources stand in `data/registry-rules.toml`. A rule that no registry publishes is absent there, and
nothing is estimated from it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from afterdrop.core.domain_names import suffixes
from afterdrop.sources.registry.bootstrap import shipped_bootstrap, shipped_rdap_servers
from afterdrop.sources.registry.generic_extensions import is_generic

# The least and the most days.
Days = tuple[int, int]
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# A source older than this is told to be old.
_FRESH_YEARS = 2


@dataclass(frozen=True, slots=True)
class Release:
    """When on its day a registry releases names; see the head of the data file for the members."""

    by: Literal["registry", "guide"]
    source: str
    year: int
    at: tuple[time, ...] = ()
    zone: str = "UTC"
    closes: time | None = None
    weekday: Literal["wednesday"] | None = None
    every_hour: bool = False
    lasts_minutes: int | None = None
    second_listed: bool = False

    def moments(self, day: date) -> tuple[datetime, ...]:
        """The moments of release on `day`, as aware UTC, the first first; they follow the zone's summer time."""
        return tuple(self._moment(day, clock) for clock in self.at)

    def last(self, day: date) -> datetime | None:
        """The last moment of release on `day` that is known: the close, or the last of the moments."""
        return self._moment(day, self.closes or self.at[-1]) if self.at else None

    def closing(self, day: date) -> datetime | None:
        """When the release of `day` is over (UTC); None where the registry does not publish it."""
        return self._moment(day, self.closes) if self.closes else None

    def on_or_after(self, day: date) -> date:
        """The first day from `day` on which names are released."""
        if self.weekday is None:
            return day
        return day + timedelta(days=(_WEEKDAYS.index(self.weekday) - day.weekday()) % 7)

    def _moment(self, day: date, clock: time) -> datetime:
        return datetime.combine(day, clock, ZoneInfo(self.zone)).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class RegistryRule:
    """One row of the table; see the head of the data file for the members. Absent days were not published."""

    registry: str
    source: str
    extensions: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    year: int | None = None
    generic: bool = False
    grace: Days | None = None
    redemption: Days | None = None
    pending_delete: Days | None = None
    quarantine: Literal["redemption", "pending_delete"] | None = None
    from_expiry: Days | None = None
    from_redemption: Days | None = None
    from_pending_delete: Days | None = None
    pending_delete_word: Literal["last"] | None = None
    restorable_until: int | None = None
    release: Release | None = None
    zone: str = "UTC"
    sold_first: Literal["auction", "waiting_list", "session"] | None = None
    sold_for: int | None = None
    how_to_buy: str | None = None
    list: tuple[str, ...] = ()
    inferred: bool = False

    def day_begins(self, day: date) -> datetime:
        """The beginning of a day of the registry, as aware UTC."""
        return datetime.combine(day, time(), ZoneInfo(self.zone)).astimezone(UTC)

    def today(self, now: datetime) -> date:
        """The registry's day at `now`."""
        return now.astimezone(ZoneInfo(self.zone)).date()

    def words(self, today: date) -> str:
        """The rule's registry and year, for people: `Nominet (2022)`, `Afnic (2015, not confirmed since)`."""
        return f"{self.registry} ({_dated(self.year, today)})"


def _dated(year: int | None, today: date) -> str:
    if year is None:
        return "of an unknown year"
    return f"{year}, not confirmed since" if year < today.year - _FRESH_YEARS else str(year)


def hour_words(release: Release, today: date) -> str:
    """The source of an hour of release, for people."""
    return f"{release.source} ({_dated(release.year, today)})"


@lru_cache(maxsize=1)
def registry_rules() -> Mapping[str, RegistryRule]:
    """The shipped rows by extension (A-label); `*` holds for generic extensions that have none of their own."""
    document = tomllib.loads(
        files("afterdrop.sources.registry").joinpath("data/registry-rules.toml").read_text(encoding="utf-8")
    )
    rows: list[dict[str, Any]] = document["rules"]
    generic = next(row for row in rows if row.get("extensions") == ["*"])
    full = [{**generic, **row} if row.get("generic") else row for row in rows]
    rules = TypeAdapter(tuple[RegistryRule, ...]).validate_python(full)
    of_extensions = {extension: rule for rule in rules for extension in rule.extensions}
    for rule in rules:
        _add_served(of_extensions, rule)
    return of_extensions


def _add_served(rules: dict[str, RegistryRule], first: RegistryRule) -> None:
    """Let what is sold first at a row's servers hold for their extensions, each beside its own row."""
    bases = {**shipped_rdap_servers(), **shipped_bootstrap().bases}
    served = [extension for extension, base in bases.items() if urlsplit(base).hostname in first.servers]
    joined: dict[int, RegistryRule] = {}
    for extension in served:
        own = rules.get(extension) or (rules["*"] if is_generic(f"name.{extension}") else first)
        rules[extension] = joined.setdefault(id(own), _joined(own, first))


def _joined(own: RegistryRule, first: RegistryRule) -> RegistryRule:
    if own.sold_first or own is first:
        return own
    return replace(
        own,
        registry=first.registry if own.extensions == ("*",) else own.registry,
        servers=first.servers,
        sold_first=first.sold_first,
        sold_for=first.sold_for,
        how_to_buy=first.how_to_buy,
    )


def rule_of(domain: str) -> RegistryRule | None:
    """The rule of the registry of `domain` (lowercase A-labels), None where the table has none.

    Names under a third-level sale zone (`example.uk.com`) have none: the zone's operator makes the rules there.
    """
    # Most names have two labels, and lists ask for each of theirs.
    if domain.count(".") > 1 and suffixes(section="PRIVATE").above(domain) is not None:
        return None
    rules = registry_rules()
    return rules.get(domain.rpartition(".")[2]) or (rules["*"] if is_generic(domain) else None)


def how_to_buy(domain: str) -> str | None:
    """The first buyers of a deleted name of this registry, in a sentence for people; None for "anybody"."""
    rule = rule_of(domain)
    return rule.how_to_buy if rule else None


def day_opens(domain: str | None, day: date | None) -> datetime | None:
    """When the release of `domain` begins on a day of its registry (UTC): at its hour, or with the day itself."""
    if day is None:
        return None
    rule = rule_of(domain) if domain else None
    if rule is None:
        return datetime.combine(day, time(), UTC)
    moments = rule.release.moments(day) if rule.release else ()
    return moments[0] if moments else rule.day_begins(day)
