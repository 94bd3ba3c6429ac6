"""Reading the catalogue: lists, reports, revival kits and single summaries, each as one viewer sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.access import Access, access
from afterdrop.catalogue.counts import Counts
from afterdrop.catalogue.filters import ListFilter, Sort, default_sort
from afterdrop.catalogue.queries import SUMMARY_COLUMNS, ListSelection, shown
from afterdrop.catalogue.report import report as make_report
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.summary import Links, summary
from afterdrop.core.settings import Settings
from afterdrop.db.tables.review import archived_pages


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list: `rows` as JSON, `total` rows on all pages.

    `locked`: how many more the Pro list holds; None on Pro, on the archive and when `q` is used.
    """

    rows: list[dict[str, Any]]
    total: int
    locked: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A domain a viewer asked for: what they may see of it, and its row (as `queries.shown` gives it)."""

    access: Access
    row: Mapping[str, Any]


def links_of(settings: Settings) -> Links:
    """Where this deployment's answers lead."""
    return Links(
        site_url=settings.site_url,
        base_url=settings.base_url,
        archive_url=settings.archive.public_url.rstrip("/"),
        register_url=settings.registry.register_url,
        fees=settings.registry.registration_fees,
    )


async def list_page(
    conn: AsyncConnection,
    which: ListName,
    wanted: ListFilter,
    viewer: Viewer,
    now: datetime,
    links: Links,
    *,
    page: int = 1,
    per_page: int = 25,
    sort: Sort | None = None,
    counts: Counts | None = None,
) -> ListPage:
    """One page of a list as `viewer` sees it at `now`. `counts` keeps totals between calls."""
    question = ListSelection(which, wanted, viewer, now, links.fees)
    kept = counts or Counts()
    total = await kept.total(conn, question)
    rows: list[dict[str, Any]] = []
    if (page - 1) * per_page < total:
        found = await conn.execute(question.page(sort or default_sort(which), page, per_page))
        rows = [summary(dict(row), viewer, now, links) for row in found.mappings()]
    locked = None
    if viewer.plan == "free" and which != "archive" and wanted.q is None:
        locked = await kept.locked(conn, question)
    return ListPage(rows, total, locked)


async def look(conn: AsyncConnection, domain: str, viewer: Viewer, now: datetime) -> Seen | None:
    """What `viewer` may see of `domain`, with its whole row; None where it is not on the list for them."""
    table = shown(viewer.operator)
    found = await conn.execute(sa.select(table).where(table.c.domain == domain))
    mapping = found.mappings().one_or_none()
    if mapping is None:
        return None
    row = dict(mapping)
    seen = access(row, viewer, now)
    return None if seen == "hidden" else Seen(seen, row)


async def report(
    conn: AsyncConnection, domain: str, viewer: Viewer, now: datetime, links: Links
) -> tuple[Access, dict[str, Any] | None]:
    """`("full" | "basic", report)`, `("locked", None)` where it is part of Pro, `("hidden", None)` where not listed."""
    seen = await look(conn, domain, viewer, now)
    if seen is None:
        return "hidden", None
    if seen.access == "locked":
        return "locked", None
    return seen.access, make_report(seen.row, viewer, now, links)


async def summaries(
    conn: AsyncConnection, domains: Iterable[str], viewer: Viewer, now: datetime, links: Links
) -> dict[str, dict[str, Any]]:
    """Summaries of the given domains by name, as `viewer` sees them; what they may not see in a list is `basic`.

    For watchlists, matches and events, which keep a domain whatever became of it: one taken off the lists is there
    too. Absent are names never published, and those reserved for operators. At most 1,000 names a call.
    """
    table = shown(viewer.operator)
    chosen = sa.select(*(table.c[name] for name in SUMMARY_COLUMNS)).where(
        table.c.domain.in_(sorted(set(domains)))
    )
    if not viewer.operator:
        chosen = chosen.where(table.c.gated.is_(False))
    found = await conn.execute(chosen)
    return {row["domain"]: summary(dict(row), viewer, now, links) for row in found.mappings()}


async def pages(
    conn: AsyncConnection, domain: str, links: Links, *, page: int, per_page: int, content: bool = False
) -> tuple[list[dict[str, Any]], int]:
    """One page of a domain's revival kit, most archived first, and how many pages there are in all.

    Whether the viewer may see it is for the caller to ask with `look`: it takes `full`.
    """
    table = archived_pages
    mine = table.c.domain == domain
    total = (await conn.execute(sa.select(sa.func.count()).select_from(table).where(mine))).scalar_one()
    columns = [table.c[name] for name in _PAGE_COLUMNS] + ([table.c.content] if content else [])
    chosen = sa.select(*columns).where(mine).order_by(table.c.captures.desc(), table.c.path)
    found = await conn.execute(chosen.limit(per_page).offset((page - 1) * per_page))
    return [_page_item(dict(row), links, content=content) for row in found.mappings()], int(total)


_PAGE_COLUMNS = (
    *("path", "url", "captures", "last_capture", "timestamp", "title", "words", "content_state"),
)


def _page_item(row: Mapping[str, Any], links: Links, *, content: bool) -> dict[str, Any]:
    item = {name: row[name] for name in ("path", "url", "captures", "last_capture", "title", "words")}
    item["webarchive_url"] = links.capture(row["timestamp"], row["url"])
    item["has_content"] = row["content_state"] == "stored"
    if content:
        item["content"] = row["content"] if item["has_content"] else None
    return item
