"""The lists in memory: which rows a list has, in which order, and as what they are shown.

A property test holds what they answer and the rules about single summaries together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import orjson

from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.columns import LANGUAGE, MARKETPLACE, SORTED_BY, TOPIC, Row
from afterdrop.catalogue.lists.comparisons import running
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.search_index import Rows
from afterdrop.catalogue.lists.snapshot_rows import CompressedRows, ReadyRows, to_bytes
from afterdrop.catalogue.lists.sort_orders import Order
from afterdrop.catalogue.lists.sorted_page import sorted_rows
from afterdrop.catalogue.lists.table import Arrays, Table
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.summary import Links, site_row, summary


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The rows of one page of a list, and how many there are on all pages and on the Pro list beyond them."""

    rows: list[int]
    total: int
    locked: int | None


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """Figures of the live list: counts, and sums with the number of values in them."""

    domains: int
    open: int
    ending_within_24h: int
    scores: int
    score_sum: int
    ratings: int
    rating_sum: int


# How many rows have each word, by the names of columns.
Occurring = Mapping[str, Mapping[str, int]]
# The columns whose words a reader chooses among.
COUNTED: Final = (LANGUAGE, TOPIC, MARKETPLACE)


class Snapshot:
    """The catalogue as it was at `version`."""

    def __init__(self, links: Links, version: int = 0, capacity: int = 1000) -> None:
        self.version = version
        self._links = links
        self._table = Table(links, capacity)
        self._rows = CompressedRows()
        self._ready = ReadyRows(links)

    def arrays(self) -> Arrays:
        """The arrays that `restored` needs. More rows may be added while it is written."""
        return {"version": np.array([self.version]), **self._table.arrays(), **self._rows.arrays()}

    @classmethod
    def restored(cls, links: Links, arrays: Arrays) -> Snapshot:
        """The snapshot again of its `arrays`."""
        made = cls(links, int(arrays["version"][0]), 0)
        made._table = Table.restored(links, arrays)
        made._rows = CompressedRows.restored(arrays)
        return made

    # Filling

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows, unseen until `show`. A thread may do this while the lists are read."""
        shown = [to_bytes(row) for row in rows]
        self._table.add(rows)
        self._rows.add(shown)

    def show(self, version: int, changed: Iterable[str] = ()) -> None:
        """Show what was added, in place of what there was of these domains."""
        self._table.show(changed)
        self.version = version

    @property
    def wasted(self) -> int:
        """How many rows are kept that no list shows any more."""
        return len(self._table.shown) - len(self)

    def __len__(self) -> int:
        return len(self._table.row_of)

    # Lists

    def page(self, selection: ListSelection, page: int, per_page: int) -> FoundRows:
        """One page of a list, how much it has, and where the viewer is told how much the Pro list has beyond it."""
        rows, start = self._listed(selection), (page - 1) * per_page
        locked = int(np.count_nonzero(self._locked(selection))) if selection.tells_locked else None
        found = sorted_rows(self._table, _orders(selection), rows, start, start + per_page)
        return FoundRows(found, int(np.count_nonzero(rows)), locked)

    def locked(self, selection: ListSelection, most: int) -> list[int]:
        """The best rows that the Pro list has beyond the viewer's; none where it is not told how many there are."""
        if not selection.tells_locked:
            return []
        best = ListSelection(selection.at, selection.wanted)
        return sorted_rows(self._table, _orders(best), self._locked(selection), 0, most)

    def total(self, selection: ListSelection) -> int:
        """How many rows a list has on all pages."""
        return int(np.count_nonzero(self._listed(selection)))

    def occurring(self, at: ListContext) -> Occurring:
        """How many rows of a whole list have each word of the columns `COUNTED`."""
        rows = self._listed(ListSelection(at, ListFilter()))
        return {column.name: self._table.word_counts(column.in_memory(at), rows) for column in COUNTED}

    def _listed(self, selection: ListSelection) -> Rows:
        """The rows that a list has for its viewer, with its filters."""
        at, table = selection.at, self._table
        live = table.values("until") > int(at.now.timestamp())
        rows = table.shown & live if at.which == "live" else table.shown & ~live
        if at.which == "live" and not at.pro:
            rows &= table.values("open") == 1
        if at.which == "available":
            rows &= table.values("free_pro" if at.pro else "free") == 1
        for criterion, bound in selection.wanted.criteria():
            rows &= criterion.test.rows(table, criterion.column.in_memory(at), bound, rows, at)
        return rows

    def _locked(self, selection: ListSelection) -> Rows:
        """The rows that the Pro list has beyond a free viewer's."""
        hidden: Rows = self._table.values("open" if selection.at.which == "live" else "opened") == 0
        return hidden & self._listed(selection.as_pro())

    # Rows

    def summaries(self, rows: Sequence[int], at: ListContext) -> list[Summary]:
        """The summaries of rows as the viewer sees them."""
        viewer, now = at.viewer, at.now
        return [summary(self._rows[row], viewer, now, self._links) for row in rows]

    def site_rows(self, rows: Sequence[int], at: ListContext) -> list[SiteRow]:
        """The same for the site's lists."""
        viewer, now = at.viewer, at.now
        return [site_row(self._rows[row], viewer, now, self._links) for row in rows]

    def ready(self, rows: Sequence[int], at: ListContext) -> list[orjson.Fragment]:
        """The same as JSON."""
        now = int(at.now.timestamp())
        return [self._ready.json(row, self._rows, at, now) for row in rows]

    # Figures

    def live_figures(self, now: int) -> LiveFigures:
        """The figures of the live list at `now`, in seconds since 1970."""
        table = self._table
        live = table.shown & (table.values("until") > now)
        soon = live & running(table, now) & (table.values("ends") <= now + 86_400)
        rated = table.values("dr")[live & table.known("dr")]
        total = int(np.count_nonzero(live))
        return LiveFigures(
            domains=total,
            open=int(np.count_nonzero(live & (table.values("open") == 1))),
            ending_within_24h=int(np.count_nonzero(soon)),
            scores=total,
            score_sum=int(table.values("score")[live].sum()),
            ratings=len(rated),
            rating_sum=int(rated.sum()),
        )

    def ended_counts(self, now: int) -> tuple[int, int]:
        """How many domains have ended at `now`, in seconds since 1970, and how many of them are free."""
        over = self._table.shown & (self._table.values("until") <= now)
        free = over & (self._table.values("free_pro") == 1)
        return int(np.count_nonzero(over)), int(np.count_nonzero(free))


def _orders(selection: ListSelection) -> list[Order]:
    """The columns that a selection is sorted by, as its viewer sees them."""
    return [
        Order(SORTED_BY[order.column].in_memory(selection.at), order.descending) for order in selection.orders
    ]
