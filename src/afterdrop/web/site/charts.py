"""The geometry of the report's pictures: score bars and the archive's years. Pure; the templates draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from afterdrop.scoring.score import contributions
from afterdrop.scoring.weights import current

BARS: Final = 100
YEARS: Final = 680
_MOST_TICKS: Final = 12


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of the score: what it adds, what it could add at most, and both as widths."""

    part: str
    points: float | None
    most: float
    width: float
    track: float


def bars(breakdown: Mapping[str, float | None]) -> list[Bar]:
    """The parts in the order of the formula, the penalty last."""
    added = contributions(breakdown)
    weights = current().parts
    known = sum(weight for part, weight in weights.items() if breakdown.get(part) is not None)
    shares = [100 * weight / (known or 1) for part, weight in weights.items() if part in added]
    scale = BARS / max([*shares, -added.get("penalty", 0.0), 1.0])
    found = []
    for part, weight in weights.items():
        most = 100 * weight / (known or 1) if breakdown.get(part) is not None else 0.0
        points = added.get(part)
        found.append(Bar(part, points, most, round((points or 0) * scale, 1), round(most * scale, 1)))
    taken = added.get("penalty", 0.0)
    found.append(Bar("penalty", taken, 0.0, round(-taken * scale, 1), 0.0))
    return found


@dataclass(frozen=True, slots=True)
class Stripe:
    """One era on the line of years."""

    x: float
    width: float
    era: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """One finding on the line of years."""

    x: float
    finding: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The years drawn: ticks with their place, eras and findings."""

    ticks: Sequence[tuple[int, float]]
    stripes: Sequence[Stripe]
    marks: Sequence[Mark]


def timeline(history: Mapping[str, Any] | None) -> Timeline | None:
    """The picture of a report's `history`; None where the archive has nothing to draw."""
    eras = list((history or {}).get("eras") or ())
    times = [_at(era[name]) for era in eras for name in ("start", "end")]
    if history is None or not times:
        return None
    dated = [(finding, _at(finding["at"])) for finding in history.get("findings") or () if finding.get("at")]
    times += [at for _, at in dated]
    first = datetime(min(times).year, 1, 1, tzinfo=UTC)
    last = datetime(max(times).year + 1, 1, 1, tzinfo=UTC)

    def x(at: datetime) -> float:
        return round((at - first) / (last - first) * YEARS, 1)

    count = last.year - first.year
    step = -(-count // _MOST_TICKS)
    ticks = [(year, x(datetime(year, 1, 1, tzinfo=UTC))) for year in range(first.year, last.year, step)]
    stripes = [
        Stripe(x(_at(era["start"])), max(x(_at(era["end"])) - x(_at(era["start"])), 4), era) for era in eras
    ]
    return Timeline(ticks, stripes, [Mark(x(at), finding) for finding, at in dated])


def _at(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
