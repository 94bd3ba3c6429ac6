"""Totals of lists kept in memory: counting is most of a list's cost, and a total stands still between two changes."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.queries import ListSelection
from afterdrop.db.tables.catalogue import domains, versions

_KEPT = 2000


@dataclass(frozen=True, slots=True)
class _Total:
    total: int
    start: datetime
    until: datetime | None


@dataclass
class Counts:
    """Totals of one database, by catalogue version and question; hold one per process and database.

    A total is right from the moment it was counted until the next listing ends or the catalogue changes; a question
    about the hours ahead, and an operator's, is counted anew each time.
    """

    _kept: OrderedDict[tuple[object, ...], _Total] = field(default_factory=OrderedDict)

    async def total(self, conn: AsyncConnection, question: ListSelection) -> int:
        """How many rows `question` has on all pages."""
        return await self._count(conn, question, question.count(), "total")

    async def locked(self, conn: AsyncConnection, question: ListSelection) -> int:
        """How many more rows the Pro list holds."""
        return await self._count(conn, question, question.count_locked(), "locked")

    async def _count(
        self, conn: AsyncConnection, question: ListSelection, count: sa.Select[int], what: str
    ) -> int:
        if question.viewer.operator or question.wanted.ending_within_hours is not None:
            return await _scalar(conn, count)
        key = (await version(conn), what, question.which, question.viewer.plan, question.wanted.digest())
        kept = self._kept.get(key)
        if kept and kept.start <= question.now and (kept.until is None or question.now < kept.until):
            self._kept.move_to_end(key)
            return kept.total
        turn = sa.select(sa.func.min(domains.c.live_until)).where(domains.c.live_until > question.now)
        until = (await conn.execute(turn)).scalar_one()
        total = await _scalar(conn, count)
        self._kept[key] = _Total(total, question.now, until)
        self._kept.move_to_end(key)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return total


async def _scalar(conn: AsyncConnection, count: sa.Select[int]) -> int:
    return int((await conn.execute(count)).scalar_one())


async def version(conn: AsyncConnection) -> int:
    """The catalogue's version number: it rises with every change that a reader could notice."""
    found = await conn.execute(sa.select(versions.c.value).where(versions.c.name == "catalogue"))
    return int(found.scalar_one_or_none() or 0)
