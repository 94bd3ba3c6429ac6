"""Reading the catalogue: its SQL for reports, revival kits, summaries and the service's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.kit_shapes import PageJson
from afterdrop.catalogue.report import report as make_report
from afterdrop.catalogue.rows import DomainRow, SummaryRow
from afterdrop.catalogue.shapes import BasicReport, FullReport, SiteRow, Summary
from afterdrop.catalogue.summary import Access, Links, access, site_row, summary
from afterdrop.db.dialects import ByCodePoint
from afterdrop.db.tables.catalogue import domains, reports, versions
from afterdrop.db.tables.feeds import scans, source_runs
from afterdrop.db.tables.review import archived_pages
from afterdrop.scoring.conclusion import VARYING

# The name of the catalogue's version number in the table `versions`.
CATALOGUE: Final = "catalogue"
# No column of `domains`, but read with the report of the few rows where it is not the usual one.
VARYING_SEVERITY: Final = "varying_severity"
# What a summary is made from. The report and the search text are large and stay in the database.
SUMMARY_COLUMNS: Final = tuple(SummaryRow.__annotations__)


def on_list() -> sa.ColumnElement[bool]:
    """Not taken off the list."""
    return domains.c.removed_at.is_(None)


def live(table: sa.FromClause, now: datetime) -> sa.ColumnElement[bool]:
    """Not ended at `now`: `status.is_live` in SQL, for any table with a column `live_until`."""
    return sa.or_(table.c.live_until.is_(None), table.c.live_until > now)


def ended(table: sa.FromClause, now: datetime) -> sa.ColumnElement[bool]:
    """Ended at `now`: the opposite of `live`, in a form that an index on `live_until` serves."""
    return table.c.live_until <= now


async def version(conn: AsyncConnection) -> int:
    """The catalogue's version number: it rises with every change that a reader could notice."""
    result = await conn.execute(sa.select(versions.c.value).where(versions.c.name == CATALOGUE))
    return int(result.scalar_one_or_none() or 0)


@cache
def _one_domain() -> sa.Select[Any]:
    # Made once: to put so wide a statement together costs a fifth of a report's time.
    return with_reports().where(domains.c.domain == sa.bindparam("name"))


@dataclass(frozen=True, slots=True)
class VisibleDomain:
    """A domain that a viewer asked for: what they may see of it, and its whole row."""

    access: Access
    row: DomainRow


async def visible_domain(
    conn: AsyncConnection, domain: str, viewer: Viewer, now: datetime
) -> VisibleDomain | None:
    """The access of `viewer` to `domain`, with its whole row; None where it is not on the list for them."""
    result = await conn.execute(_one_domain(), {"name": domain})
    mapping = result.mappings().one_or_none()
    if mapping is None:
        return None
    row = cast(DomainRow, dict(mapping))
    allowed = access(row, viewer, now)
    return None if allowed == "hidden" else VisibleDomain(allowed, row)


async def report(
    conn: AsyncConnection, domain: str, viewer: Viewer, now: datetime, links: Links
) -> tuple[Access, FullReport | BasicReport | None]:
    """`("full" | "basic", report)`, `("locked", None)` where it is part of Pro, `("hidden", None)` where not listed."""
    seen = await visible_domain(conn, domain, viewer, now)
    if seen is None:
        return "hidden", None
    if seen.access == "locked":
        return "locked", None
    return seen.access, make_report(seen.row, viewer, now, links)


async def summaries(
    conn: AsyncConnection, names: Iterable[str], viewer: Viewer, now: datetime, links: Links
) -> dict[str, Summary]:
    """Summaries of the given domains by name, as `viewer` sees them; what they may not see in a list is `basic`.

    For watchlists, matches and events, which keep a domain whatever happens to it: one taken off the lists is among
    them. Names never published are absent. At most 1,000 names a call.
    """
    rows = await _rows_of(conn, names)
    return {row["domain"]: summary(row, viewer, now, links) for row in rows}


async def site_rows(
    conn: AsyncConnection, names: Iterable[str], viewer: Viewer, now: datetime, links: Links
) -> dict[str, SiteRow]:
    """The same for the site's lists."""
    rows = await _rows_of(conn, names)
    return {row["domain"]: site_row(row, viewer, now, links) for row in rows}


async def _rows_of(conn: AsyncConnection, names: Iterable[str]) -> list[SummaryRow]:
    chosen = summary_select().where(domains.c.domain.in_(sorted(set(names))))
    return [_summary_row(row) for row in (await conn.execute(chosen)).mappings()]


@dataclass(frozen=True, slots=True)
class LiveNow:
    """The best of the live list as a viewer sees it, how many domains it has, and how many more the Pro list holds."""

    rows: list[Summary]
    total: int
    locked: int


