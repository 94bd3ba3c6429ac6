"""The pending-delete names of a viewer's live list: how many drop when, and those of a time."""

from __future__ import annotations

from datetime import datetime
from typing import cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.filters import ListFilter
from afterdrop.catalogue.list_store import ListSelection
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.store import SUMMARY_COLUMNS
from afterdrop.catalogue.summary import DomainSummary, Links, summary


def _selection(viewer: Viewer, now: datetime) -> ListSelection:
    return ListSelection("live", ListFilter.of(types=["pending_delete"]), viewer, now)


async def drop_counts(
    conn: AsyncConnection, viewer: Viewer, now: datetime, until: datetime
) -> list[tuple[str, datetime, int]]:
    """`(extension, end, number)` of the names that drop by `until`."""
    selection = _selection(viewer, now)
    table = selection.table
    ends = sa.and_(table.c.ends_at > now, table.c.ends_at <= until)
    counted = sa.select(table.c.tld, table.c.ends_at, sa.func.count()).where(*selection.where(table), ends)
    found = await conn.execute(counted.group_by(table.c.tld, table.c.ends_at))
    return [(str(tld), ends_at, int(number)) for tld, ends_at, number in found]


async def dropping(
    conn: AsyncConnection, viewer: Viewer, links: Links, now: datetime, span: tuple[datetime, datetime, int]
) -> list[DomainSummary]:
    """The best names that drop in `span`: from, until, and how many at most."""
    first, last, most = span
    selection = _selection(viewer, now)
    table = selection.table
    ends = sa.and_(table.c.ends_at > now, table.c.ends_at >= first, table.c.ends_at <= last)
    chosen = sa.select(*(table.c[name] for name in SUMMARY_COLUMNS)).where(*selection.where(table), ends)
    rows = await conn.execute(chosen.order_by(table.c.score.desc(), table.c.domain).limit(most))
    return [summary(cast(SummaryRow, dict(row)), viewer, now, links) for row in rows.mappings()]
