"""The owners of links: each link to a domain, and each link text, with the owner of the site who earned it.

Pure. Evidence is when the link was first and last seen, the words that name an owner, and the address linked to. Where
that fits no owner or more than one, nobody is named: unknown is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from urllib.parse import urlsplit

from afterdrop.review.history.life import LifeEra, link_words
from afterdrop.review.history.likeness import shared_words
from afterdrop.review.history.owners import Owner
from afterdrop.review.history.samples import name_words


@dataclass(frozen=True, slots=True)
class Link:
    """One link from `domain` with `text` to `target` (an address of the site), as an index saw it from when to when.

    It stands on `page`; `rating` is the linking site's, 0-100. `era` is the owner who earned it, None where nobody
    knows. A link text alone has no `domain`; `count` is then how many domains link with it.
    """

    text: str
    domain: str = ""
    target: str | None = None
    first_seen: date | None = None
    last_seen: date | None = None
    count: int = 1
    era: int | None = None
    page: str | None = None
    rating: int | None = None
    nofollow: bool | None = None


@dataclass(frozen=True, slots=True)
class LinkShares:
    """How many of the `known` links each owner (`by_era`) earned; the rest is unknown. `last` is the last owner."""

    known: int
    by_era: Mapping[int, int]
    last: int

    @property
    def unknown(self) -> int:
        """Links of which nobody knows who earned them."""
        return self.known - sum(self.by_era.values())

    def share(self, era: int) -> float:
        """The share of the known links that one owner earned, 0–1."""
        return self.by_era.get(era, 0) / self.known


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for the owners of one domain: words that name one alone, and addresses that one alone had."""

    owners: tuple[Owner, ...]
    life: tuple[LifeEra, ...]
    words: Mapping[int, frozenset[str]]
    paths: Mapping[int, frozenset[str]]

    @classmethod
    def of(
        cls, domain: str, owners: Sequence[Owner], life: Sequence[LifeEra], paths: Iterable[tuple[int, str]]
    ) -> Evidence:
        """`paths` are the archived addresses of each owner: `(era, path)`."""
        had: dict[int, set[str]] = {owner.era: set() for owner in owners}
        for era, path in paths:
            had.setdefault(era, set()).add(path.lower())
        common = name_words(domain) | shared_words()
        return cls(
            tuple(owners),
            tuple(era for era in life if era.kind != "gap"),
            _own({owner.era: {word.lower() for word in owner.brand} - common for owner in owners}),
            _own(had),
        )

    def credit(self, link: Link) -> Link:
        """The link with the owner who earned it."""
        if not self.owners:
            return link
        at = _moment(link.first_seen)
        able = [owner.era for owner in self._able(link)]
        words = link_words(link.text)
        named = [era for era in able if words & self.words.get(era, frozenset())]
        linked = [era for era in able if _path(link.target) in self.paths.get(era, frozenset())]
        if len(named) == 1:
            return replace(link, era=named[0])
        if len(linked) == 1:
            return replace(link, era=linked[0])
        if at is not None:
            # Whose site stood at a moment; between two owners, and where no site stood, nobody's.
            before = [era for era in self.life if era.start <= at]
            after = [era for era in self.life if era.start > at]
            around = {era.owner for era in (*before[-1:], *after[:1])}
            if before and at <= before[-1].end:
                around = {before[-1].owner}
            era = around.pop() if len(around) == 1 else None
            return replace(link, era=era if era in able else None)
        return replace(link, era=able[0] if len(self.owners) == 1 and able else None)

    def _able(self, link: Link) -> list[Owner]:
        """The owners who can have earned it: it was not there before their time can have begun."""
        seen = _moment(link.first_seen or link.last_seen)
        if seen is None:
            return list(self.owners)
        return [owner for owner in self.owners if seen >= self._earliest(owner)]

    def _earliest(self, owner: Owner) -> datetime:
        """When the owner's time can have begun at the earliest: when what stood before was last seen."""
        before = [era.end for era in self.life if era.start < owner.start]
        return max(before, default=datetime.min.replace(tzinfo=UTC))


def shares(links: Sequence[Link], evidence: Evidence) -> LinkShares | None:
    """The owners' shares of credited links; None where no link or no owner is known."""
    known = sum(link.count for link in links)
    sites = [era.owner for era in evidence.life if era.owner is not None]
    if not known or not sites:
        return None
    by_era: Counter[int] = Counter()
    for link in links:
        if link.era is not None:
            by_era[link.era] += link.count
    return LinkShares(known, dict(sorted(by_era.items())), sites[-1])


def read_links(items: Iterable[object] | None) -> list[Link] | None:
    """A metric's links (`sources.metrics.model.Metric`); None when nobody was asked.

    Items of another shape are left out.
    """
    if items is None:
        return None
    return [
        Link(
            str(item.get("text") or ""),
            str(item["domain"]),
            str(item["target"]) if item.get("target") else None,
            _day(item.get("first_seen")),
            _day(item.get("last_seen")),
            page=item.get("page"),
            rating=item.get("rating"),
            nofollow=item.get("nofollow"),
        )
        for item in items
        if isinstance(item, Mapping) and item.get("domain")
    ]


def era_of_text(anchor: Link, links: Iterable[Link], evidence: Evidence) -> int | None:
    """The owner whom the words of a link text name, else the one who earned its links, where most of them are known."""
    named = evidence.credit(anchor).era
    earned = [link.era for link in links if link.text == anchor.text]
    if named is not None or 2 * len(earned) < anchor.count or len(set(earned)) != 1:
        return named
    return earned[0]


def _own(each: Mapping[int, set[str]]) -> dict[int, frozenset[str]]:
    """The items of each owner that no other one has."""
    counted = Counter(item for items in each.values() for item in items)
    return {era: frozenset(item for item in items if counted[item] == 1) for era, items in each.items()}


def _path(target: str | None) -> str:
    try:
        parts = urlsplit(target or "")
    except ValueError:
        return ""
    return f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}".lower() if target else ""


def _day(text: object) -> date | None:
    return date.fromisoformat(text) if isinstance(text, str) and text else None


def _moment(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(12), UTC)
