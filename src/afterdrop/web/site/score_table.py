"""“Why 84?”: the lines of a score with what they were made from, and what makes two scores differ. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from afterdrop.catalogue.standing import standing
from afterdrop.review.flags.risk_flags import Flag, Severity
from afterdrop.scoring.lines import Difference, ScoreLine, differences, score_lines
from afterdrop.scoring.weights import current
from afterdrop.web.site import labels

BAR_WIDTH: Final = 140
DIFFERENCE_WIDTH: Final = 200
_MOST_POINTS: Final = 20
# Where a report that keeps no figures of its score has them.
_METRIC_OF: Final = {
    "<vendor_c>_dr": "domain_rating",
    "trust_flow": "trust_flow",
    "ref_domains": "referring_domains",
    "<vendor_a>_as": "<vendor_a>_authority_score",
    "<vendor_d>_pagerank": "<vendor_d>_pagerank",
}


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One row of the table: `value` in words, `width` and `track` of its bar, `source` and time of its figure."""

    line: ScoreLine
    label: str
    value: str
    width: float
    track: float
    source: str = ""
    at: str | None = None
    note: str = ""


def lines_of(report: Mapping[str, Any]) -> tuple[ScoreLine, ...]:
    """The lines of a full report's score; none where there is no score."""
    breakdown = report.get("score_breakdown")
    if not breakdown or report.get("score") is None:
        return ()
    return score_lines(breakdown, report["score"], _flags(report), spam=standing(report) == "rejected")


def _flags(report: Mapping[str, Any]) -> dict[Flag, Severity]:
    checks = report.get("risk_checks") or ()
    return {check["flag"]: check["severity"] for check in checks if check["result"] == "found"}


def score_rows(report: Mapping[str, Any], titles: Mapping[str, str]) -> list[ScoreRow]:
    """The rows; `titles` are the names of providers by their identifiers."""
    return [_row(line, report, titles) for line in lines_of(report)]


def _row(line: ScoreLine, report: Mapping[str, Any], titles: Mapping[str, str]) -> ScoreRow:
    scale = BAR_WIDTH / _MOST_POINTS
    width = round(min(abs(line.points) * scale, BAR_WIDTH), 1)
    track = round(line.most * scale, 1)
    if line.kind == "unknown":
        names = ", ".join(labels.PARTS[part][0].lower() for part in line.unknown)
        note = f"The known parts stand in for the unknown ones; {line.missed:.1f} points are not given."
        return ScoreRow(line, f"Unknown: {names}", "", width, track, note=note)
    if line.kind in ("flag", "spam"):
        return ScoreRow(line, _penalty_label(line), "", width, 0.0, note=_taken(line, report))
    if line.kind == "rounding":
        return ScoreRow(line, "Rounded to a whole number", "", 0.0, 0.0)
    given = (report.get("score_inputs") or {}).get(line.name) or _stored(line.name, report)
    source = _source(line.name, given, report, titles)
    note = (report.get("score_notes") or {}).get(line.name, "")
    read_at = (report.get("history") or {}).get("reviewed_at")
    at = read_at if line.name == "history" else given.get("at")
    label, value = labels.PARTS[line.name][0], _value(line.name, given)
    return ScoreRow(line, label, value, width, track, source, at, note)


def _penalty_label(line: ScoreLine) -> str:
    if line.kind == "spam":
        return "Rejected for spam"
    return labels.FLAGS[line.name][0] if line.name in labels.FLAGS else "Flags"


def _taken(line: ScoreLine, report: Mapping[str, Any]) -> str:
    figures = current()
    if line.kind == "spam":
        return f"{100 * figures.most_penalty:.0f}% off"
    share = figures.penalty(
        {flag: severity for flag, severity in _flags(report).items() if flag == line.name}
    )
    return f"{100 * share:.3g}% off for this flag" if share else ""


def _stored(part: str, report: Mapping[str, Any]) -> dict[str, Any]:
    """The figure of a part in a report that does not keep what its score was made from."""
    value = report["metrics"].get(_METRIC_OF.get(part, ""))
    if part == "price":
        value = report["listing"]["price_usd"]
    return {} if value is None else {"value": value}


def _value(part: str, given: Mapping[str, Any]) -> str:
    value = given.get("value")
    if value is None:
        return "–"
    if part == "history":
        return f"{value:.0f} of {given.get('of', value):.0f} years"
    if part == "age":
        return f"{value:.1f} years"
    if part == "price":
        return f"${value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _source(part: str, given: Mapping[str, Any], report: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    if part == "history":
        return "Web archive"
    if part == "age":
        return "First capture"
    if part == "price":
        return "Listing"
    provider = str(given.get("source", ""))
    if provider.startswith("feed:"):
        return "The marketplace’s list"
    return titles.get(provider, provider.replace("_", " "))


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One line of a comparison: its bar begins at `x` of a picture DIFFERENCE_WIDTH wide."""

    label: str
    points: float
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one score differs from the first: `points` in all, and the rows that add up to them, the largest first."""

    points: int
    rows: Sequence[DifferenceRow]

    @property
    def summary(self) -> str:
        """The three largest rows in words."""
        told = ", ".join(f"{row.label} {signed(row.points)}" for row in self.rows[:3])
        return told + (" …" if len(self.rows) > 3 else "")


def comparison(first: Mapping[str, Any], other: Mapping[str, Any]) -> Comparison | None:
    """How `other` differs from `first`; None where one of them has no score."""
    ours, theirs = lines_of(first), lines_of(other)
    if not ours or not theirs:
        return None
    found = differences(ours, theirs)
    scale = DIFFERENCE_WIDTH / 2 / max([abs(each.points) for each in found] or [1.0])
    return Comparison(other["score"] - first["score"], [_difference(each, scale) for each in found])


def _difference(each: Difference, scale: float) -> DifferenceRow:
    width = round(abs(each.points) * scale, 1)
    middle = DIFFERENCE_WIDTH / 2
    return DifferenceRow(
        _line_name(each.name), each.points, middle - width if each.points < 0 else middle, width
    )


def _line_name(name: str) -> str:
    own = {"unknown": "What is unknown", "rounding": "Rounding", "spam": "Rejected for spam", "flag": "Flags"}
    return own.get(name) or (labels.PARTS.get(name) or labels.FLAGS[name])[0]


def signed(points: float) -> str:
    """A figure with its sign, to a tenth."""
    return f"+{points:.1f}" if points > 0 else f"−{-points:.1f}" if points < 0 else "0"
