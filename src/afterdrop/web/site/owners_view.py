"""What a report shows of a site's owners: whose links are whose, and each one's old pages to choose from. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from afterdrop.catalogue.shapes import CheckReport, FullReport
from afterdrop.review.history.life import LifeEra, at, life, years


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
        era.owner: era.title for era in life(report.get("history")) if era.owner is not None and era.title
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
    """An owner in a line: the site's title, its years, and the share of the known links, where that is known."""

    title: str | None
    years: str
    links: float | None


def owner_lines(eras: Sequence[LifeEra], earned: WhoseLinks | None) -> list[OwnerLine]:
    """The owners of a site in the order in which they had it."""
    lines = []
    for owner in dict.fromkeys(era.owner for era in eras if era.owner is not None):
        own = [era for era in eras if era.owner == owner]
        title = next((era.title for era in reversed(own) if era.title), None)
        lines.append(OwnerLine(title, years(own[0].start, own[-1].end), share_of(earned, owner)))
    return lines


@dataclass(frozen=True, slots=True)
class WhoseLinks:
    """Whose the known links are; `kinds` has the shares by what the picture of the life calls the owners."""

    known: int
    unknown: int
    owners: Sequence[OwnersLinks]

    @property
    def kinds(self) -> Mapping[str, float]:
        """The share of the first owner, and of all others together."""
        first = sum(each.share for each in self.owners if each.era == 1)
        return {"site": first, "other": sum(each.share for each in self.owners) - first}


def whose_links(report: FullReport | CheckReport, eras: Sequence[LifeEra]) -> WhoseLinks | None:
    """Whose the links are; None where no link or no owner is known."""
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
    return WhoseLinks(found["known"], found["unknown"], owners)


def share_of(earned: WhoseLinks | None, owner: int | None) -> float | None:
    """The share of the known links that an owner of the life, counted from 1, earned; None where it is not known."""
    if earned is None or owner is None:
        return None
    return next((each.share for each in earned.owners if each.era == owner), None)
