"""The sort orders of a snapshot's rows: by a column, then the latest found first, then by name.

Orders that somebody asked for are kept, as numbers of rows. A change makes new ones; a page is read from its nearer
end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from afterdrop.catalogue.lists.row_masks import RowMasks
from afterdrop.catalogue.lists.search_index import Rows
from afterdrop.catalogue.lists.snapshot_rows import COLUMNS, NEVER, Numbers, never

Order = NDArray[np.int32]

# Before the name of an order's array.
_ORDER: Final = "order "
# So many names are sorted at a time.
_PART: Final = 50_000
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

    def arrays(self) -> dict[str, Order]:
        """What `restored` needs, beside the names."""
        # A copy: whoever asks for a list may add an order meanwhile.
        orders = dict(self._orders)
        return {f"{_ORDER}{by.column} {int(by.descending)}": order for by, order in orders.items()}

    @classmethod
    def restored(cls, masks: RowMasks, arrays: Mapping[str, Order], names: Sequence[str]) -> SortOrders:
        """The orders of rows with these names again, of `arrays`."""
        made = cls(masks)
        made._names = list(names)
        orders: dict[By, Order] = {}
        for name in arrays:
            if name.startswith(_ORDER):
                column, direction = name.removeprefix(_ORDER).split()
                orders[By(column, direction == "1")] = arrays[name]
        made.show(orders)
        return made

    def add(self, name: str) -> None:
        """Give the next row its name."""
        self._names.append(name)

    def complete(self) -> None:
        """Sort all rows."""
        # Here and not in SQL: each database sorts names by its own language.
        count, name = len(self._names), self._names.__getitem__
        # In parts, because a thread that sorts lets no other run meanwhile.
        parts = [sorted(range(count)[at : at + _PART], key=name) for at in range(0, count, _PART)]
        names = np.fromiter(merge(*parts, key=name), dtype=np.int32, count=count)
        ties = names[np.argsort(self._values(TIES, names), kind="stable")]
        self.show({TIES: ties, BY_NAME: names})
        self.show({TIES: ties, BY_NAME: names} | {by: self._made(by) for by in _USUAL})

    def show(self, orders: Mapping[By, Order]) -> None:
        """Put orders in place of those that there are."""
        self._orders, self._places = dict(orders), _places(orders[TIES], len(self._names))

    def _values(self, by: By, rows: Any) -> Numbers:
        """What some rows, an array or a slice, are sorted by, ascending."""
        values = self._masks.values(by.column, len(self._names))[rows]
        wide = values.astype(np.int64)
        if COLUMNS[by.column].kind == "word":
            wide = np.array(self._masks.codes.ranks(by.column), dtype=np.int64)[values]
        wide[values == never(values)] = NEVER
        return np.where(wide == NEVER, NEVER, -wide) if by.descending else wide

    def _made(self, by: By) -> Order:
        ties = self._orders[TIES]
        return ties[np.argsort(self._values(by, ties), kind="stable")]

    def with_changes(self, gone: Sequence[int], fresh: Iterable[int]) -> dict[By, Order]:
        """The orders without the rows that are gone and with the fresh ones."""
        old, size, name = dict(self._orders), len(self._names), self._names.__getitem__
        left, added = np.array(gone, dtype=np.int32), np.array([*fresh], dtype=np.int32)
        kept = np.delete(old[BY_NAME], [bisect_left(old[BY_NAME], name(row), key=name) for row in gone])
        sorted_in = sorted(added.tolist(), key=name)
        names = np.insert(kept, [bisect_left(kept, name(row), key=name) for row in sorted_in], sorted_in)
        ties = self._merged(TIES, np.delete(old[TIES], self._places[left]), added, _places(names, size))
        places, made = _places(ties, size), {BY_NAME: names, TIES: ties}
        for by in old.keys() - made.keys():
            kept = np.delete(old[by], self._place(by, old[by], left, self._places))
            made[by] = self._merged(by, kept, added, places)
        return made

    def _merged(self, by: By, order: Order, rows: Order, places: Order) -> Order:
        """An order by a column and then `places`, with further rows."""
        added = rows[np.lexsort((places[rows], self._values(by, rows)))]
        return np.insert(order, self._place(by, order, added, places), added)

    def _place(self, by: By, order: Order, rows: Order, places: Order) -> Numbers:
        """Where rows stand in an order by a column and then `places`, or would: a binary search for all at once."""
        values, low, high = (
            self._values(by, rows),
            np.zeros(len(rows), np.int64),
            np.full(len(rows), len(order)),
        )
        while (searched := low < high).any():
            middle = (low + high) // 2
            other = order[np.where(searched, middle, 0)]
            there = self._values(by, other)
            before = (there < values) | ((there == values) & (places[other] < places[rows]))
            low = np.where(searched & before, middle + 1, low)
            high = np.where(searched & ~before, middle, high)
        return low

    def page(self, bys: Sequence[By], rows: Rows, total: int, start: int, end: int) -> list[int]:
        """The rows from `start` to before `end` among the `total` that are True in `rows`, in the order of columns."""
        by, end = bys[0], min(end, total)
        if start >= end:
            return []
        if by.column == "name":
            # No two are alike, so no other column matters.
            return self._by_name(rows, total, start, end, descending=by.descending)
        if total <= _FEW:
            return self._sorted(bys, np.flatnonzero(rows))[start:end]
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
        values = self._values(bys[0], slice(len(rows)))
        before = int(np.count_nonzero(rows & (values < values[first])))
        tied = np.flatnonzero(rows & (values >= values[first]) & (values <= values[last]))
        return self._sorted(bys, tied)[start - before : end - before]

    def _sorted(self, bys: Sequence[By], few: NDArray[np.intp]) -> list[int]:
        keys: list[NDArray[np.int64]] = [self._keys(by, few) for by in reversed(bys)]
        found: list[int] = few[np.lexsort([self._places[few].astype(np.int64), *keys])].tolist()
        return found

    def _keys(self, by: By, few: NDArray[np.intp]) -> Numbers:
        if by.column != "name":
            return self._values(by, few)
        ranks = _places(self._orders[BY_NAME], len(self._names))[few].astype(np.int64)
        return -ranks if by.descending else ranks


def _places(order: Order, size: int) -> Order:
    """The place of each of `size` rows in an order; 0 for those that are not in it."""
    places = np.zeros(size, dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


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
