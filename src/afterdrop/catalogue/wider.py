"""What to widen when a list is empty: the same filters with one of them wider, or left out. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from afterdrop.catalogue.filters import ListFilter

# Steps that people think in: hours ahead, and prices.
_HOURS: Final = (24, 48, 120, 336, 720)
_PRICES: Final = (50, 100, 250, 500, 1000, 5000)
_HALVED: Final = (
    "min_score",
    "min_dr",
    "min_tf",
    "min_cf",
    "min_ref_domains",
    "min_archive_years",
    "min_age",
)


@dataclass(frozen=True, slots=True)
class Wider:
    """`wanted` is the filter with its member `name` wider: `value` is the new one, None where it is left out."""

    name: str
    value: int | None
    wanted: ListFilter


def wider(wanted: ListFilter) -> list[Wider]:
    """Every way to widen one filter: first those made wider, then those left out."""
    steps = [
        Wider(name, value, replace(wanted, **{name: value}))  # type: ignore[arg-type]  # _steps has numbers only
        for name, value in _steps(wanted)
    ]
    return steps + [Wider(name, None, without) for name, without in _left_out(wanted)]


def _steps(wanted: ListFilter) -> Iterator[tuple[str, int]]:
    if wanted.ending_within_hours is not None:
        yield from (("ending_within_hours", hours) for hours in _HOURS if hours > wanted.ending_within_hours)
    if wanted.max_price is not None:
        yield from (("max_price", price) for price in _PRICES if price > wanted.max_price)
    for name in _HALVED:
        least = getattr(wanted, name)
        if least is not None and least > 1:
            yield name, least // 2


def _left_out(wanted: ListFilter) -> Iterator[tuple[str, ListFilter]]:
    none = ListFilter()
    for each in fields(ListFilter):
        usual: Any = getattr(none, each.name)
        if getattr(wanted, each.name) != usual:
            yield each.name, replace(wanted, **{each.name: usual})
