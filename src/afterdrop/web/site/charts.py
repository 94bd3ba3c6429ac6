"""The geometry of the report's charts: score bars and the timeline of the archive. Pure; the templates draw it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from afterdrop.scoring.score import contributions
from afterdrop.scoring.weights import current

BARS_WIDTH: Final = 100
TIMELINE_WIDTH: Final = 900
_MAX_TICKS: Final = 12
_LETTER_WIDTH: Final = 7.2
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
    scale = BARS_WIDTH / max([*shares, -added.get("penalty", 0.0), 1.0])
    found = []
    for part, weight in weights.items():
        most = 100 * weight / (known or 1) if breakdown.get(part) is not None else 0.0
        points = added.get(part)
        found.append(Bar(part, points, most, round((points or 0) * scale, 1), round(most * scale, 1)))
    taken = added.get("penalty", 0.0)
    found.append(Bar("penalty", taken, 0.0, round(-taken * scale, 1), 0.0))
    return found


@dataclass(frozen=True, slots=True)
class EraBar:
    """One era on the timeline, and the words that fit into it."""

    x: float
    width: float
    era: Mapping[str, Any]
    label: str


@dataclass(frozen=True, slots=True)
class FindingMark:
    """One finding on the timeline."""

    x: float
    finding: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GapBar:
    """Years without a page on the timeline."""

    x: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The timeline: years with their place, eras, gaps between captures, and findings."""

    ticks: Sequence[tuple[int, float]]
    eras: Sequence[EraBar]
    gaps: Sequence[GapBar]
    findings: Sequence[FindingMark]


def timeline(history: Mapping[str, Any] | None) -> Timeline | None:
    """The timeline of a report's `history`; None where the archive has nothing to draw."""
    eras = list((history or {}).get("eras") or ())
    times = [_at(era[name]) for era in eras for name in ("start", "end")]
    if history is None or not times:
        return None
    dated = [(finding, _at(finding["at"])) for finding in history.get("findings") or () if finding.get("at")]
    times += [at for _, at in dated]
    first = datetime(min(times).year, 1, 1, tzinfo=UTC)
    last = datetime(max(times).year + 1, 1, 1, tzinfo=UTC)

    def x(at: datetime) -> float:
        return round((at - first) / (last - first) * TIMELINE_WIDTH, 1)

    count = last.year - first.year
    step = -(-count // _MAX_TICKS)
    ticks = [(year, x(datetime(year, 1, 1, tzinfo=UTC))) for year in range(first.year, last.year, step)]
    bars = [_era_bar(era, x(_at(era["start"])), x(_at(era["end"]))) for era in eras]
    gaps = [
        GapBar(x(start), round(x(end) - x(start), 1), text)
        for start, end, text in _gaps(history)
        if first <= start < end <= last
    ]
    return Timeline(ticks, bars, gaps, [FindingMark(x(at), finding) for finding, at in dated])


def _era_bar(era: Mapping[str, Any], start: float, end: float) -> EraBar:
    width = max(round(end - start, 1), 4)
    parts = [str(part) for part in (era.get("language"), era.get("topic")) if part]
    label = " · ".join(parts)
    return EraBar(start, width, era, label if len(label) * _LETTER_WIDTH < width - _LETTER_WIDTH else "")


def _gaps(history: Mapping[str, Any]) -> Iterator[tuple[datetime, datetime, str]]:
    """The whole years that the notes of gap findings name."""
    for finding in history.get("findings") or ():
        named = _GAP_YEARS.search(str(finding.get("note"))) if finding.get("code") == "gap" else None
        if named:
            start, end = int(named[1]), int(named[2])
            yield datetime(start, 1, 1, tzinfo=UTC), datetime(end + 1, 1, 1, tzinfo=UTC), finding["note"]


def _at(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
