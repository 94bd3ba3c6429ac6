"""Filters asked of a list, as one frozen value, and orders. `criteria` says what each filter means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.criteria import CRITERIA, Criterion
from afterdrop.catalogue.lists.sort_orders import Order, Sort, orders_of
from afterdrop.catalogue.status import ListName


@dataclass(frozen=True, slots=True)
class ListFilter:
    """The filters of the three lists, hashable: pairs of a criterion's name and what it asks for. Make one with `of`.

    A criterion that restricts nothing is not among the pairs, which stand in the order of the table.
    """

    pairs: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, **values: Any) -> Self:
        """From callers' values in range, by the names of criteria; None asks for nothing. Spellings are folded."""
        given = {name: CRITERIA[name].fold(value) for name, value in values.items() if value is not None}
        return cls(tuple((name, given[name]) for name in CRITERIA if given.get(name) is not None))

    def changed(self, **values: Any) -> Self:
        """The same with other values of some criteria; None leaves one out."""
        return self.of(**{**dict(self.pairs), **values})

    def get(self, name: str) -> Any:
        """The value that a criterion asks for; None where it is not in use."""
        return dict(self.pairs).get(name)

    def criteria(self) -> Iterator[tuple[Criterion, Any]]:
        """The criteria in use with what they ask for; those that read texts come last."""
        used = [(CRITERIA[name], bound) for name, bound in self.pairs]
        return iter(sorted(used, key=lambda each: each[0].test.late))

    @property
    def needs_full(self) -> bool:
        """Whether it asks for figures that only `full` detail shows."""
        return any(CRITERIA[name].column.full for name, _ in self.pairs)

    @property
    def finds_names(self) -> bool:
        """Whether it can be made to find one certain name."""
        return any(CRITERIA[name].column.finds_names for name, _ in self.pairs)

    def without_trust_flow(self) -> Self:
        """The same filter without the figures that only `full` detail shows."""
        return type(self)(tuple(pair for pair in self.pairs if not CRITERIA[pair[0]].column.full))

    def __bool__(self) -> bool:
        """Whether it restricts anything."""
        return bool(self.pairs)


EVERYTHING: Final = ListFilter()


@dataclass(frozen=True, slots=True)
class ListSelection:
    """Which rows of a list, and in which order; without a `sort` the list has its default order."""

    at: ListContext
    wanted: ListFilter
    sort: Sort | Order | Sequence[Order] | None = None

    @property
    def tells_locked(self) -> bool:
        """Whether the viewer is told how many more rows the Pro list holds.

        Not where that would tell what became of a name that was asked for.
        """
        return self.at.viewer.plan == "free" and self.at.which != "archive" and not self.wanted.finds_names

    @property
    def orders(self) -> tuple[Order, ...]:
        """The columns to sort by, the first one first."""
        return orders_of(self.at.which, self.sort)

    def of(self, which: ListName) -> ListSelection:
        """The same of another list."""
        return replace(self, at=replace(self.at, which=which))

    def as_pro(self) -> ListSelection:
        """The same list on Pro, without the Trust Flow filters, which free callers cannot use."""
        at = replace(self.at, viewer=replace(self.at.viewer, plan="pro"))
        return replace(self, at=at, wanted=self.wanted.without_trust_flow())
