"""The SQL of the three lists: which rows a list has for a viewer, in which order, and how many.

`ListSelection` follows the same rules as `access`, `status` and `filters` do for one summary; a property test holds
them together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.lists.columns import SORTED_BY, available_sql
from afterdrop.catalogue.lists.filters import ListFilter, Order, Sort, orders_of
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.store import audience_view, ended, live, on_list, summary_select
from afterdrop.db.dialects import ByCodePoint
from afterdrop.db.tables.catalogue import domains


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
    sort: Sort | Order | Sequence[Order] | None = None

    @property
    def pro(self) -> bool:
        """Whether the viewer's plan is Pro."""
        return self.viewer.plan == "pro"

    @property
    def tells_locked(self) -> bool:
        """Whether the viewer is told how many more rows the Pro list holds.

        Not where that would tell what became of a name that was asked for.
        """
        return self.viewer.plan == "free" and self.which != "archive" and not self.wanted.finds_names

    @property
    def table(self) -> sa.FromClause:
        """The catalogue as the viewer's audience sees it."""
        return audience_view(self.viewer.operator)

    def page(self, page: int, per_page: int) -> sa.Select[Any]:
        """One page of rows, in order."""
        table = self.table
        chosen = summary_select(table).where(*self.where(table)).order_by(*self._order(table))
        return chosen.limit(per_page).offset((page - 1) * per_page)

    def count(self) -> sa.Select[int]:
        """How many rows there are on all pages."""
        table = self.table
        return sa.select(sa.func.count()).select_from(table).where(*self.where(table))

    def as_pro(self) -> ListSelection:
        """The same list on Pro, without the Trust Flow filters, which free callers cannot use."""
        wanted = self.wanted.without_trust_flow()
        return replace(self, viewer=replace(self.viewer, plan="pro"), wanted=wanted)

    def count_locked(self) -> sa.Select[int]:
        """How many more rows the Pro list holds. The Trust Flow filter does not count: free callers cannot use it."""
        table = self.table
        hidden = table.c.open_now.is_(False) if self.which == "live" else table.c.last_open_on.is_(None)
        return sa.select(sa.func.count()).select_from(table).where(*self.as_pro().where(table), hidden)

    def where(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        """Everything a row must meet to be on the list."""
        found = [on_list(table, self.viewer.operator), *self._membership(table)]
        for criterion, bound in self.wanted.criteria():
            found.append(criterion.test.sql(criterion.column.sql(table, self), bound, table, self))
        return found

    def _membership(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        if self.which == "live":
            shown = live(table, self.now)
            return [shown] if self.pro else [shown, table.c.open_now.is_(True)]
        if self.which == "available":
            return [ended(table, self.now), available_sql(table, self)]
        return [ended(table, self.now)]

    def _order(self, table: sa.FromClause) -> list[sa.ColumnElement[Any]]:
        found = []
        for order in orders_of(self.which, self.sort):
            column = SORTED_BY[order.column].sql(table, self)
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
    found = await conn.execute(selection.page(page, per_page))
    return [cast(SummaryRow, dict(row)) for row in found.mappings()]


async def next_end(conn: AsyncConnection, now: datetime) -> datetime | None:
    """When the next domain ends; None when none has a known end."""
    soonest = sa.select(sa.func.min(domains.c.live_until)).where(domains.c.live_until > now)
    found: datetime | None = (await conn.execute(soonest)).scalar_one()
    return found
