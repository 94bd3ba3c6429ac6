"""The lists: one page of live, available or archived domains as a viewer sees them, with totals."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Generic, TypeVar

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import list_store, store
from afterdrop.catalogue.list_store import ListSelection
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.summary import DomainSummary, Links, SiteRow, summary

_MOST_KEPT: Final = 2000


Row = TypeVar("Row", SummaryRow, DomainSummary, SiteRow, orjson.Fragment)


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Row]):
    """One page of a list: `rows` as summaries or as their JSON, `total` rows on all pages.

    `locked`: how many more the Pro list holds; None on Pro, on the archive and when `q` is used.
    """

    rows: list[Row]
    total: int
    locked: int | None = None


@dataclass(frozen=True, slots=True)
class _Total:
    total: int
    start: datetime
    until: datetime | None


@dataclass
class ListTotals:
    """Totals of lists kept in memory: counting is most of a list's cost. Hold one per process and database.

    A total is right from the moment it was counted until the next listing ends or the catalogue changes. Totals are
    counted anew each time for operators, and for filters about the hours ahead.
    """

    _kept: OrderedDict[tuple[object, ...], _Total] = field(default_factory=OrderedDict)

    async def total(self, conn: AsyncConnection, selection: ListSelection) -> int:
        """How many rows `selection` has on all pages."""
        return await self._count(conn, selection, selection.count(), "total")

    async def locked(self, conn: AsyncConnection, selection: ListSelection) -> int:
        """How many more rows the Pro list holds."""
        return await self._count(conn, selection, selection.count_locked(), "locked")

    async def _count(
        self, conn: AsyncConnection, selection: ListSelection, count: sa.Select[int], what: str
    ) -> int:
        now = selection.now
        wanted = selection.wanted
        if selection.viewer.operator or wanted.window(now) is not None or wanted.min_age is not None:
            return await list_store.count_rows(conn, count)
        catalogue = await store.version(conn)
        key = (catalogue, what, selection.which, selection.viewer.plan, selection.wanted.digest())
        kept = self._kept.get(key)
        if kept and kept.start <= now and (kept.until is None or now < kept.until):
            self._kept.move_to_end(key)
            return kept.total
        until = await list_store.next_end(conn, now)
        total = await list_store.count_rows(conn, count)
        self._kept[key] = _Total(total, now, until)
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return total


async def list_page(
    conn: AsyncConnection,
    selection: ListSelection,
    links: Links,
    *,
    page: int = 1,
    per_page: int = 25,
    totals: ListTotals | None = None,
) -> ListPage[DomainSummary]:
    """One page of a list. `totals` keeps totals between calls."""
    found = await stored_page(conn, selection, page, per_page, totals or ListTotals())
    rows = [summary(row, selection.viewer, selection.now, links) for row in found.rows]
    return ListPage(rows, found.total, found.locked)


async def stored_page(
    conn: AsyncConnection, selection: ListSelection, page: int, per_page: int, totals: ListTotals
) -> ListPage[SummaryRow]:
    """The same with rows as they are stored."""
    total = await totals.total(conn, selection)
    rows: list[SummaryRow] = []
    if (page - 1) * per_page < total:
        rows = await list_store.list_rows(conn, selection, page, per_page)
    locked = await totals.locked(conn, selection) if selection.tells_locked else None
    return ListPage(rows, total, locked)
