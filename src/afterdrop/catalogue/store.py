"""Reading the catalogue: all its SQL for lists, reports, revival kits, summaries and the service's figures.

`ListSelection` follows the same rules as `access`, `status` and `filters` do for one summary; a property test holds
them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, NotRequired, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.access import Access, access
from afterdrop.catalogue.filters import ListFilter, Sort, default_sort
from afterdrop.catalogue.report import DomainReport
from afterdrop.catalogue.report import report as make_report
from afterdrop.catalogue.rows import DomainRow, SummaryRow
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.summary import DomainSummary, Links, summary
from afterdrop.db.tables.catalogue import domains, reserved_views, versions
from afterdrop.db.tables.feeds import scans
from afterdrop.db.tables.review import archived_pages

# The name of the catalogue's version number in the table `versions`.
CATALOGUE: Final = "catalogue"
# The columns of `rows.SummaryRow`. The report and the search text are large and stay in the database.
SUMMARY_COLUMNS: Final = (
    *("domain", "tld", "round", "found_at", "language", "title", "gated"),
    *("score", "verdict", "flags", "topic"),
    *("archive_years", "archive_first_year", "archive_last_year"),
    *("domain_rating", "trust_flow", "citation_flow", "referring_domains"),
    *("source", "source_title", "type", "price_usd", "bids", "ends_at", "url", "live_until"),
    *("next_listing_at", "next_listings"),
    *("announced", "last_open_on", "open_now", "removed_at"),
)
_VIEW_COLUMNS: Final = frozenset(column.name for column in reserved_views.columns if column.name != "domain")
# What is computed over the domains of an audience; `domains` has it once for each, the operators' with a prefix.
_OWN_COLUMNS: Final = frozenset({"rank_on_hunt_day", "last_open_on", "open_now"})


def own_column(name: str, operator: bool) -> sa.Column[Any]:
    """The column of `domains` with an audience's own rank, opening or date of the last one."""
    return domains.c[f"operators_{name}" if operator else name]


def audience_view(operator: bool) -> sa.FromClause:
    """The catalogue as an audience sees it, with the columns of `domains`: the public view, or the operators'."""
    if not operator:
        return domains
    reserved = reserved_views.c.domain.is_not(None)
    columns: list[sa.ColumnElement[Any]] = []
    for column in domains.columns:
        if column.name in _VIEW_COLUMNS:
            shown = sa.case((reserved, reserved_views.c[column.name]), else_=column)
            columns.append(shown.label(column.name))
        elif column.name in _OWN_COLUMNS:
            columns.append(own_column(column.name, operator).label(column.name))
        elif not column.name.startswith("operators_"):
            columns.append(column)
    joined = domains.outerjoin(reserved_views, reserved_views.c.domain == domains.c.domain)
    return sa.select(*columns).select_from(joined).subquery("audience_view")


def on_list(table: sa.FromClause, operator: bool) -> sa.ColumnElement[bool]:
    """Not taken off the list and, unless the viewer is an operator, not reserved for operators as a whole."""
    kept = table.c.removed_at.is_(None)
    return kept if operator else sa.and_(kept, table.c.gated.is_(False))


def live(table: sa.FromClause, now: datetime) -> sa.ColumnElement[bool]:
    """Not ended at `now`: `status.is_live` in SQL, for any table with a column `live_until`."""
    return sa.or_(table.c.live_until.is_(None), table.c.live_until > now)


def ended(table: sa.FromClause, now: datetime) -> sa.ColumnElement[bool]:
    """Ended at `now`: the opposite of `live`, in a form that an index on `live_until` serves."""
    return table.c.live_until <= now


