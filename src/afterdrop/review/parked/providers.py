"""The parking data: providers with their markup and nameservers, and what parked pages say.

Pure. Data: `data/parked.toml`. Who parks a name today, by DNS, is told in `lookups/parking`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from ahocorasick_rs import AhoCorasick, MatchKind

from afterdrop.review.page.phrases import Phrases
from afterdrop.review.page.reading import ParkedKind

KINDS: tuple[ParkedKind, ...] = ("for_sale", "pay_per_click", "hosting_placeholder", "coming_soon")


@dataclass(frozen=True, slots=True)
class Provider:
    """Who parks: markup pieces (`page` ones only beside a phrase) and nameservers."""

    name: str
    kind: ParkedKind
    markup: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    nameservers: tuple[str, ...] = ()

    def owns(self, site: str | None) -> bool:
        """Whether a site is the provider's own, whose pages are no landers."""
        if site is None:
            return False
        name = re.compile(rf"(?:^|[^a-z0-9-]){re.escape(site)}(?:$|[^a-z0-9-])")
        return any(name.search(piece) for piece in (*self.markup, *self.page, *self.nameservers))


@dataclass(frozen=True, slots=True)
class Said:
    """A phrase of parked pages; `weak` when honest pages say it too, `idle` when it tells of no ads."""

    kind: ParkedKind
    phrase: str
    weak: bool
    idle: bool = False


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
        lists = ("markup", "page", "nameservers")
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
    kinds: list[tuple[str, ParkedKind]] = [*((kind, kind) for kind in KINDS), ("idle", "pay_per_click")]
    plain = [
        Said(kind, phrase, False, name == "idle")
        for name, kind in kinds
        for listed in table["phrases"].get(name, {}).values()
        for phrase in listed
    ]
    return plain + [
        Said(kind, phrase, True, name == "idle")
        for name, kind in kinds
        for phrase in table["weak"].get(name, ())
    ]


@lru_cache(maxsize=1)
def fingerprints() -> Fingerprints:
    """The shipped parking data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/parked.toml").read_text("utf-8")
    return Fingerprints(tomllib.loads(text))
