"""Why a score is what it is: the rows of its table, the strongest in words, and how two scores differ. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from afterdrop.catalogue.shapes import CheckReport, FullReport, ScoreInputJson
from afterdrop.delivery.mail.message import shown_name
from afterdrop.review.flags.risk_flags import Flag, Severity
from afterdrop.scoring.score import Difference, ScoreLine, differences, score_lines
from afterdrop.scoring.weights import current
from afterdrop.web.site import labels

WholeReport = FullReport | CheckReport
BAR_WIDTH: Final = 140
DIFFERENCE_WIDTH: Final = 200
_MOST_POINTS: Final = 20
_REASONS: Final = 3
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


def lines_of(report: WholeReport) -> tuple[ScoreLine, ...]:
    """The lines of a full report's score; none where there is no score."""
    breakdown, points = report.get("score_breakdown"), report["score"]
    if not breakdown or points is None:
        return ()
    parts = cast(Mapping[str, float | None], breakdown)
    return score_lines(parts, points, _flags(report), spam=report["conclusion"] == "rejected")


def _flags(report: WholeReport) -> dict[Flag, Severity]:
    checks = report.get("risk_checks") or ()
    return {check["flag"]: check["severity"] for check in checks if check["result"] == "found"}


def score_rows(report: WholeReport, titles: Mapping[str, str]) -> list[ScoreRow]:
    """The rows; `titles` are the names of providers by their identifiers."""
    return [_row(line, report, titles) for line in lines_of(report)]


def reasons(rows: Sequence[ScoreRow]) -> list[str]:
    """The lines that move a score most, in words; neither what is unknown nor the rounding is a reason."""
    known = [row for row in rows if row.line.kind not in ("unknown", "rounding")]
    return [_reason(row) for row in sorted(known, key=lambda row: -abs(row.line.points))[:_REASONS]]


def _reason(row: ScoreRow) -> str:
    points = row.line.points
    if points < 0:
        return f"{row.label} takes {-points:.1f} points"
    value = "" if row.value == "–" else f" {row.value}"
    return f"{row.label}{value} gives {points:.1f} of {row.line.most:.0f} points"


def _row(line: ScoreLine, report: WholeReport, titles: Mapping[str, str]) -> ScoreRow:
    scale = BAR_WIDTH / _MOST_POINTS
    width = round(min(abs(line.points) * scale, BAR_WIDTH), 1)
    track = round(line.most * scale, 1)
    if line.kind == "unknown":
        names = ", ".join(labels.PARTS[part][0].lower() for part in line.unknown)
        note = f"Counted as the average of the known parts, less {line.missed:.1f} points for the doubt."
        return ScoreRow(line, f"Unknown: {names}", "", width, track, note=note)
    if line.kind in ("flag", "cap", "spam"):
        return ScoreRow(line, _penalty_label(line), "", width, 0.0, note=_taken(line, report))
    if line.kind == "rounding":
        return ScoreRow(line, "Rounded to a whole number", "", 0.0, 0.0)
    given = (report.get("score_inputs") or {}).get(line.name) or _stored(line.name, report)
    source = _source(line.name, given, titles)
    note = (report.get("score_notes") or {}).get(line.name, "")
    history = report.get("history")
    at = history["reviewed_at"] if history and line.name == "history" else given.get("at") if given else None
    label, value = labels.PARTS[line.name][0], _value(line.name, given)
    return ScoreRow(
        line=line, label=label, value=value, width=width, track=track, source=source, at=at, note=note
    )


def _penalty_label(line: ScoreLine) -> str:
    if line.kind in ("cap", "spam"):
        return _line_name(line.kind)
    return labels.FLAGS[line.name][0] if line.name in labels.FLAGS else "Flags"


def _taken(line: ScoreLine, report: WholeReport) -> str:
    figures = current()
    if line.kind == "spam":
        return f"{100 * figures.most_penalty:.0f}% off"
    if line.kind == "cap":
        return f"With a serious risk the score is {figures.serious_most} at most."
    share = figures.penalty(
        {flag: severity for flag, severity in _flags(report).items() if flag == line.name}
    )
    return f"{100 * share:.3g}% off for this flag" if share else ""


