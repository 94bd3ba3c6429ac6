"""Ways to widen an empty list: the same filters with one of them wider, or left out. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from afterdrop.catalogue.lists.filters import ListFilter


@dataclass(frozen=True, slots=True)
class Wider:
    """`wanted` is the filter with its member `name` wider: `value` is the new one, None where it is left out."""

    name: str
    value: int | None
    wanted: ListFilter


def wider(wanted: ListFilter) -> list[Wider]:
    """Every way to widen one filter: first those made wider, by steps that people think in, then those left out."""
    ways = [*_steps(wanted), *_halves(wanted), *((name, None) for name, _ in wanted.pairs)]
    return [Wider(name, value, wanted.changed(**{name: value})) for name, value in ways]


def _steps(wanted: ListFilter) -> Iterator[tuple[str, int]]:
    # The hours ahead come before prices.
    for criterion, bound in reversed([*wanted.criteria()]):
        yield from ((criterion.name, step) for step in criterion.steps if step > bound)


def _halves(wanted: ListFilter) -> Iterator[tuple[str, int]]:
    for criterion, least in wanted.criteria():
        if criterion.halves and least > 1:
            yield criterion.name, least // 2
