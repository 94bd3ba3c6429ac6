"""A page of some rows in the order of columns, then the latest found first, then by name.

Nothing is sorted beforehand. Of all rows only those are sorted whose values stand on the page: by the next column,
too, while they have the same value in the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from afterdrop.catalogue.lists.search_index import Rows
from afterdrop.catalogue.lists.sort_orders import Order
from afterdrop.catalogue.lists.table import Numbers, Table, unknown

_TIES: Final = (Order("found", descending=True), Order("name", descending=False))


def sorted_rows(table: Table, orders: Sequence[Order], rows: Rows, start: int, end: int) -> list[int]:
    """From `start` to before `end` of these rows, in the order of columns as the table names them."""
    few = np.flatnonzero(rows)
    end = min(end, len(few))
    if start >= end:
        return []
    every = [*orders, *_TIES]
    for order in every:
        values = _directed(order, table.places(order.column, few))
        first, last = np.partition(values, (start, end - 1))[[start, end - 1]]
        before = int(np.count_nonzero(values < first))
        few = few[(values >= first) & (values <= last)]
        start, end = start - before, end - before
        # Names that share their first letters differ further on.
        if first != last or order.column == "name":
            break
    # Here and not in SQL: each database sorts names by its own language.
    names = np.array([table.names[row].encode() for row in few.tolist()])
    ranks = np.unique(names, return_inverse=True)[1]
    keys = [
        _directed(order, ranks if order.column == "name" else table.places(order.column, few))
        for order in every
    ]
    found: list[int] = few[np.lexsort(keys[::-1])][start:end].tolist()
    return found


def _directed(order: Order, values: Numbers) -> Numbers:
    """Numbers that sort in the direction of an order, with unknown values at the end."""
    return np.where(values == unknown(values), values, -values) if order.descending else values
