"""The parking data: providers with their markup, nameservers and addresses, and what parked pages say.

Pure. Data: `data/parked.toml`.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from ahocorasick_rs import AhoCorasick, MatchKind

from afterdrop.review.phrases import Phrases
from afterdrop.review.reading import ParkedKind

KINDS: tuple[ParkedKind, ...] = ("for_sale", "pay_per_click", "hosting_placeholder", "coming_soon")


@dataclass(frozen=True, slots=True)
class Provider:
    """Who parks: markup pieces (`page` ones only beside a phrase), nameservers and address blocks."""

    name: str
    kind: ParkedKind
    markup: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    nameservers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()

    def owns(self, site: str | None) -> bool:
        """Whether a site is the provider's own, whose pages are no landers."""
        if site is None:
            return False
        name = re.compile(rf"(?:^|[^a-z0-9-]){re.escape(site)}(?:$|[^a-z0-9-])")
        return any(name.search(piece) for piece in (*self.markup, *self.page, *self.nameservers))


@dataclass(frozen=True, slots=True)
class Said:
    """A phrase of parked pages; `weak` when honest pages say it too."""

    kind: ParkedKind
    phrase: str
    weak: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A provider's markup found in a page's source; `alone` when it decides without a phrase."""

    provider: Provider
    alone: bool
    start: int
    end: int


class Fingerprints:
    """The parking data in searchable form."""

    def __init__(self, table: dict[str, Any]) -> None:
        lists = ("markup", "page", "nameservers", "addresses")
        self.version: str = table["version"]
        self.providers = tuple(
            Provider(
                row["name"], cast(ParkedKind, row["kind"]), *(tuple(row.get(name, ())) for name in lists)
            )
            for row in table["provider"]
        )
        self._owners = [(p, piece, True) for p in self.providers for piece in p.markup]
        self._owners += [(p, piece, False) for p in self.providers for piece in p.page]
        self._pieces = AhoCorasick([piece for _, piece, _ in self._owners], matchkind=MatchKind.Standard)
        self.said = tuple(_said(table))
        self.phrases = Phrases(said.phrase for said in self.said)

    def marks(self, source: str) -> list[Mark]:
        """Every provider's markup in a page's source, in order of place."""
        lowered = source.replace("İ", "i").lower()
        return [
            Mark(self._owners[number][0], self._owners[number][2], start, end)
            for number, start, end in self._pieces.find_matches_as_indexes(lowered, overlapping=True)
        ]


def _said(table: dict[str, Any]) -> list[Said]:
    plain = [
        Said(kind, phrase, False)
        for kind in KINDS
        for listed in table["phrases"].get(kind, {}).values()
        for phrase in listed
    ]
    return plain + [Said(kind, phrase, True) for kind in KINDS for phrase in table["weak"].get(kind, ())]


@lru_cache(maxsize=1)
def fingerprints() -> Fingerprints:
    """The shipped parking data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/parked.toml").read_text("utf-8")
    return Fingerprints(tomllib.loads(text))


def parking_nameserver(nameserver: str) -> str | None:
    """The parking provider a nameserver belongs to, by name or parent, or None.

    >>> parking_nameserver("ns1.sedoparking.com.")
    'Sedo'
    """
    name = nameserver.strip().strip(".").lower()
    table = _nameservers()
    while name:
        if name in table:
            return table[name]
        name = name.partition(".")[2]
    return None


def parking_address(address: str) -> str | None:
    """The parking provider an IP address belongs to, or None; text that is no address is None too."""
    try:
        wanted = ipaddress.ip_address(address.strip())
    except ValueError:
        return None
    for network, name in _networks():
        if wanted in network:
            return name
    return None


@lru_cache(maxsize=1)
def _nameservers() -> dict[str, str]:
    return {
        name: provider.name
        for provider in reversed(fingerprints().providers)
        for name in provider.nameservers
    }


@lru_cache(maxsize=1)
def _networks() -> tuple[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str], ...]:
    return tuple(
        (ipaddress.ip_network(block), provider.name)
        for provider in fingerprints().providers
        for block in provider.addresses
    )
