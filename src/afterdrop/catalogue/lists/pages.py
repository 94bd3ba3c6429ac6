"""The lists: live, available or archived domains as a viewer sees them, with totals.

`Lists` is what callers ask. Whether rows come from memory or from the database is decided there and nowhere else.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Generic, NamedTuple, TypeVar

import orjson
import sqlalchemy as sa
from cachetools import LRUCache
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue import store
from afterdrop.catalogue.lists import list_store
from afterdrop.catalogue.lists.asking import Asking
from afterdrop.catalogue.lists.filters import ListSelection
from afterdrop.catalogue.lists.snapshot import Snapshot
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.stats import ListFigures, stored_figures
from afterdrop.catalogue.summary import Links, site_row, summary
from afterdrop.core.errors import NotReady
from afterdrop.db.engine import Database

_MOST_KEPT: Final = 2000
# While the lists are being read into memory, a statement may take no longer than this: on a large catalogue it would
# take seconds, which the reading would lose.
_PATIENCE_SECONDS: Final = 0.1
# Rows of a whole list that are made in one go: some milliseconds.
_AT_ONCE: Final = 250
# Of so few rows the lists are in memory before anybody could ask again: they are waited for.
_FEW_ROWS: Final = 5_000
_MOMENT_SECONDS: Final = 2.0
# Of more rows no database counts and sorts a list at once. To let it try costs up to a second even where it is broken
# off, and slows down the reading.
_MOST_ANSWERED: Final = 200_000
_LOADING: Final = "the service is still reading its lists into memory; try again in a moment"
Result = TypeVar("Result")


Row = TypeVar("Row", SummaryRow, Summary, SiteRow, orjson.Fragment)


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

    _kept: LRUCache[tuple[object, ...], _Total] = field(default_factory=lambda: LRUCache(_MOST_KEPT))

    async def total(self, conn: AsyncConnection, selection: ListSelection) -> int:
        """How many rows `selection` has on all pages."""
        return await self._count(conn, selection, list_store.count_sql(selection), "total")

    async def locked(self, conn: AsyncConnection, selection: ListSelection) -> int:
        """How many more rows the Pro list holds."""
        return await self._count(conn, selection, list_store.count_locked_sql(selection), "locked")

    async def _count(
        self, conn: AsyncConnection, selection: ListSelection, count: sa.Select[int], what: str
    ) -> int:
        now = selection.at.now
        wanted = selection.wanted
        if selection.at.viewer.operator or wanted.moves:
            return await list_store.count_rows(conn, count)
        catalogue = await store.version(conn)
        key = (catalogue, what, selection.at.which, selection.at.viewer.plan, selection.wanted.digest())
        kept = self._kept.get(key)
        if kept and kept.start <= now and (kept.until is None or now < kept.until):
            return kept.total
        until = await list_store.next_end(conn, now)
        total = await list_store.count_rows(conn, count)
        self._kept[key] = _Total(total, now, until)
        return total


async def list_page(
    conn: AsyncConnection,
    selection: ListSelection,
    links: Links,
    *,
    page: int = 1,
    per_page: int = 25,
    totals: ListTotals | None = None,
) -> ListPage[Summary]:
    """One page of a list. `totals` keeps totals between calls."""
    found = await stored_page(conn, selection, page, per_page, totals or ListTotals())
    rows = [summary(row, selection.at.viewer, selection.at.now, links) for row in found.rows]
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


class Shape(NamedTuple, Generic[Row]):
    """How rows are shown: made of rows in memory, or of one that was read."""

    in_memory: Callable[[Snapshot, Sequence[int], Asking], list[Row]]
    stored: Callable[[SummaryRow, Viewer, datetime, Links], Row]


def _fragment(row: SummaryRow, viewer: Viewer, now: datetime, links: Links) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(summary(row, viewer, now, links)))


SITE_ROWS: Final = Shape(Snapshot.site_rows, site_row)
# For those who only pass summaries on as JSON.
FRAGMENTS: Final = Shape(Snapshot.ready, _fragment)


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of one process. They are read from memory where they are there, else from the database."""

    database: Database
    snapshots: Snapshots
    links: Links
    totals_kept: ListTotals = field(default_factory=ListTotals)

    async def either(
        self,
        operator: bool,
        in_memory: Callable[[Snapshot], Result],
        stored: Callable[[AsyncConnection], Awaitable[Result]],
    ) -> Result:
        """What an audience's lists in memory answer, or the database where there are none.

        Raises `NotReady` where they are being read and the database does not answer at once.
        """
        snapshot = await self.snapshots.current(operator)
        if snapshot is None and self.snapshots.ready_in(operator) is not None:
            snapshot = await self._awaited(operator)
        if snapshot is not None:
            return in_memory(snapshot)
        wait = self.snapshots.ready_in(operator)
        if wait is None:
            async with self.database.read() as conn:
                return await stored(conn)
        try:
            async with self.database.read_within(_PATIENCE_SECONDS) as conn:
                return await stored(conn)
        except TimeoutError:
            raise NotReady("lists", _LOADING, wait) from None

    async def _awaited(self, operator: bool) -> Snapshot | None:
        """The audience's snapshot that is being made, where it has few rows. `NotReady` where it has very many."""
        rows = math.inf
        with suppress(TimeoutError):
            async with asyncio.timeout(_MOMENT_SECONDS):
                rows = await self.snapshots.rows_being_read(operator)
        if rows > _MOST_ANSWERED:
            wait = self.snapshots.ready_in(operator)
            raise NotReady("lists", _LOADING, wait or 1)
        if rows > _FEW_ROWS:
            return None
        await self.snapshots.made_within(operator, _MOMENT_SECONDS)
        return await self.snapshots.current(operator)

    async def page(
        self, selection: ListSelection, page: int, per_page: int, shape: Shape[Row]
    ) -> ListPage[Row]:
        """One page of a list."""

        def in_memory(snapshot: Snapshot) -> ListPage[Row]:
            found = snapshot.page(selection, page, per_page)
            return ListPage(shape.in_memory(snapshot, found.rows, selection.at), found.total, found.locked)

        async def stored(conn: AsyncConnection) -> ListPage[Row]:
            found = await stored_page(conn, selection, page, per_page, self.totals_kept)
            viewer, now = selection.at.viewer, selection.at.now
            rows = [shape.stored(row, viewer, now, self.links) for row in found.rows]
            return ListPage(rows, found.total, found.locked)

        return await self.either(selection.at.viewer.operator, in_memory, stored)

    async def totals(self, selections: Sequence[ListSelection]) -> list[int]:
        """How many domains each of one audience's lists has."""

        async def stored(conn: AsyncConnection) -> list[int]:
            return [await self.totals_kept.total(conn, selection) for selection in selections]

        operator = any(selection.at.viewer.operator for selection in selections)
        return await self.either(operator, lambda snapshot: [*map(snapshot.total, selections)], stored)

    async def whole(self, selection: ListSelection) -> AsyncIterator[Sequence[Summary]]:
        """All of a list in its order, `_AT_ONCE` at a time so that none waits for it.

        From memory it is the list of one moment. From the database it is read page by page, and a domain that moves
        meanwhile may come twice or not at all.
        """

        async def stored(conn: AsyncConnection) -> AsyncIterator[Sequence[Summary]]:
            first = await stored_page(conn, selection, 1, _AT_ONCE, self.totals_kept)
            return self._read_through(selection, first)

        return await self.either(
            selection.at.viewer.operator, lambda snapshot: _of_moment(snapshot, selection), stored
        )

    async def _read_through(
        self, selection: ListSelection, part: ListPage[SummaryRow]
    ) -> AsyncIterator[Sequence[Summary]]:
        for number in itertools.count(2):
            if not part.rows:
                return
            yield [summary(row, selection.at.viewer, selection.at.now, self.links) for row in part.rows]
            async with self.database.read() as conn:
                part = await stored_page(conn, selection, number, _AT_ONCE, self.totals_kept)

    async def figures(self, operator: bool, now: datetime) -> ListFigures:
        """The figures of an audience's lists."""
        return await self.either(
            operator,
            lambda snapshot: ListFigures.of_snapshot(snapshot, now),
            lambda conn: stored_figures(conn, operator, now),
        )


async def _of_moment(snapshot: Snapshot, selection: ListSelection) -> AsyncIterator[Sequence[Summary]]:
    found = snapshot.page(selection, 1, max(len(snapshot), 1)).rows
    for start in range(0, len(found), _AT_ONCE):
        yield snapshot.summaries(found[start : start + _AT_ONCE], selection.at)
        await asyncio.sleep(0)