def _stored(part: str, report: WholeReport) -> ScoreInputJson | None:
    """The figure of a part in a report that does not keep what its score was made from."""
    value: object = report["metrics"].get(_METRIC_OF.get(part, ""))
    if part == "price":
        value = report["listing"]["price_usd"]
    return {"value": value} if isinstance(value, int | float) else None


def _value(part: str, given: ScoreInputJson | None) -> str:
    if given is None:
        return "–"
    value = given["value"]
    if part == "history":
        return f"{value:g} of {given.get('of', value):.0f} years"
    if part == "age":
        return f"{value:.1f} years"
    if part == "price":
        return f"${value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _source(part: str, given: ScoreInputJson | None, titles: Mapping[str, str]) -> str:
    if part == "history":
        return "Web archive"
    if part == "age":
        return "First capture"
    if part == "price":
        return "Listing"
    source, title = (given.get("source", ""), given.get("source_title")) if given else ("", None)
    return title or titles.get(source, source.replace("_", " "))


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One line of a comparison: its bar begins at `x` of a picture DIFFERENCE_WIDTH wide."""

    label: str
    points: float
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one score differs from the first: `points` in all, and the rows with `rest` that add up to them.

    `rest` is what comes of parts that are not known of both, `one_sided` those with a figure of one of the two.
    """

    points: int
    rows: Sequence[DifferenceRow]
    rest: float = 0.0
    one_sided: Sequence[str] = ()

    @property
    def summary(self) -> str:
        """The three largest rows in words, and what cannot be compared."""
        largest = ", ".join(f"{row.label} {signed(row.points)}" for row in self.rows[:3])
        largest += " …" if len(self.rows) > 3 else ""
        unsure = f"not comparable: {', '.join(self.one_sided)}" if self.one_sided else ""
        return "; ".join(filter(None, (largest, unsure)))


def comparison(first: WholeReport, other: WholeReport) -> Comparison | None:
    """How `other` differs from `first`; None where one of them has no score."""
    ours, theirs = lines_of(first), lines_of(other)
    if not ours or not theirs:
        return None
    every = differences(ours, theirs)
    lines = [each for each in every if each.name != "unknown"]
    unknown = [each for each in every if each.name == "unknown"]
    scale = DIFFERENCE_WIDTH / 2 / max([abs(line.points) for line in lines] or [1.0])
    points = (other["score"] or 0) - (first["score"] or 0)
    one_sided = [_one_sided(part, first, other) for each in unknown for part in each.parts]
    rest = sum(each.points for each in unknown)
    return Comparison(points, [_difference(line, scale) for line in lines], rest, one_sided)


def _one_sided(part: str, first: WholeReport, other: WholeReport) -> str:
    """A part with the figure that is known of one of two domains: `Trust Flow 34, unknown for b.com`."""
    known, lacking = (first, other) if _is_known(part, first) else (other, first)
    given = (known.get("score_inputs") or {}).get(part) or _stored(part, known)
    value = "" if given is None else f" {_value(part, given)}"
    return f"{labels.PARTS[part][0]}{value}, unknown for {shown_name(lacking['domain'])}"


def _is_known(part: str, report: WholeReport) -> bool:
    breakdown = cast(Mapping[str, float | None], report.get("score_breakdown") or {})
    return breakdown.get(part) is not None


def _difference(each: Difference, scale: float) -> DifferenceRow:
    width = round(abs(each.points) * scale, 1)
    middle = DIFFERENCE_WIDTH / 2
    return DifferenceRow(
        _line_name(each.name), each.points, middle - width if each.points < 0 else middle, width
    )


def _line_name(name: str) -> str:
    own = {"rounding": "Rounding", "spam": "Rejected for spam"}
    own |= {"flag": "Flags", "cap": "Cap for a serious risk"}
    return own.get(name) or (labels.PARTS.get(name) or labels.FLAGS[name])[0]


def signed(points: float) -> str:
    """A figure with its sign, to a tenth."""
    return f"+{points:.1f}" if points > 0 else f"−{-points:.1f}" if points < 0 else "0"
