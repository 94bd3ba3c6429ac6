"""The links to a name in a report: each one, the strongest first, and which are still there. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from afterdrop.catalogue.link_shapes import LinkJson, LinksToday, RankPlace
from afterdrop.catalogue.shapes import CheckReport, FullReport
from afterdrop.web.site.charts import rank_points
from afterdrop.web.site.owners_view import WhoseLinks, owner_tone


@dataclass(frozen=True, slots=True)
class OwnersLive:
    """How many of the links that are there today one owner of the name earned."""

    era: int
    title: str | None
    years: str
    links: int


@dataclass(frozen=True, slots=True)
class LiveLinks:
    """Which of the strongest known links are there today. `lost` says what became of the others, in words.

    `elsewhere`: how many of those that are there stand on the home page of a site whose link nobody had told us.
    """

    counts: LinksToday
    owners: Sequence[OwnersLive]
    lost: str
    elsewhere: int

    @property
    def parts(self) -> list[tuple[int, str]]:
        """The pages that were looked at, as a bar: each owner's, others that are there, the lost ones."""
        there = [(owner.links, owner_tone(owner.era)) for owner in self.owners]
        others = self.counts["there"] - sum(owner.links for owner in self.owners)
        return [*there, (others, "rest"), (self.counts["pages"] - self.counts["there"], "track")]


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """An address of the name that links lead to: how many known ones, and how many of those are there today."""

    path: str
    links: int
    there: int
    strongest: int | None
    eras: Sequence[int]


@dataclass(frozen=True, slots=True)
class RankLine:
    """The course of the CC rank: the places, the points of its line, and a word."""

    places: Sequence[RankPlace]
    points: str
    word: str


def link_targets(report: FullReport | CheckReport) -> list[LinkTarget]:
    """Where the known links lead, the address with most of them first: what redirects are made from."""
    by_path: dict[str, list[LinkJson]] = {}
    for link in report.get("links") or ():
        if link["target"]:
            by_path.setdefault(path_of(link["target"]), []).append(link)
    targets = [
        LinkTarget(
            path,
            len(links),
            sum(bool(today) and today["state"] == "there" for link in links if (today := link.get("today"))),
            max((rating for link in links if (rating := link.get("rating")) is not None), default=None),
            sorted({era for link in links if (era := link.get("era")) is not None}),
        )
        for path, links in by_path.items()
    ]
    return sorted(targets, key=lambda target: (-target.links, target.path))


def rank_line(report: FullReport | CheckReport) -> RankLine | None:
    """The course of the CC rank; None where no release of the web graph that we read has the name."""
    rank = report.get("cc_rank")
    if not rank:
        return None
    since = rank["since"]
    month = f" since {date.fromisoformat(since):%b %Y}" if since else ""
    word = f"{rank['trend']}{month}" if rank["trend"] else ""
    return RankLine(rank["places"], rank_points(rank["places"]) if len(rank["places"]) > 1 else "", word)


def sorted_links(report: FullReport | CheckReport) -> list[LinkJson]:
    """The single links, those of the strongest linking sites first."""
    links = report.get("links") or []
    return sorted(
        links, key=lambda link: -1 if (rating := link.get("rating")) is None else rating, reverse=True
    )


def live_links(report: FullReport | CheckReport, whose: WhoseLinks | None) -> LiveLinks | None:
    """Which links are there today; None where nobody has looked."""
    counts = report.get("links_today")
    if not counts:
        return None
    there = Counter(
        link.get("era")
        for link in report.get("links") or ()
        if (today := link.get("today")) and today["state"] == "there"
    )
    owners = [
        OwnersLive(owner.era, owner.title, owner.years, there[owner.era])
        for owner in (whose.owners if whose else ())
        if there[owner.era]
    ]
    parts = [
        _counted(counts["removed"], "was taken away", "were taken away"),
        _counted(counts["page_gone"], "page is gone", "pages are gone"),
        _counted(counts["domain_gone"], "referring domain is gone", "referring domains are gone"),
        _counted(counts["unread"], "page could not be read", "pages could not be read"),
    ]
    return LiveLinks(counts, owners, ", ".join(filter(None, parts)), counts["there"] - there.total())


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""


def seen_years(days: Sequence[str | None]) -> str:
    """The years between which an index saw a link, from ISO dates: `2008–2015`, or one year."""
    return "–".join(sorted({day[:4] for day in days if day}))


def path_of(address: str | None) -> str:
    """Where on the site an address leads, as people read it: path and query, "/" for the home page."""
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return ""
    return f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}" if address else ""
