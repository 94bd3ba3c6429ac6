"""The table of registries' rules for people: short texts, on the command line and in the guide. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import time

from typing_extensions import TypedDict

from afterdrop.sources.registry.registry_rules import Days, RegistryRule, Release, registry_rules

_NOTHING = "-"
_SOLD = {
    "auction": "auction of the registry",
    "waiting_list": "waiting list of the registry",
    "session": "session for registrars",
}


class RuleRow(TypedDict):
    """One registry's rule. Days are numbers or spans; what is not published is a dash."""

    extensions: str
    registry: str
    grace: str
    redemption: str
    pending_delete: str
    release: str
    sold_first: str
    list: str
    source: str
    year: str
    inferred: str


HEADS: Sequence[str] = [name.replace("_", " ") for name in RuleRow.__annotations__]


def rule_rows(rules: Mapping[str, RegistryRule] | None = None) -> list[RuleRow]:
    """The rows of `rules` (by default the shipped ones), one for each registry, as the data file orders them."""
    distinct = {id(rule): rule for rule in (rules or registry_rules()).values()}
    return [_row(rule) for rule in distinct.values()]


def _row(rule: RegistryRule) -> RuleRow:
    marks = {rule.quarantine: " (quarantine)"}
    return {
        "extensions": _extensions(rule),
        "registry": rule.registry,
        "grace": _days(rule.grace),
        "redemption": _days(rule.redemption) + marks.get("redemption", ""),
        "pending_delete": _days(rule.pending_delete) + marks.get("pending_delete", ""),
        "release": _release(rule.release),
        "sold_first": _SOLD[rule.sold_first] if rule.sold_first else "anybody",
        "list": ", ".join(rule.list) or _NOTHING,
        "source": rule.source,
        "year": str(rule.year or _NOTHING),
        "inferred": "yes" if rule.inferred else "no",
    }


def _extensions(rule: RegistryRule) -> str:
    """For whom a row holds: extensions, or all those of an RDAP server."""
    if rule.extensions and rule.extensions != ("*",):
        return " ".join(f".{extension}" for extension in rule.extensions)
    if rule.servers:
        return f"{'generic' if rule.extensions else 'others'} at {', '.join(rule.servers)}"
    return "generic"


def _days(days: Days | None) -> str:
    if days is None:
        return _NOTHING
    return str(days[0]) if days[0] == days[1] else f"{days[0]}-{days[1]}"


def _release(release: Release | None) -> str:
    if release is None:
        return _NOTHING
    if release.second_listed:
        return "the second that the list names"
    if release.every_hour:
        return "every hour, on the hour"
    if release.lasts_minutes is not None:
        return f"within {release.lasts_minutes} minutes from the moment that the answer names"
    clocks = " or ".join(map(_clock, release.at))
    until = f"-{_clock(release.closes)}" if release.closes else ""
    day = f"{release.weekday.capitalize()}s, " if release.weekday else ""
    guide = f" (a guide of {release.year}, not the registry)" if release.by == "guide" else ""
    return f"{day}{clocks}{until} {release.zone}{guide}"


def _clock(at: time) -> str:
    return f"{at:%H:%M}"
