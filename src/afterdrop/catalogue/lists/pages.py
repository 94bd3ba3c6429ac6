"""The lists: live, available or archived domains as a viewer sees them, with totals.

`Lists` is what callers ask. Every answer comes from memory; what is asked before the lists are there hears when to ask
again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Generic, TypeVar

import orjson

from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListSelection
from afterdrop.catalogue.lists.snapshot import Occurring, Snapshot
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.masked_rows import MaskedRow, masked_row
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.stats import ListFigures
from afterdrop.core.errors import NotReady

# Rows of a whole list that are made in one go: some milliseconds.
_AT_ONCE: Final = 250
_LOADING: Final = "the service is still reading its lists into memory; try again in a moment"
_BEHIND: Final = "the service could not read the newest changes of its lists; try again in a moment"

Row = TypeVar("Row", Summary, SiteRow, orjson.Fragment)
# How rows are shown.
Shape = Callable[[Snapshot, Sequence[int], ListContext], list[Row]]
SITE_ROWS: Final = Snapshot.site_rows
# For those who only pass summaries on as JSON.
FRAGMENTS: Final = Snapshot.ready


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Row]):
    """One page of a list: `rows` as summaries or as their JSON, `total` rows on all pages.

    `locked`: how many more the Pro list holds; None on Pro, on the archive and when `q` is used.
    """

    rows: list[Row]
    total: int
    locked: int | None = None


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of one process. Those that are there within `patience` seconds are waited for."""

    snapshots: Snapshots
    patience: ClassVar[float] = 2.0

    async def snapshot(self) -> Snapshot:
        """The lists of this moment. Those that are nearly read are waited for.

        Raises `NotReady` where they take longer, or where the newest changes cannot be read.
        """
        found = await self.snapshots.current()
        if found is None and self.snapshots.ready_in() is not None:
            await self.snapshots.made_within(self.patience)
            found = await self.snapshots.current()
        if found is not None:
            return found
        wait = self.snapshots.ready_in()
        if wait is None:
            raise NotReady("lists", _BEHIND, self.snapshots.retry_seconds)
        raise NotReady("lists", _LOADING, wait)

    async def page(
        self, selection: ListSelection, page: int, per_page: int, shape: Shape[Row]
    ) -> ListPage[Row]:
        """One page of a list."""
        return page_of(await self.snapshot(), selection, page, per_page, shape)

    async def totals(self, selections: Sequence[ListSelection]) -> list[int]:
        """How many domains each of these lists has."""
        return [*map((await self.snapshot()).total, selections)]

    async def locked(self, selection: ListSelection, most: int) -> list[MaskedRow]:
        """The best that the Pro list has beyond a free viewer's, as far as they may be told."""
        snapshot = await self.snapshot()
        rows = snapshot.locked(selection, most)
        return [masked_row(each) for each in snapshot.summaries(rows, selection.as_pro().at)]

    async def occurring(self, at: ListContext) -> Occurring:
        """How many rows of a whole list have each language, topic and marketplace."""
        return (await self.snapshot()).occurring(at)

    async def whole(self, selection: ListSelection) -> AsyncIterator[Sequence[Summary]]:
        """All of a list of this moment in its order, `_AT_ONCE` at a time so that none waits for it."""
        return _of_moment(await self.snapshot(), selection)

    async def figures(self, now: datetime) -> ListFigures:
        """The figures of the lists."""
        return ListFigures.of_snapshot(await self.snapshot(), now)


def page_of(
    snapshot: Snapshot, selection: ListSelection, page: int, per_page: int, shape: Shape[Row]
) -> ListPage[Row]:
    """One page of a list out of a snapshot."""
    found = snapshot.page(selection, page, per_page)
    return ListPage(shape(snapshot, found.rows, selection.at), found.total, found.locked)


async def _of_moment(snapshot: Snapshot, selection: ListSelection) -> AsyncIterator[Sequence[Summary]]:
    found = snapshot.page(selection, 1, max(len(snapshot), 1)).rows
    for start in range(0, len(found), _AT_ONCE):
        yield snapshot.summaries(found[start : start + _AT_ONCE], selection.at)
        await asyncio.sleep(0)
