"""How a domain is compared with what a filter asks for, each way said twice: for all rows in memory, and for one.

The compared value is a column of `criteria` by the name it has in memory. A `bound` is what
`ListFilter.of` made of a caller's value. `passes` gives the test of one domain's fact; it takes the bound as an alert
rule stores it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.columns import DROP_DAY, OVER
from afterdrop.catalogue.lists.search_index import Rows, fold
from afterdrop.catalogue.lists.table import Table

# What is known of a domain, by the names of columns.
Facts = Mapping[str, Any]
Passes = Callable[[Any, Facts], bool]
# What is asked for: the least or the most of something, or some words.
Amount = int | datetime
Words = frozenset[str]
Bound = TypeVar("Bound", contravariant=True)
# Before and behind all listings.
_FIRST_DAY, _LAST_DAY = date(1985, 1, 1), date(9000, 1, 1)


class Comparison(Protocol[Bound]):
    """One way to compare. `late`: it reads texts, so it comes when the other filters have left few rows over."""

    late: ClassVar[bool]

    def rows(self, table: Table, column: str, bound: Bound, among: Rows, at: ListContext) -> Rows:
        """The rows that pass; of those that are not `among` it may give any."""


@runtime_checkable
class RuleComparison(Comparison[Bound], Protocol[Bound]):
    """One that alert rules ask for, too."""

    def passes(self, name: str) -> Passes:
        """Whether a domain with these facts passes."""


class _Always:
    late: ClassVar[bool] = False


class AtLeast(_Always):
    """Known values from the bound on."""

    def rows(self, table: Table, column: str, bound: Amount, among: Rows, at: ListContext) -> Rows:
        return table.known(column) & (table.values(column) >= _number(bound))

    def passes(self, name: str) -> Passes:
        return lambda bound, facts: (value := facts[name]) is not None and value >= bound


@dataclass(frozen=True, slots=True)
class AtMost(_Always):
    """Values up to the bound; with `unknown` those that are not known, too."""

    unknown: bool = False

    def rows(self, table: Table, column: str, bound: Amount, among: Rows, at: ListContext) -> Rows:
        found, known = table.values(column) <= _number(bound), table.known(column)
        return found | ~known if self.unknown else found & known

    def passes(self, name: str) -> Passes:
        unknown = self.unknown
        return lambda bound, facts: unknown if (value := facts[name]) is None else value <= bound


class YearsAgo(_Always):
    """Years that are at least so many years ago."""

    def rows(self, table: Table, column: str, bound: int, among: Rows, at: ListContext) -> Rows:
        return table.values(column) <= at.now.year - bound


class Known(_Always):
    """Any value that is known."""

    def rows(self, table: Table, column: str, bound: object, among: Rows, at: ListContext) -> Rows:
        return table.known(column)

    def passes(self, name: str) -> Passes:
        return lambda _, facts: facts[name] is not None


class IsTrue(_Always):
    """A column that is true or false: true."""

    def rows(self, table: Table, column: str, bound: object, among: Rows, at: ListContext) -> Rows:
        found: Rows = table.values(column) == 1
        return found

    def passes(self, name: str) -> Passes:
        return lambda _, facts: bool(facts[name])


@dataclass(frozen=True, slots=True)
class OneOf(_Always):
    """One of some words, or none of them, of a column that always has one; with `over` only domains that have ended."""

    over: bool = False
    others: bool = False

    def rows(self, table: Table, column: str, bound: Words, among: Rows, at: ListContext) -> Rows:
        chosen = ~table.among(column, bound) if self.others else table.among(column, bound)
        return chosen & (table.values("until") <= _number(at.now)) if self.over else chosen

    def passes(self, name: str) -> Passes:
        others = self.others
        return lambda chosen, facts: (facts[name] in chosen) != others


@dataclass(frozen=True, slots=True)
class Named(_Always):
    """Exactly these names, or all but them: any number."""

    others: bool = False

    def rows(self, table: Table, column: str, bound: Words, among: Rows, at: ListContext) -> Rows:
        return ~table.named(bound) if self.others else table.named(bound)


class EndsWithin(_Always):
    """Live listings that end, or begin to drop, within so many hours, or have begun."""

    def rows(self, table: Table, column: str, bound: int, among: Rows, at: ListContext) -> Rows:
        now = _number(at.now)
        return running(table, now) & (table.values(column) <= now + bound * 3600)


class Days(NamedTuple):
    """Days of a reader's `zone`: from the first, or all before, to the last."""

    first: date | None
    last: date
    zone: tzinfo

    def bounds(self) -> tuple[int, int]:
        """The second before the first day, and the last second of the last, since 1970."""
        first = datetime.combine(self.first or _FIRST_DAY, time(), self.zone)
        after = datetime.combine(self.last + timedelta(days=1), time(), self.zone)
        return _number(first) - 1, _number(after) - 1

    @classmethod
    def of(cls, first: date | None, last: date, zone: tzinfo) -> Days:
        """These days; one beyond all registries' times counts as the last one within."""
        begin = None if first is None else min(max(first, _FIRST_DAY), _LAST_DAY)
        return cls(begin, min(max(last, _FIRST_DAY), _LAST_DAY), zone)


@dataclass(frozen=True, slots=True)
class OnDays(_Always):
    """Live listings (of one `type`) that end, or begin to drop, on these days of the reader.

    A drop without an hour is on its registry's day, wherever the reader is.
    """

    type: str = ""

    def rows(self, table: Table, column: str, bound: Days, among: Rows, at: ListContext) -> Rows:
        after, until = bound.bounds()
        ends, days = table.values(column), table.values(DROP_DAY)
        timed = ~table.known(DROP_DAY) & (ends > after) & (ends <= until)
        dated = (days >= (bound.first or _FIRST_DAY).toordinal()) & (days <= bound.last.toordinal())
        found = running(table, _number(at.now)) & (timed | dated)
        return found & table.among("type", [self.type]) if self.type else found


def running(table: Table, now: int) -> Rows:
    """Live listings that are not over at `now`, in seconds since 1970: a drop that has begun goes on."""
    return (table.values("until") > now) & (table.values(OVER) > now)


@dataclass(frozen=True, slots=True)
class Contains(_Always):
    """Texts that contain one of some words, or none of them."""

    none: bool = False
    late: ClassVar[bool] = True

    def rows(self, table: Table, column: str, bound: Words, among: Rows, at: ListContext) -> Rows:
        found: Rows = np.logical_or.reduce([table.search.containing(word, among) for word in bound])
        return ~found if self.none else found

    def passes(self, name: str) -> Passes:
        none = self.none
        return lambda words, facts: _has_one(words, facts[name]) != none


@dataclass(frozen=True, slots=True)
class Affix(_Always):
    """Labels that start with a text, or `at_end` end with it."""

    at_end: bool = False
    late: ClassVar[bool] = True

    def rows(self, table: Table, column: str, bound: Words, among: Rows, at: ListContext) -> Rows:
        found = [table.search.with_affix(text, among, at_end=self.at_end) for text in bound]
        either: Rows = np.logical_or.reduce(found)
        return either

    def passes(self, name: str) -> Passes:
        test = str.endswith if self.at_end else str.startswith
        return lambda text, facts: test(facts[name], _folded(text))


# Thousands of rules look for the same few words in every domain.
_folded = lru_cache(maxsize=16_384)(fold)


def _has_one(words: Collection[str], text: str) -> bool:
    return any(_folded(word) in text for word in words)


def _number(bound: int | datetime) -> int:
    return int(bound.timestamp()) if isinstance(bound, datetime) else bound