@dataclass(frozen=True, slots=True)
class ListSelection:
    """The SQL of one list as one viewer asks for it at `now`. `fees` are registration fees by extension.

    Without a `sort` the list has its default order.
    """

    which: ListName
    wanted: ListFilter
    viewer: Viewer
    now: datetime
    fees: Mapping[str, int] = field(default_factory=dict)
    sort: Sort | None = None

    @property
    def pro(self) -> bool:
        """Whether the viewer's plan is Pro."""
        return self.viewer.plan == "pro"

    @property
    def table(self) -> sa.FromClause:
        """The catalogue as the viewer's audience sees it."""
        return audience_view(self.viewer.operator)

    def page(self, page: int, per_page: int) -> sa.Select[Any]:
        """One page of rows, in order."""
        table = self.table
        chosen = _summary_select(table).where(*self.where(table)).order_by(*self._order(table))
        return chosen.limit(per_page).offset((page - 1) * per_page)

    def count(self) -> sa.Select[int]:
        """How many rows there are on all pages."""
        table = self.table
        return sa.select(sa.func.count()).select_from(table).where(*self.where(table))

    def count_locked(self) -> sa.Select[int]:
        """How many more rows the Pro list holds. The Trust Flow filter does not count: free callers cannot use it."""
        table = self.table
        wanted = self.wanted.without_trust_flow()
        as_pro = replace(self, viewer=replace(self.viewer, plan="pro"), wanted=wanted)
        hidden = table.c.open_now.is_(False) if self.which == "live" else table.c.last_open_on.is_(None)
        return sa.select(sa.func.count()).select_from(table).where(*as_pro.where(table), hidden)

    def where(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        """Everything a row must meet to be on the list."""
        return [on_list(table, self.viewer.operator), *self._membership(table), *self._filters(table)]

    def _membership(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        if self.which == "live":
            return (
                [live(table, self.now)] if self.pro else [live(table, self.now), table.c.open_now.is_(True)]
            )
        if self.which == "available":
            return [ended(table, self.now), self._available(table)]
        return [ended(table, self.now)]

    def _available(self, table: sa.FromClause) -> sa.ColumnElement[bool]:
        announced = table.c.announced.is_(True)
        return announced if self.pro else sa.and_(announced, table.c.last_open_on.is_not(None))

    def _filters(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        wanted, row = self.wanted, table.c
        least = (
            (row.score, wanted.min_score),
            (row.domain_rating, wanted.min_dr),
            (row.trust_flow, wanted.min_tf),
            (row.referring_domains, wanted.min_ref_domains),
            (row.archive_years, wanted.min_archive_years),
        )
        chosen = ((row.tld, wanted.tlds), (row.type, wanted.types), (row.topic, wanted.topics))
        found = [column >= bound for column, bound in least if bound is not None]
        found += [column.in_(sorted(values)) for column, values in chosen if values]
        if wanted.langs:
            found.append(row.language.in_(sorted(wanted.langs)))
        if wanted.min_tf is not None and not self.pro:
            found.append(row.open_now.is_(True))
        if wanted.clean:
            found += [row.verdict == "ok", row.flag_count == 0]
        return found + self._more_filters(table)

    def _more_filters(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        wanted, row = self.wanted, table.c
        found: list[sa.ColumnElement[bool]] = []
        if wanted.q is not None:
            found.append(_contains(row.search, wanted.q))
        if wanted.max_price is not None:
            price = self._price(table)
            found.append(sa.or_(price.is_(None), price <= wanted.max_price))
        if wanted.since is not None:
            found.append(row.found_at >= wanted.since)
        if wanted.ending_within_hours is not None:
            last = self.now + timedelta(hours=wanted.ending_within_hours)
            found += [live(table, self.now), row.ends_at > self.now, row.ends_at <= last]
        return found

    def _price(self, table: sa.FromClause) -> sa.ColumnElement[Any]:
        if self.which == "live":
            return table.c.price_usd
        fee: sa.ColumnElement[Any] = sa.null()
        if self.fees:
            fee = sa.case(*((table.c.tld == tld, price) for tld, price in sorted(self.fees.items())))
        return sa.case((self._available(table), fee), else_=table.c.price_usd)

    def _order(self, table: sa.FromClause) -> list[sa.ColumnElement[Any]]:
        row = table.c
        end = row.ends_at if self.which == "live" else row.live_until
        first = {
            "score": row.score.desc(),
            "dr": row.domain_rating.desc().nulls_last(),
            "ending": end.asc().nulls_last(),
            "ended": end.desc().nulls_last(),
            "newest": row.found_at.desc(),
            "price": self._price(table).asc().nulls_last(),
        }[self.sort or default_sort(self.which)]
        return [first, row.found_at.desc(), row.domain.asc()]


def _contains(column: sa.ColumnElement[str], q: str) -> sa.ColumnElement[bool]:
    # No stored text holds a NUL or half a surrogate pair, and no driver sends one. A line break would span the lines.
    if "\n" in q or "\x00" in q or any("\ud800" <= char <= "\udfff" for char in q):
        return sa.false()
    return column.contains(q, autoescape=True)


async def count_rows(conn: AsyncConnection, count: sa.Select[int]) -> int:
    """What one of the counts of a `ListSelection` gives."""
    return int((await conn.execute(count)).scalar_one())


async def list_rows(
    conn: AsyncConnection, selection: ListSelection, page: int, per_page: int
) -> list[SummaryRow]:
    """One page of a list, in order."""
    found = await conn.execute(selection.page(page, per_page))
    return [cast(SummaryRow, dict(row)) for row in found.mappings()]


async def next_end(conn: AsyncConnection, now: datetime) -> datetime | None:
    """When the next domain ends; None when none has a known end."""
    soonest = sa.select(sa.func.min(domains.c.live_until)).where(domains.c.live_until > now)
    found: datetime | None = (await conn.execute(soonest)).scalar_one()
    return found


async def version(conn: AsyncConnection) -> int:
    """The catalogue's version number: it rises with every change that a reader could notice."""
    found = await conn.execute(sa.select(versions.c.value).where(versions.c.name == CATALOGUE))
    return int(found.scalar_one_or_none() or 0)


@dataclass(frozen=True, slots=True)
class VisibleDomain:
    """A domain that a viewer asked for: what they may see of it, and its row (from `audience_view`)."""

    access: Access
    row: DomainRow


async def visible_domain(
    conn: AsyncConnection, domain: str, viewer: Viewer, now: datetime
) -> VisibleDomain | None:
    """What `viewer` may see of `domain`, with its whole row; None where it is not on the list for them."""
    table = audience_view(viewer.operator)
    found = await conn.execute(sa.select(table).where(table.c.domain == domain))
    mapping = found.mappings().one_or_none()
    if mapping is None:
        return None
    row = cast(DomainRow, dict(mapping))
    allowed = access(row, viewer, now)
    return None if allowed == "hidden" else VisibleDomain(allowed, row)


async def report(
    conn: AsyncConnection, domain: str, viewer: Viewer, now: datetime, links: Links
) -> tuple[Access, DomainReport | None]:
    """`("full" | "basic", report)`, `("locked", None)` where it is part of Pro, `("hidden", None)` where not listed."""
    seen = await visible_domain(conn, domain, viewer, now)
    if seen is None:
        return "hidden", None
    if seen.access == "locked":
        return "locked", None
    return seen.access, make_report(seen.row, viewer, now, links)


async def summaries(
    conn: AsyncConnection, names: Iterable[str], viewer: Viewer, now: datetime, links: Links
) -> dict[str, DomainSummary]:
    """Summaries of the given domains by name, as `viewer` sees them; what they may not see in a list is `basic`.

    For watchlists, matches and events, which keep a domain whatever happens to it: one taken off the lists is among
    them. Names never published are absent, and so are those reserved for operators. At most 1,000 names a call.
    """
    table = audience_view(viewer.operator)
    chosen = _summary_select(table).where(table.c.domain.in_(sorted(set(names))))
    if not viewer.operator:
        chosen = chosen.where(table.c.gated.is_(False))
    found = await conn.execute(chosen)
    return {row["domain"]: summary(_summary_row(row), viewer, now, links) for row in found.mappings()}


async def found_since(conn: AsyncConnection, viewer: Viewer, since: datetime, limit: int) -> list[SummaryRow]:
    """The newest domains on the viewer's lists that were found at or after `since`, newest first."""
    table = audience_view(viewer.operator)
    recent = (
        _summary_select(table)
        .where(on_list(table, viewer.operator), table.c.found_at >= since)
        .order_by(table.c.found_at.desc(), table.c.domain)
        .limit(limit)
    )
    # Not copied into dicts at once: that would hold up the event loop for thousands of rows.
    return cast(list[SummaryRow], (await conn.execute(recent)).mappings().all())


def _summary_select(table: sa.FromClause) -> sa.Select[Any]:
    return sa.select(*(table.c[name] for name in SUMMARY_COLUMNS))


def _summary_row(mapping: Mapping[Any, Any]) -> SummaryRow:
    return cast(SummaryRow, dict(mapping))


class KitPage(TypedDict):
    """One archived page of a revival kit, as the interface shows it; `content` only where it was asked for."""

    path: str
    url: str
    captures: int
    last_capture: str
    title: str | None
    words: int | None
    webarchive_url: str
    has_content: bool
    content: NotRequired[str | None]


async def pages(
    conn: AsyncConnection, domain: str, links: Links, *, page: int, per_page: int, content: bool = False
) -> tuple[list[KitPage], int]:
    """One page of a domain's revival kit, most archived first, and how many pages there are in all.

    The caller asks `visible_domain` whether the viewer may see it: that takes `full` access.
    """
    table = archived_pages
    mine = table.c.domain == domain
    total = (await conn.execute(sa.select(sa.func.count()).select_from(table).where(mine))).scalar_one()
    columns = [table.c[name] for name in _PAGE_COLUMNS] + ([table.c.content] if content else [])
    chosen = sa.select(*columns).where(mine).order_by(table.c.captures.desc(), table.c.path)
    found = await conn.execute(chosen.limit(per_page).offset((page - 1) * per_page))
    return [_page_item(row, links, content=content) for row in found.mappings()], int(total)


_PAGE_COLUMNS = (
    *("path", "url", "captures", "last_capture", "timestamp", "title", "words", "content_state"),
)


def _page_item(row: Mapping[Any, Any], links: Links, *, content: bool) -> KitPage:
    item: KitPage = {
        "path": row["path"],
        "url": row["url"],
        "captures": row["captures"],
        "last_capture": row["last_capture"],
        "title": row["title"],
        "words": row["words"],
        "webarchive_url": links.capture(row["timestamp"], row["url"]),
        "has_content": row["content_state"] == "stored",
    }
    if content:
        item["content"] = row["content"] if item["has_content"] else None
    return item


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """Figures of an audience's live list: counts, and sums with the number of values in them."""

    domains: int
    open: int
    ending_within_24h: int
    scores: int
    score_sum: int | None
    ratings: int
    rating_sum: int | None


async def live_figures(conn: AsyncConnection, operator: bool, now: datetime) -> LiveFigures:
    """Count and add up an audience's live list."""
    table = audience_view(operator)
    row = table.c
    soon = sa.and_(row.ends_at > now, row.ends_at <= now + timedelta(hours=24))
    figures = sa.select(
        sa.func.count(),
        sa.func.count().filter(row.open_now.is_(True)),
        sa.func.count().filter(soon),
        sa.func.count(row.score),
        sa.func.sum(row.score),
        sa.func.count(row.domain_rating),
        sa.func.sum(row.domain_rating),
    ).where(on_list(table, operator), live(table, now))
    return LiveFigures(*(await conn.execute(figures)).one())


async def ended_counts(conn: AsyncConnection, operator: bool, now: datetime) -> tuple[int, int]:
    """How many of an audience's domains have ended, and how many of them are available."""
    table = audience_view(operator)
    over = sa.select(sa.func.count(), sa.func.count().filter(table.c.announced.is_(True)))
    counted = await conn.execute(over.where(on_list(table, operator), ended(table, now)))
    return cast(tuple[int, int], tuple(counted.one()))


async def last_finished_scan(conn: AsyncConnection) -> Mapping[Any, Any] | None:
    """The row of the scan that finished last; None before the first."""
    finished = sa.select(scans).where(scans.c.finished_at.is_not(None))
    # One that read nothing, a feed tried again in vain, says nothing about the lists.
    newest = finished.order_by(scans.c.scanned == 0, scans.c.finished_at.desc(), scans.c.id.desc()).limit(1)
    return (await conn.execute(newest)).mappings().one_or_none()
