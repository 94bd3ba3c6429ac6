"""The score as lines that add up to it: what each part adds, what is unknown, what each flag takes. Pure.

A part's maximum is its weight, so that it is the same for every domain. What the formula gives for parts that are
unknown, because the known ones stand for them, is one line of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from afterdrop.review.flags.risk_flags import Flag, Severity
from afterdrop.scoring.score import contributions
from afterdrop.scoring.weights import Weights, current

TENTHS: Final = 10


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line: `points` are tenths rounded so that all lines add up to the score shown.

    `name` is a part, a flag, or says the kind again. `share` is the part's place on its curve, `most` what it can add.
    `unknown` lists the parts that nobody gave a figure for.
    """

    kind: Literal["part", "unknown", "flag", "spam", "rounding"]
    name: str
    points: float
    most: float = 0.0
    share: float | None = None
    unknown: tuple[str, ...] = ()

    @property
    def missed(self) -> float:
        """The points that the line could have had besides."""
        return round(self.most - self.points, 1)


def score_lines(
    breakdown: Mapping[str, float | None],
    points: int,
    flags: Mapping[Flag, Severity],
    *,
    spam: bool = False,
    weights: Weights | None = None,
) -> tuple[ScoreLine, ...]:
    """The lines of a score of `points` with this breakdown; `flags` are those found, `spam` whether it was rejected."""
    figures = weights or current()
    added = contributions(breakdown, figures)
    whole = sum(figures.parts.values())
    known = [part for part in figures.parts if str(part) in added]
    unknown = [part for part in figures.parts if str(part) not in added]
    lines = [
        ScoreLine(
            "part", part, 100 * figures.parts[part] / whole * (breakdown[part] or 0.0), most, breakdown[part]
        )
        for part in known
        for most in [round(100 * figures.parts[part] / whole, 1)]
    ]
    taken = added["penalty"]
    if unknown:
        stood_for = sum(added.values()) - taken - sum(line.points for line in lines)
        most = round(sum(100 * figures.parts[part] / whole for part in unknown), 1)
        lines.append(ScoreLine("unknown", "unknown", stood_for, most, unknown=tuple(unknown)))
    lines += _penalty(taken, flags, figures, spam=spam)
    exact = [line.points for line in lines]
    rounded = apportioned(exact)
    shown = [_with_points(line, tenths) for line, tenths in zip(lines, rounded, strict=True)]
    rest = points * TENTHS - sum(rounded)
    return (*shown, *([ScoreLine("rounding", "rounding", rest / TENTHS)] if rest else []))


def _penalty(
    taken: float, flags: Mapping[Flag, Severity], figures: Weights, *, spam: bool
) -> list[ScoreLine]:
    if not taken:
        return []
    if spam:
        return [ScoreLine("spam", "spam", taken)]
    shares = {flag: figures.penalty({flag: severity}) for flag, severity in flags.items()}
    whole = sum(shares.values())
    if not whole:  # a report of earlier rules, whose flags are no longer told
        return [ScoreLine("flag", "flag", taken)]
    return [ScoreLine("flag", flag, taken * share / whole) for flag, share in shares.items()]


def _with_points(line: ScoreLine, tenths: int) -> ScoreLine:
    return ScoreLine(line.kind, line.name, tenths / TENTHS, line.most, line.share, line.unknown)


def apportioned(exact: Sequence[float]) -> list[int]:
    """Tenths for each figure, by largest remainder: together they are the figures' sum, rounded to a tenth."""
    clean = [round(figure * TENTHS, 6) for figure in exact]
    floors = [math.floor(figure) for figure in clean]
    left = math.floor(sum(clean) + 0.5) - sum(floors)
    order = sorted(range(len(clean)), key=lambda n: floors[n] - clean[n])
    for n in order[:left]:
        floors[n] += 1
    return floors


@dataclass(frozen=True, slots=True)
class Difference:
    """What one line adds to, or takes from, another domain's score; `name` as in `ScoreLine`."""

    name: str
    points: float


def differences(first: Sequence[ScoreLine], other: Sequence[ScoreLine]) -> tuple[Difference, ...]:
    """How `other` differs from `first`, line by line, the largest first; they add up to the scores' difference."""
    ours, theirs = ({line.name: round(line.points * TENTHS) for line in lines} for lines in (first, other))
    apart = {name: theirs.get(name, 0) - ours.get(name, 0) for name in {**ours, **theirs}}
    ordered = sorted(apart.items(), key=lambda item: (-abs(item[1]), item[0]))
    return tuple(Difference(name, tenths / TENTHS) for name, tenths in ordered if tenths)
