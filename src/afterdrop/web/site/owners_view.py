"""The owners of a site in a report: whose links are whose, and each one's old pages to choose from. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from afterdrop.catalogue.shapes import CheckReport, FullReport
from afterdrop.review.history.life import LifeEra, at, stored_life, years

_WORTH_TELLING: Final = 0.05


@dataclass(frozen=True, slots=True)
class Kit:
    """The old pages of one owner, to choose from: `title` is the site's, None without a telling one."""

    era: int
    title: str | None
    years: str
    pages: int
    chosen: bool


def kit_choices(report: FullReport, chosen: int | None) -> list[Kit]:
    """The kits of a listed domain's owners; without a known choice that of the site that was there longest."""
    known = report["revival_kit"].get("eras") or []
    numbers = [kit["era"] for kit in known]
    shown = chosen if chosen in numbers else next(iter(numbers), None)
    titles = {
        era.owner: era.title
        for era in stored_life(report.get("history"))
        if era.owner is not None and era.title
    }
    return [
        Kit(
            kit["era"],
            titles.get(kit["era"]),
            years(at(kit["start"]), at(kit["end"])),
            kit["pages"],
            kit["era"] == shown,
        )
        for kit in known
    ]


@dataclass(frozen=True, slots=True)
class OwnersLinks:
    """The part of the known links that one owner earned; `gone` is the last year of a site that is no longer there."""

    era: int
    title: str | None
    years: str
    links: int
    share: float
    gone: int | None


@dataclass(frozen=True, slots=True)
class OwnerLine:
    """An owner in a line: the site's title, its years, and the share of the known links, empty where not known."""

    title: str | None
    years: str
    links: str


def owner_tone(era: int) -> str:
    """The class of an owner's colour, as the picture of the life has it: the first site's, or another one's."""
    return "s-site" if era == 1 else "s-other"


def owner_lines(eras: Sequence[LifeEra], earned: WhoseLinks | None) -> list[OwnerLine]:
    """The owners of a site in the order in which they had it."""
    lines = []
    for owner in dict.fromkeys(era.owner for era in eras if era.owner is not None):
        own = [era for era in eras if era.owner == owner]
        title = next((era.title for era in reversed(own) if era.title), None)
        lines.append(OwnerLine(title, years(own[0].start, own[-1].end), share_words(earned, owner)))
    return lines


@dataclass(frozen=True, slots=True)
class WhoseLinks:
    """The owners of the known links. `base` says of how many a share is: of the known ones, and of how many in all."""

    known: int
    unknown: int
    owners: Sequence[OwnersLinks]
    base: str

    @property
    def kinds(self) -> Mapping[str, str]:
        """The shares in words by what the picture of the life calls the owners: the first, and all others together."""
        first = sum(owner.share for owner in self.owners if owner.era == 1)
        others = sum(owner.share for owner in self.owners) - first
        return {"site": self.words(first), "other": self.words(others)}

    @property
    def parts(self) -> list[tuple[int, str]]:
        """The known links as a bar: each owner's, then those of nobody known."""
        return [*((owner.links, owner_tone(owner.era)) for owner in self.owners), (self.unknown, "track")]

    def words(self, share: float) -> str:
        """A share with what it is a share of."""
        return f"{share:.0%} of {self.base}"


def whose_links(report: FullReport | CheckReport, eras: Sequence[LifeEra]) -> WhoseLinks | None:
    """The owners of the links; None where no link or no owner is known."""
    found = report.get("link_eras")
    if not found:
        return None
    counted = {each["era"]: each for each in found["eras"]}
    owners = []
    for number in sorted({era.owner for era in eras if era.owner is not None}):
        own = [era for era in eras if era.owner == number]
        links = counted.get(number)
        last = number == found["last_era"]
        title = next((era.title for era in reversed(own) if era.title), None)
        span = years(own[0].start, own[-1].end)
        gone = None if last else own[-1].end.year
        count, share = (links["links"], links["share"]) if links else (0, 0.0)
        owners.append(OwnersLinks(number, title, span, count, share, gone))
    base = _base(found["known"], report["metrics"], single=bool(report.get("links")))
    return WhoseLinks(found["known"], found["unknown"], owners, base)


def _base(known: int, metrics: Mapping[str, object], *, single: bool) -> str:
    """The whole behind shares of the known links; an index gives single links, or only how many have which text."""
    counted = f"the {known:,} links" if known != 1 else "the one link"
    said = f"{counted} we know{'' if single else ' by text'}"
    for name, of_what in (("backlinks", "in all"), ("referring_domains", "referring domains")):
        total = metrics.get(name)
        if isinstance(total, int) and total > known:
            return f"{said}, of {total:,} {of_what}"
    return said


def share_words(earned: WhoseLinks | None, owner: int | None) -> str:
    """The share of the known links that an owner of the life, counted from 1, earned; empty where it is not known."""
    share = _share(earned, owner)
    return "" if share is None or earned is None else earned.words(share)


def first_links(eras: Sequence[LifeEra], earned: WhoseLinks | None) -> str:
    """A sentence on what the first owner earned; empty without another owner, and where it is next to nothing."""
    passed_on, share = any(era.kind == "other" for era in eras), _share(earned, 1)
    if not passed_on or share is None or share < _WORTH_TELLING:
        return ""
    return f" The first site earned {share_words(earned, 1)}."


def _share(earned: WhoseLinks | None, owner: int | None) -> float | None:
    owners = earned.owners if earned else ()
    return next((each.share for each in owners if each.era == owner), None)
