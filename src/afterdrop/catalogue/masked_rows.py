"""Rows of domains that a reader may not see: enough to want one, too little to find it. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from afterdrop.catalogue.shapes import Summary

DOT: Final = "•"
# Every masked name is as long as every other.
_DOTS: Final = 8


@dataclass(frozen=True, slots=True)
class MaskedRow:
    """A domain of the Pro list as the free plan is told of it: figures rounded, of its name the extension."""

    name: str
    score: int | None
    domain_rating: int | None
    referring_domains: int | None
    archive_years: int | None
    topic: str | None


def masked_row(summary: Summary) -> MaskedRow:
    """The masked row of a summary."""
    metrics = summary["metrics"]
    return MaskedRow(
        f"{DOT * _DOTS}.{summary['tld']}",
        to_fives(summary["score"]),
        to_fives(metrics["domain_rating"]),
        to_one_digit(metrics["referring_domains"]),
        to_fives(metrics["archive_years"]),
        summary["topic"],
    )


def to_fives(figure: float | None) -> int | None:
    """The nearest multiple of five."""
    return None if figure is None else 5 * math.floor(figure / 5 + 0.5)


def to_one_digit(figure: float | None) -> int | None:
    """The figure with its first digit alone, rounded."""
    if figure is None:
        return None
    unit: int = 10 ** (len(str(int(figure))) - 1)
    return unit * math.floor(figure / unit + 0.5)
