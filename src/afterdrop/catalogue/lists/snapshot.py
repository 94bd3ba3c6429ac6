"""The lists in memory: columns of numbers, their sort orders, and each row's bytes.

A property test holds what they answer and the rules about single summaries together. Rows are only ever added: a
changed domain gets a new row and its old one is left out of every order. So what a thread prepares is not seen before
`apply` puts it in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import orjson

from afterdrop.catalogue.lists.asking import Asking
from afterdrop.catalogue.lists.columns import LANGUAGE, MARKETPLACE, SORTED_BY, TOPIC
from afterdrop.catalogue.lists.comparisons import running
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.row_masks import RowMasks, counted
from afterdrop.catalogue.lists.search_index import Mask, packed, unpacked
from afterdrop.catalogue.lists.snapshot_rows import (
    Codes,
    Numbers,
    PackedRows,
    ReadyRows,
    StoredRow,
    never,
    unpack,
)
from afterdrop.catalogue.lists.sort_orders import By, Order, SortOrders
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.summary import Links, site_row, summary


@dataclass(frozen=True, slots=True)
class FoundRows:
    """What a list has: the rows of one page, and how many there are on all pages and on the Pro list beyond them."""

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


@dataclass(frozen=True, slots=True)
class RowChange:
    """New sort orders, and the rows that appear and disappear with them."""

    orders: Mapping[By, Order]
    size: int
    gone: list[int]
    rows: Mapping[str, int | None]


class Parts(NamedTuple):
    """A snapshot as numbers, and as facts that JSON holds."""

    facts: dict[str, Any]
    arrays: dict[str, Numbers]


class Snapshot:
    """The catalogue as it was at `version`."""

    def __init__(self, links: Links, version: int = 0, capacity: int = 1000) -> None:
        self.version = version
        self._links = links
        self._masks = RowMasks(links, capacity)
        self._orders = SortOrders(self._masks)
        self._shown: Mask = np.zeros(0, dtype=np.uint64)
        self._names: list[str] = []
        self._packed = PackedRows(capacity)
        self._ready = ReadyRows(links)
        self._occurring: dict[tuple[str, str], tuple[int, int, Occurring]] = {}

    def kept(self) -> Parts:
        """What `restored` needs of the visible rows. More may be added meanwhile."""
        size = self._masks.size
        names = "\n".join(self._names[:size]).encode()
        arrays: dict[str, Numbers] = {"names": np.frombuffer(names, dtype=np.uint8), "shown": self._shown}
        arrays |= self._masks.arrays() | self._orders.arrays() | self._packed.arrays(size)
        return Parts({"version": self.version, "words": self._masks.codes.words()}, arrays)

    @classmethod
    def restored(cls, links: Links, kept: Parts) -> Snapshot:
        """A snapshot again, as it was kept."""
        made, arrays = cls(links, kept.facts["version"], 0), kept.arrays
        names = arrays["names"].tobytes().decode()
        made._names = names.split("\n") if names else []
        codes = Codes.restored(kept.facts["words"])
        made._shown, made._packed = arrays["shown"], PackedRows.restored(arrays)
        shown = np.flatnonzero(unpacked(made._shown, len(made._names)))
        made._masks = RowMasks.restored(links, arrays, codes, made._names, shown)
        made._orders = SortOrders.restored(made._masks, arrays, made._names)
        return made

    # Filling

    def add(self, rows: Iterable[StoredRow]) -> None:
        """Add rows, unseen until `complete` or `prepare` and `apply` sort them in."""
        rows = [*rows]
        self._masks.add(rows)
        for row in rows:
            self._packed.add(row)
            self._orders.add(row.domain)
            self._names.append(row.domain)

    def complete(self, version: int) -> None:
        """Sort the rows added so far, and show them."""
        self._orders.complete()
        self._masks.row_of = {name: row for row, name in enumerate(self._names)}
        self._masks.size, self.version = len(self._names), version
        self._shown = packed(np.ones(len(self._names), dtype=np.bool_))

    def prepare(self, names: Iterable[str], rows: Sequence[StoredRow]) -> RowChange:
        """Sort changed domains in: `names` are all that changed, `rows` those of them that are on a list.

        A thread may do this while the lists are read, one change after another.
        """
        first = len(self._names)
        self.add(rows)
        placed: dict[str, int | None] = dict.fromkeys(names)
        placed |= {row.domain: first + number for number, row in enumerate(rows)}
        gone = [self._masks.row_of[name] for name in placed if name in self._masks.row_of]
        size = len(self._names)
        return RowChange(self._orders.with_changes(gone, range(first, size)), size, gone, placed)

    def apply(self, change: RowChange, version: int) -> None:
        """Show a change that was prepared."""
        shown = np.ones(change.size, dtype=np.bool_)
        shown[: self._masks.size] = unpacked(self._shown, self._masks.size)
        shown[change.gone] = False
        for name, row in change.rows.items():
            if row is None:
                self._masks.row_of.pop(name, None)
            else:
                self._masks.row_of[name] = row
        self._orders.show(change.orders)
        self._shown, self._masks.size, self.version = packed(shown), change.size, version

    @property
    def wasted(self) -> int:
        """How many rows are kept that no list shows any more."""
        return self._masks.size - len(self._masks.row_of)

    def __len__(self) -> int:
        return len(self._masks.row_of)

    # Lists

    def page(self, selection: ListSelection, page: int, per_page: int) -> FoundRows:
        """One page of a list, how much it has, and where the viewer is told how much the Pro list has beyond it."""
        rows = self._masks.listed(selection, self._shown)
        total, start = counted(rows), (page - 1) * per_page
        found: list[int] = []
        if start < total:
            among = unpacked(rows, self._masks.size)
            found = self._orders.page(_orders(selection), among, total, start, start + per_page)
        locked = None
        if selection.tells_locked:
            locked = counted(self._locked(selection))
        return FoundRows(found, total, locked)

    def locked(self, selection: ListSelection, most: int) -> list[int]:
        """The best rows that the Pro list has beyond the viewer's; none where it is not told how many there are."""
        if not selection.tells_locked:
            return []
        rows = self._locked(selection)
        best = ListSelection(selection.at, selection.wanted)
        return self._orders.page(_orders(best), unpacked(rows, self._masks.size), counted(rows), 0, most)

    def _locked(self, selection: ListSelection) -> Mask:
        hidden = self._masks.equal("open" if selection.at.which == "live" else "opened", 0)
        return self._masks.listed(selection.as_pro(), self._shown & hidden)

    def total(self, selection: ListSelection) -> int:
        """How many rows a list has on all pages."""
        return counted(self._masks.listed(selection, self._shown))

    def occurring(self, at: Asking) -> Occurring:
        """How many rows of a whole list have each word of the columns `COUNTED`, as counted in this minute."""
        key, minute = (at.which, at.viewer.plan), int(at.now.timestamp()) // 60
        version, counted_at, found = self._occurring.get(key, (-1, 0, {}))
        if (version, counted_at) != (self.version, minute):
            rows = unpacked(
                self._masks.listed(ListSelection(at, ListFilter()), self._shown), self._masks.size
            )
            found = {column.name: self._masks.words_in(column.in_memory(at), rows) for column in COUNTED}
            self._occurring[key] = (self.version, minute, found)
        return found

    # Rows

    def summaries(self, rows: Sequence[int], at: Asking) -> list[Summary]:
        """The summaries of rows as the viewer sees them."""
        viewer, now = at.viewer, at.now
        return [summary(unpack(self._packed[row]), viewer, now, self._links) for row in rows]

    def site_rows(self, rows: Sequence[int], at: Asking) -> list[SiteRow]:
        """The same for the site's lists."""
        viewer, now = at.viewer, at.now
        return [site_row(unpack(self._packed[row]), viewer, now, self._links) for row in rows]

    def ready(self, rows: Sequence[int], at: Asking) -> list[orjson.Fragment]:
        """The same as JSON."""
        now = int(at.now.timestamp())
        return [self._ready.json(row, self._packed, at, now) for row in rows]

    # Figures

    def live_figures(self, now: int) -> LiveFigures:
        """The figures of the live list at `now`, in seconds since 1970."""
        mask = self._shown & self._masks.over("until", now)
        rows = unpacked(mask, self._masks.size)
        soon = mask & running(self._masks, now) & self._masks.at_most("ends", now + 86_400)
        rating = self._masks.values("dr")[rows]
        rated = rating[rating != never(rating)]
        total = counted(mask)
        return LiveFigures(
            domains=total,
            open=counted(mask & self._masks.equal("open", 1)),
            ending_within_24h=counted(soon),
            scores=total,
            score_sum=int(self._masks.values("score")[rows].sum()),
            ratings=len(rated),
            rating_sum=int(rated.sum()),
        )

    def ended_counts(self, now: int) -> tuple[int, int]:
        """How many domains have ended at `now`, in seconds since 1970, and how many of them are free."""
        mask = self._shown & self._masks.at_most("until", now)
        return counted(mask), counted(mask & self._masks.equal("free_pro", 1))


def _orders(selection: ListSelection) -> list[By]:
    """The columns that a selection is sorted by, as its viewer sees them."""
    return [
        By(SORTED_BY[order.column].in_memory(selection.at), order.descending) for order in selection.orders
    ]
