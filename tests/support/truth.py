"""What a scan published of a sandbox's world, held against the world's truth: owners, eras, links, kits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import cast

import sqlalchemy as sa

from afterdrop.catalogue.rows import StoredReport
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains, reports
from afterdrop.db.tables.review import archived_pages, reviews
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.life import stored_life
from afterdrop.sandbox.expected import ExpectedDomain, ExpectedEra
from afterdrop.sandbox.world import World
from afterdrop.sources.archive.cdx_index import instant
from tests.support.agreement import contradictions
from tests.support.evidence import time_of, words_of_page
from tests.support.rows import REPORTED

# An owner's own site, also where spam was put beside its pages.
_SITES = frozenset({"site", "hacked", "doorway", "injected"})


@dataclass(frozen=True)
class Published:
    """One published domain: its report, the header's language, its review, and its kits' pages (owner, time)."""

    domain: str
    report: StoredReport
    language: str | None
    history: History
    kits: Sequence[tuple[int, datetime]]


@dataclass
class Compared:
    """Counts by column, and what is wrong in words."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Compared) -> None:
        """Add another's counts."""
        self.counts += other.counts
        self.wrong += other.wrong


async def published(database: Database) -> list[Published]:
    """Every domain on a list, in the order of names."""
    async with database.read() as conn:
        rows = await conn.execute(
            REPORTED.with_only_columns(
                domains.c.domain, reports.c.report, domains.c.language, reviews.c.history
            )
            .join(reviews, reviews.c.domain == domains.c.domain)
            .where(domains.c.removed_at.is_(None))
            .order_by(domains.c.domain)
        )
        pages = await conn.execute(
            sa.select(archived_pages.c.domain, archived_pages.c.era, archived_pages.c.timestamp)
        )
        kits: dict[str, list[tuple[int, datetime]]] = {}
        for page in pages:
            if (at := instant(page.timestamp)) is not None:
                kits.setdefault(page.domain, []).append((page.era, at))
        return [
            Published(
                row.domain,
                cast(StoredReport, row.report),
                row.language,
                History.from_dict(row.history),
                kits.get(row.domain, ()),
            )
            for row in rows
        ]


def words(world: World, domain: str, url: str) -> str | None:
    """What the archived page at `url` said; None where no page stood there."""
    story, when = world.find(domain), time_of(url)
    page = world.pages.at(story, when[1], when[0]) if story and when else None
    return words_of_page(page.body, page.charset) if page else None


def compare(found: Sequence[Published], truth: Mapping[str, ExpectedDomain], world: World) -> Compared:
    """All of them, each with its truth and its pages."""
    total = Compared()
    for one in found:
        total.add(_compared(one, truth[one.domain]["eras"], world))
        total.add(_linked(one, truth[one.domain]))
    return total


def _linked(one: Published, truth: ExpectedDomain) -> Compared:
    """Whose each link is. One without dates may be nobody's for all we know; to credit it wrongly is a fault."""
    told, shown = Compared(), one.report.get("links") or ()
    true = {(link["domain"].removeprefix("www."), link["text"]): link for link in truth["metrics"]["links"]}
    for link in shown:
        known = true[link["domain"].removeprefix("www."), link["text"]]
        kind, right = "dated" if known["dated"] else "undated", link["era"] == known["era"]
        told.counts[f"{kind} links"] += 1
        told.counts[f"{kind} links named right"] += right
        told.counts["links credited wrongly"] += not right and link["era"] is not None
    return told


def _compared(one: Published, truth: Sequence[ExpectedEra], world: World) -> Compared:
    told = Compared(Counter(reports=1))
    sites = [era for era in stored_life(one.report["history"]) if era.owner is not None]
    stated = [(old.end, new.start) for old, new in pairwise(sites) if old.owner != new.owner]
    true = list(_changes(truth))
    inside = sum(any(start <= first and last <= end for start, end in stated) for last, first in true)
    told.counts.update(
        {"owner changes": len(true), "inside the interval": inside, "changes told": len(stated)}
    )
    if inside < len(true) or len(stated) != len(true):
        told.wrong.append(f"{one.domain}: changes {true}, told {stated}")
    read = [capture.at for capture in one.history.read if capture.kind in ("site", "suspect")]
    mixed = [
        era for era in sites if len(_owners(truth, [at for at in read if era.start <= at <= era.end])) > 1
    ]
    told.counts.update({"eras of sites": len(sites), "eras with a read capture of another": len(mixed)})
    kits = {era: _owners(truth, [at for other, at in one.kits if other == era]) for era, _ in one.kits}
    told.counts.update(
        {"kits": len(kits), "kits with two owners": sum(len(who) > 1 for who in kits.values())}
    )
    said = contradictions(one.report, one.domain, one.language, lambda url: words(world, one.domain, url))
    told.counts["contradictions"] += len(said)
    told.wrong += [f"{one.domain}: {what}" for what in said]
    told.wrong += [f"{one.domain}: another owner in {era.years}" for era in mixed]
    return told


def _changes(truth: Sequence[ExpectedEra]) -> Iterator[tuple[datetime, datetime]]:
    """When each owner's site was there for the last time, and the next one's for the first."""
    sites = [era for era in truth if era["scene"] in _SITES]
    for old, new in pairwise(sites):
        if old["brand"] != new["brand"]:
            yield _day(old["end"]), _day(new["start"])


def _owners(truth: Sequence[ExpectedEra], times: Sequence[datetime]) -> set[str]:
    """Whose site stood at these times, by the days of the eras."""
    return {
        era["brand"]
        for at in times
        for era in truth
        if era["scene"] in _SITES and era["start"] <= at.date().isoformat() <= era["end"]
    }


def _day(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
