"""The orders that a list can have: the API's sorts, and columns in a direction. `sorted_page` sorts by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from afterdrop.catalogue.status import ListName

Sort = Literal["score", "dr", "ending", "newest", "price", "ended"]
SORTS: Final[tuple[Sort, ...]] = ("score", "dr", "ending", "newest", "price", "ended")
# The site sorts by so many columns at most.
MOST_ORDERS: Final = 3


class Order(NamedTuple):
    """A column to sort by. Rows without a value come last in both directions, ties go by latest found, then name."""

    column: str
    descending: bool


# The API's sorts, each a column in the direction that its readers want.
_ORDERS: Final[Mapping[Sort, Order]] = {
    "score": Order("score", descending=True),
    "dr": Order("dr", descending=True),
    "ending": Order("ends", descending=False),
    "ended": Order("ends", descending=True),
    "newest": Order("found", descending=True),
    "price": Order("price", descending=False),
}


def default_sort(which: ListName) -> Sort:
    """The order without a `sort`: best score first, in the archive the most recent end first."""
    return "ended" if which == "archive" else "score"


def orders_of(which: ListName, sort: Sort | Order | Sequence[Order] | None) -> tuple[Order, ...]:
    """The columns and directions of a sort, the first one first; None is the list's default."""
    if isinstance(sort, Order):
        return (sort,)
    return (_ORDERS[sort or default_sort(which)],) if sort is None or isinstance(sort, str) else tuple(sort)
