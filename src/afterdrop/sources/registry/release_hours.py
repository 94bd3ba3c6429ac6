"""At what hour registries release dropped names, and which extensions are generic. Pure.

Sources of the hours. Verisign (.com, .net, .cc, .tv): its releases run in the hours from 14:00 in Virginia, by drop
catchers' guides. The Swedish Internet Foundation (.se, .nu): "on the release date, at 04:00 UTC at the earliest", by
its page ".se and .nu domains that may soon be available". Nominet (.uk) publishes the second of each drop in its drop
lists. No other registry's hour has a source newer than 2008.

Generic extensions follow ICANN's expiry policies (ERRP: 30 days of redemption), so that a drop day can be estimated.
Country codes set their own rules, and so do the sponsored extensions that are never sold.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from afterdrop.core import domain_names

# Country codes in other scripts: the public suffix list's entries above its "newGTLDs" mark (2026-10).
_IDN_COUNTRY_CODES = frozenset(
    [
        "xn--2scrj9c",
        "xn--3e0b707e",
        "xn--3hcrj9c",
        "xn--45br5cyl",
        "xn--45brj9c",
        "xn--4dbrk0ce",
        "xn--54b7fta0cc",
        "xn--80ao21a",
        "xn--90a3ac",
        "xn--90ae",
        "xn--90ais",
        "xn--clchc0ea0b2g2a9gcd",
        "xn--d1alf",
        "xn--e1a4c",
        "xn--fiqs8s",
        "xn--fiqz9s",
        "xn--fpcrj9c3d",
        "xn--fzc2c9e2c",
        "xn--gecrj9c",
        "xn--h2breg3eve",
        "xn--h2brj9c",
        "xn--h2brj9c8c",
        "xn--j1amh",
        "xn--j6w193g",
        "xn--kprw13d",
        "xn--kpry57d",
        "xn--l1acc",
        "xn--lgbbat1ad8j",
        "xn--mgb2ddes",
        "xn--mgb9awbf",
        "xn--mgba3a4f16a",
        "xn--mgba3a4fra",
        "xn--mgbaam7a8h",
        "xn--mgbah1a3hjkrd",
        "xn--mgbai9a5eva00b",
        "xn--mgbai9azgqp6j",
        "xn--mgbayh7gpa",
        "xn--mgbbh1a",
        "xn--mgbbh1a71e",
        "xn--mgbc0a9azcg",
        "xn--mgbcpq6gpa1a",
        "xn--mgberp4a5d4a87g",
        "xn--mgberp4a5d4ar",
        "xn--mgbgu82a",
        "xn--mgbpl2fh",
        "xn--mgbqly7c0a67fbc",
        "xn--mgbqly7cvafr",
        "xn--mgbtf8fl",
        "xn--mgbtx2b",
        "xn--mgbx4cd0ab",
        "xn--mix082f",
        "xn--mix891f",
        "xn--nnx388a",
        "xn--node",
        "xn--o3cw4h",
        "xn--ogbpf8fl",
        "xn--p1ai",
        "xn--pgbs0dh",
        "xn--q7ce6a",
        "xn--qxa6a",
        "xn--qxam",
        "xn--rvc1e0am3e",
        "xn--s9brj9c",
        "xn--wgbh1c",
        "xn--wgbl6a",
        "xn--xkc2al3hye2a",
        "xn--xkc2dl3a5ee0h",
        "xn--y9a3aq",
        "xn--yfro4i67o",
        "xn--ygbi2ammx",
    ]
)
_NOT_SOLD = frozenset({"arpa", "edu", "gov", "int", "mil"}) | domain_names.SPECIAL_USE


@dataclass(frozen=True, slots=True)
class ReleaseHour:
    """The hour of the registry's local clock from which it releases names on their drop day."""

    hour: int
    zone: str

    def at(self, day: date) -> datetime:
        """The release on `day`, as aware UTC: the UTC hour moves with the registry's summer time."""
        return datetime.combine(day, time(self.hour), ZoneInfo(self.zone)).astimezone(UTC)


# How long after the release hour a registry may take to release the names of a day.
RELEASE_LASTS = timedelta(hours=2)
# Registries whose drop lists name the second of each drop.
_SECONDS_LISTED = frozenset({"uk"})
_VERISIGN = ReleaseHour(14, "America/New_York")
_INTERNETSTIFTELSEN = ReleaseHour(4, "UTC")
_RELEASE_HOURS = {
    "com": _VERISIGN,
    "net": _VERISIGN,
    "cc": _VERISIGN,
    "tv": _VERISIGN,
    "se": _INTERNETSTIFTELSEN,
    "nu": _INTERNETSTIFTELSEN,
}


def is_generic(domain: str) -> bool:
    """Whether `domain` (lowercase A-labels) stands under a generic extension's own registry.

    Names under a third-level sale zone (`example.uk.com`) do not: the zone's operator makes the rules there.
    """
    top = domain.rpartition(".")[2]
    if len(top) < 3 or top == domain or top in _NOT_SOLD or top in _IDN_COUNTRY_CODES:
        return False
    return domain_names.suffixes().registrable(domain) == domain


def release_hour(domain: str) -> ReleaseHour | None:
    """The release hour of the registry of `domain`, None where it is not known."""
    return _RELEASE_HOURS.get(domain_names.tld(domain))


def release_opens(domain: str, ends_at: datetime) -> datetime | None:
    """When the registry begins to release a name that has dropped by `ends_at` (UTC), None where its hour is not known.

    The hour is counted on the registry's own clock, on the day on which the name is expected to be gone, and it is
    never after `ends_at`. Where the list names the second of the drop, it is that second.
    """
    if names_the_second(domain):
        return ends_at
    hour = release_hour(domain)
    if hour is None:
        return None
    day = (ends_at - timedelta(seconds=1)).astimezone(ZoneInfo(hour.zone)).date()
    return min(hour.at(day), ends_at)


def names_the_second(domain: str) -> bool:
    """Whether the registry's drop list names the second at which `domain` drops."""
    return domain.rpartition(".")[2] in _SECONDS_LISTED


def drop_end(day: date, domain: str) -> datetime:
    """The moment (UTC) by which `domain`, whose drop list names `day` but no hour, has dropped.

    That is two hours after the release hour where the hour is known, else the last second of the day in UTC, so that
    no name is given up before it can have dropped.
    """
    hour = release_hour(domain)
    return hour.at(day) + RELEASE_LASTS if hour else datetime.combine(day, time(23, 59, 59), UTC)
