"""The sort orders of a snapshot's rows: by a column, then the latest found first, then by name.

Orders that somebody asked for are kept, as numbers of rows. A change makes new ones; a page is read from its nearer
end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from afterdrop.catalogue.lists.row_masks import RowMasks
from afterdrop.catalogue.lists.search_index import Rows
from afterdrop.catalogue.lists.snapshot_rows import NEVER, Numbers, never

Order = NDArray[np.int32]

# So few rows are sorted for themselves: cheaper than looking for them in an order of all.
_FEW: Final = 1000


class By(NamedTuple):
    """A column of the snapshot and a direction."""

    column: str
    descending: bool


TIES: Final = By("found", descending=True)
BY_NAME: Final = By("name", descending=False)
# What the API's lists are sorted by, beside those two.
_USUAL: Final = (
    *(By(name, True) for name in ("score", "dr", "ends", "until")),
    *(By(name, False) for name in ("ends", "until", "price", "price_pro", "price_free")),
)


class SortOrders:
    """The orders over the visible rows of `masks`."""

    def __init__(self, masks: RowMasks) -> None:
        self._masks = masks
        self._names: list[str] = []
        self._orders: dict[By, Order] = {}
        self._places: Order = np.zeros(0, dtype=np.int32)

    def add(self, name: str) -> None:
        """Give the next row its name."""
        self._names.append(name)

    def complete(self) -> None:
        """Sort all rows."""
        # Here and not in SQL: each database sorts names by its own language.
        names = np.array(sorted(range(len(self._names)), key=self._names.__getitem__), dtype=np.int32)
        found = self._values(TIES, len(self._names))[names]
        ties = names[np.argsort(found, kind="stable")]
        self.show({TIES: ties, BY_NAME: names})
        self.show({TIES: ties, BY_NAME: names} | {by: self._made(by) for by in _USUAL})

    def show(self, orders: Mapping[By, Order]) -> None:
        """Put orders in place of those that there are."""
        ties = orders[TIES]
        places = np.zeros(len(self._names), dtype=np.int32)
        places[ties] = np.arange(len(ties), dtype=np.int32)
        self._orders, self._places = dict(orders), places

    def _values(self, by: By, size: int) -> Numbers:
        """What the first rows are sorted by, ascending."""
        values = self._masks.values(by.column, size)
        if by.column == "marketplace":
            values = np.array(self._masks.codes.ranks(by.column), dtype=np.int64)[values]
        wide = values.astype(np.int64)
        wide[values == never(values)] = NEVER
        return np.where(wide == NEVER, NEVER, -wide) if by.descending else wide

    def _made(self, by: By) -> Order:
        ties = self._orders[TIES]
        values = self._values(by, len(self._names))[ties]
        return ties[np.argsort(values, kind="stable")]

    def with_changes(self, gone: Sequence[int], fresh: Iterable[int]) -> dict[By, Order]:
        """The orders without the rows that are gone and with the fresh ones."""
        keep = np.ones(len(self._names), dtype=np.bool_)
        keep[list(gone)] = False
        fresh, made = list(fresh), {}
        for by, order in list(self._orders.items()):
            key = self._key(by)
            kept = order[keep[order]]
            added = sorted(fresh, key=key)
            places = [bisect_left(kept, key(row), key=key) for row in added]
            made[by] = np.insert(kept, places, np.array(added, dtype=np.int32))
        return made

    def _key(self, by: By) -> Callable[[int], Any]:
        size, names = len(self._names), self._names
        if by == BY_NAME:
            return names.__getitem__
        first, newest = self._values(by, size), self._values(TIES, size)
        return lambda row: (int(first[row]), int(newest[row]), names[row])

    def page(self, bys: Sequence[By], rows: Rows, total: int, start: int, end: int) -> list[int]:
        """The rows from `start` to before `end` among the `total` that are True in `rows`, in the order of columns."""
        by, end = bys[0], min(end, total)
        if start >= end:
            return []
        if by.column == "name":
            # No two are alike, so no other column matters.
            return self._by_name(rows, total, start, end, descending=by.descending)
        if total <= _FEW:
            return self._sorted(bys, np.flatnonzero(rows), len(rows))[start:end]
        if len(bys) > 1:
            return self._among_ties(bys, rows, total, start, end)
        order = self._orders.get(by)
        if order is None:
            order = self._orders[by] = self._made(by)
        return _from_nearer_end(order, rows, total, start, end)

    def _by_name(self, rows: Rows, total: int, start: int, end: int, *, descending: bool) -> list[int]:
        if descending:
            return self._by_name(rows, total, total - end, total - start, descending=False)[::-1]
        if total <= _FEW:
            return sorted(np.flatnonzero(rows).tolist(), key=self._names.__getitem__)[start:end]
        return _from_nearer_end(self._orders[BY_NAME], rows, total, start, end)

    def _among_ties(self, bys: Sequence[By], rows: Rows, total: int, start: int, end: int) -> list[int]:
        """By several columns: only rows whose first value stands on the page are sorted by the others."""
        [first], [last] = (self.page(bys[:1], rows, total, at, at + 1) for at in (start, end - 1))
        values = self._values(bys[0], len(rows))
        before = int(np.count_nonzero(rows & (values < values[first])))
        tied = np.flatnonzero(rows & (values >= values[first]) & (values <= values[last]))
        return self._sorted(bys, tied, len(rows))[start - before : end - before]

    def _sorted(self, bys: Sequence[By], few: NDArray[np.intp], size: int) -> list[int]:
        keys: list[NDArray[np.int64]] = [self._keys(by, few, size) for by in reversed(bys)]
        found: list[int] = few[np.lexsort([self._places[few].astype(np.int64), *keys])].tolist()
        return found

    def _keys(self, by: By, few: NDArray[np.intp], size: int) -> Numbers:
        if by.column != "name":
            return self._values(by, size)[few]
        ranks = np.zeros(len(self._names), dtype=np.int64)
        ranks[self._orders[BY_NAME]] = np.arange(len(self._orders[BY_NAME]))
        return -ranks[few] if by.descending else ranks[few]


def _from_nearer_end(order: Order, rows: Rows, total: int, start: int, end: int) -> list[int]:
    if start > total // 2:
        return _walked(order[::-1], rows, total, total - end, total - start)[::-1]
    return _walked(order, rows, total, start, end)


def _walked(order: Order, rows: Rows, total: int, start: int, end: int) -> list[int]:
    """The rows of an order that are True in `rows`, from `start` to before `end` of them, reading no further."""
    found: list[Order] = []
    have, place, step = 0, 0, end * len(order) // total + 256
    while have < end and place < len(order):
        part = order[place : place + step]
        found.append(part[rows[part]])
        have, place = have + len(found[-1]), place + step
    chosen: list[int] = np.concatenate(found)[start:end].tolist()
    return chosen
