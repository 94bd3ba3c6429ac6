"""A page of rows is what sorting all of them gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.lists.columns import READ
from afterdrop.catalogue.lists.sort_orders import Order
from afterdrop.catalogue.lists.sorted_page import sorted_rows
from afterdrop.catalogue.lists.table import Table
from tests.support.rows import LINKS

# Many share their first letters, and all that lists are sorted by but the name.
names = st.builds(
    "{}{}.com".format, st.sampled_from(["", "thebest"]), st.text("ab-1", min_size=1, max_size=3)
)
figures = st.sampled_from([None, 1, 1, 1, 50])
rows = st.lists(
    st.tuples(names, figures, figures, figures, st.booleans()),
    min_size=10,
    max_size=40,
    unique_by=lambda each: each[0],
)
columns = st.sampled_from(["dr", "price", "found", "name"])
orders = st.lists(
    st.builds(Order, columns, st.booleans()), min_size=1, max_size=3, unique_by=lambda each: each[0]
)
_POSITIONS = {"name": 0, "dr": 1, "price": 2, "found": 3}


def _stored(name: str, rating: int | None, price: int | None, found: int | None) -> dict[str, Any]:
    told = {"domain": name, "search": f"{name}\n{name}\n", "flags": "[]", "tld": "com", "type": "auction"}
    return dict.fromkeys(READ) | told | {"domain_rating": rating, "price_usd": price, "found_at": found}


def _key(each: tuple[Any, ...], order: Order) -> tuple[Any, ...]:
    value = each[_POSITIONS[order.column]]
    if value is None:
        return (1,)
    if not order.descending:
        return (0, value)
    return (0, *(-ord(char) for char in value), 1) if isinstance(value, str) else (0, -value)


@given(rows, orders, st.integers(0, 20), st.integers(1, 30))
def test_it_is_a_part_of_all_in_their_order(
    given_rows: list[Any], asked: list[Order], start: int, count: int
) -> None:
    table = Table(LINKS, 8)
    table.add([_stored(*each[:4]) for each in given_rows])
    table.show(())
    every = [*asked, Order("found", descending=True), Order("name", descending=False)]
    among = [each for each in given_rows if each[4]]
    expected = [each[0] for each in sorted(among, key=lambda each: [_key(each, order) for order in every])]
    chosen = np.array([each[4] for each in given_rows], dtype=np.bool_)
    found = [table.names[row] for row in sorted_rows(table, asked, chosen, start, start + count)]
    assert found == expected[start : start + count]