async def live_now(conn: AsyncConnection, viewer: Viewer, now: datetime, links: Links, most: int) -> LiveNow:
    """Up to `most` domains of the live list, best first: on the free plan those that are open now.

    For mails and commands, which have no lists in memory.
    """
    listed = sa.and_(on_list(), live(domains, now))
    shown = sa.true() if viewer.plan == "pro" else domains.c.open_now.is_(True)
    counts = sa.select(sa.func.count(), sa.func.count().filter(shown)).select_from(domains).where(listed)
    every, total = (await conn.execute(counts)).one()
    best = (domains.c.score.desc(), domains.c.found_at.desc(), ByCodePoint(domains.c.domain))
    chosen = summary_select().where(listed, shown).order_by(*best).limit(most)
    rows = [_summary_row(row) for row in (await conn.execute(chosen)).mappings()]
    return LiveNow([summary(row, viewer, now, links) for row in rows], total, every - total)


def summary_select() -> sa.Select[Any]:
    """The columns of a summary."""
    return sa.select(*map(summary_column, SUMMARY_COLUMNS))


def summary_column(name: str) -> sa.ColumnElement[Any]:
    """One of the columns of a summary."""
    row = domains.c
    if name != VARYING_SEVERITY:
        return row[name]
    # A flag that is a risk makes the verdict risky, so that most reports, which are large, need not be read.
    has_it = sa.cast(row.flags, sa.Text).contains(f'"{VARYING}"')
    told = _of_report(reports.c.varying_severity)
    return sa.case((sa.and_(row.verdict == "risky", has_it), told)).label(name)


def _of_report(column: sa.Column[Any]) -> sa.ScalarSelect[Any]:
    """A column of a domain's report."""
    return sa.select(column).where(reports.c.domain == domains.c.domain).scalar_subquery()


def with_reports() -> sa.Select[Any]:
    """The whole rows of `domains`, each with its report."""
    return sa.select(domains, _of_report(reports.c.report).label("report"))


def _summary_row(mapping: Mapping[Any, Any]) -> SummaryRow:
    return cast(SummaryRow, dict(mapping))


async def pages(
    conn: AsyncConnection,
    domain: str,
    links: Links,
    *,
    page: int,
    per_page: int,
    content: bool = False,
    era: int | None = None,
) -> tuple[list[PageJson], int]:
    """One page of a domain's most archived pages, and how many there are in all.

    With `era` those of one owner; without it those of all, where an address that two owners had stands once.
    The caller asks `visible_domain` whether the viewer may see it: that takes `full` access.
    """
    table = archived_pages
    chosen_pages = table.c.overall.is_(True) if era is None else table.c.era == era
    mine = sa.and_(table.c.domain == domain, chosen_pages)
    total = (await conn.execute(sa.select(sa.func.count()).select_from(table).where(mine))).scalar_one()
    columns = [table.c[name] for name in _PAGE_COLUMNS] + ([table.c.content] if content else [])
    chosen = sa.select(*columns).where(mine).order_by(table.c.captures.desc(), ByCodePoint(table.c.path))
    result = await conn.execute(chosen.limit(per_page).offset((page - 1) * per_page))
    return [_page_item(row, links, content=content) for row in result.mappings()], int(total)


_PAGE_COLUMNS = (
    "path", "url", "captures", "last_capture", "timestamp", "title", "words", "content_state", "era",
)  # fmt: skip


def _page_item(row: Mapping[Any, Any], links: Links, *, content: bool) -> PageJson:
    item: PageJson = {
        "path": row["path"],
        "url": row["url"],
        "captures": row["captures"],
        "last_capture": row["last_capture"],
        "title": row["title"],
        "words": row["words"],
        "webarchive_url": links.capture(row["timestamp"], row["url"]),
        "has_content": row["content_state"] == "stored",
        "era": row["era"],
    }
    if content:
        item["content"] = row["content"] if item["has_content"] else None
    return item


async def last_finished_scan(conn: AsyncConnection) -> Mapping[Any, Any] | None:
    """The row of the scan that finished last, with the names that its feeds had; None before the first."""
    mine = source_runs.c.scan_id == scans.c.id
    figures = {"scanned": source_runs.c.good, "passed_authority_filter": source_runs.c.passed}
    sums = [
        sa.select(sa.func.coalesce(sa.func.sum(column), 0)).where(mine).scalar_subquery().label(name)
        for name, column in figures.items()
    ]
    # One that read nothing, a feed tried again in vain, says nothing about the lists.
    read = sa.exists().where(mine, source_runs.c.good > 0)
    finished = sa.select(scans.c.started_at, scans.c.finished_at, *sums).where(
        scans.c.finished_at.is_not(None)
    )
    newest = finished.order_by(read.desc(), scans.c.finished_at.desc(), scans.c.id.desc()).limit(1)
    return (await conn.execute(newest)).mappings().one_or_none()
