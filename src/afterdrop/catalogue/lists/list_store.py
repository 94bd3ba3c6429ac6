"""The SQL of the three lists: which rows a list has for a viewer, in which order, and how many.

They follow the same rules as `access`, `status` and `filters` do for one summary; a property test holds
them together.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.lists.asking import Asking
from afterdrop.catalogue.lists.columns import SORTED_BY, available_sql
from afterdrop.catalogue.lists.filters import ListSelection
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.store import audience_view, ended, live, on_list, summary_select
from afterdrop.db.dialects import ByCodePoint
from afterdrop.db.tables.catalogue import domains


def page_sql(selection: ListSelection, page: int, per_page: int) -> sa.Select[Any]:
    """One page of rows, in order."""
    table = _table(selection)
    chosen = summary_select(table).where(*where(selection, table)).order_by(*_order(selection, table))
    return chosen.limit(per_page).offset((page - 1) * per_page)


def count_sql(selection: ListSelection) -> sa.Select[int]:
    """How many rows there are on all pages."""
    table = _table(selection)
    return sa.select(sa.func.count()).select_from(table).where(*where(selection, table))


def count_locked_sql(selection: ListSelection) -> sa.Select[int]:
    """How many more rows the Pro list holds. The Trust Flow filter does not count: free callers cannot use it."""
    table = _table(selection)
    hidden = table.c.open_now.is_(False) if selection.at.which == "live" else table.c.last_open_on.is_(None)
    return sa.select(sa.func.count()).select_from(table).where(*where(selection.as_pro(), table), hidden)


def where(selection: ListSelection, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
    """Everything a row must meet to be on the list."""
    at = selection.at
    found = [on_list(table, at.viewer.operator), *_membership(at, table)]
    for criterion, bound in selection.wanted.criteria():
        found.append(criterion.test.sql(criterion.column.sql(table, at), bound, table, at))
    return found


def _table(selection: ListSelection) -> sa.FromClause:
    return audience_view(selection.at.viewer.operator)


def _membership(at: Asking, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
    if at.which == "live":
        shown = live(table, at.now)
        return [shown] if at.pro else [shown, table.c.open_now.is_(True)]
    if at.which == "available":
        return [ended(table, at.now), available_sql(table, at)]
    return [ended(table, at.now)]


def _order(selection: ListSelection, table: sa.FromClause) -> list[sa.ColumnElement[Any]]:
    found = []
    for order in selection.orders:
        column = SORTED_BY[order.column].sql(table, selection.at)
        if isinstance(column.type, sa.String):
            column = ByCodePoint(column)
        found.append((column.desc() if order.descending else column.asc()).nulls_last())
    return [*found, table.c.found_at.desc(), ByCodePoint(table.c.domain).asc()]


async def count_rows(conn: AsyncConnection, count: sa.Select[int]) -> int:
    """What one of the counts of a `ListSelection` gives."""
    return int((await conn.execute(count)).scalar_one())


async def list_rows(
    conn: AsyncConnection, selection: ListSelection, page: int, per_page: int
) -> list[SummaryRow]:
    """One page of a list, in order."""
    found = await conn.execute(page_sql(selection, page, per_page))
    return [cast(SummaryRow, dict(row)) for row in found.mappings()]


async def next_end(conn: AsyncConnection, now: datetime) -> datetime | None:
    """When the next domain ends; None when none has a known end."""
    soonest = sa.select(sa.func.min(domains.c.live_until)).where(domains.c.live_until > now)
    found: datetime | None = (await conn.execute(soonest)).scalar_one()
    return found
