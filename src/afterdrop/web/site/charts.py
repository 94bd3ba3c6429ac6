"""The geometry of the report's pictures: score bars and the archive's years. Pure; the templates draw it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from afterdrop.scoring.score import contributions
from afterdrop.scoring.weights import current

BARS: Final = 100
YEARS: Final = 900
_MOST_TICKS: Final = 12
_LETTER: Final = 7.2
_GAP_YEARS: Final = re.compile(r"archived in (\d{4})–(\d{4})", re.ASCII)


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
    """One era on the line of years, and the words that fit into it."""

    x: float
    width: float
    era: Mapping[str, Any]
    label: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One finding on the line of years."""

    x: float
    finding: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hole:
    """Years without a page, on the line of years."""

    x: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The years drawn: ticks with their place, eras, holes between captures, and findings."""

    ticks: Sequence[tuple[int, float]]
    stripes: Sequence[Stripe]
    holes: Sequence[Hole]
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
    stripes = [_stripe(era, x(_at(era["start"])), x(_at(era["end"]))) for era in eras]
    holes = [
        Hole(x(start), round(x(end) - x(start), 1), text)
        for start, end, text in _holes(history)
        if first <= start < end <= last
    ]
    return Timeline(ticks, stripes, holes, [Mark(x(at), finding) for finding, at in dated])


def _stripe(era: Mapping[str, Any], start: float, end: float) -> Stripe:
    width = max(round(end - start, 1), 4)
    parts = [str(part) for part in (era.get("language"), era.get("topic")) if part]
    label = " · ".join(parts)
    return Stripe(start, width, era, label if len(label) * _LETTER < width - _LETTER else "")


def _holes(history: Mapping[str, Any]) -> Iterator[tuple[datetime, datetime, str]]:
    """The whole years that the findings of gaps name in their sentence."""
    for finding in history.get("findings") or ():
        named = _GAP_YEARS.search(str(finding.get("note"))) if finding.get("code") == "gap" else None
        if named:
            start, end = int(named[1]), int(named[2])
            yield datetime(start, 1, 1, tzinfo=UTC), datetime(end + 1, 1, 1, tzinfo=UTC), finding["note"]


def _at(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
