"""What the pages of a report and of a check show, made from one report as its viewer sees it. Pure.

The verdict with its story, the eras, the rows of risks, and the table that answers “Why 84?”.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypedDict, cast

from afterdrop.catalogue.shapes import BasicReport, CheckReport, FullReport, ScoreInputJson
from afterdrop.catalogue.summary import checked_severities
from afterdrop.delivery.mail.message import shown_name
from afterdrop.review.flags.risk_flags import Flag, Severity
from afterdrop.review.history.history_json import FindingJson
from afterdrop.review.history.life import LifeEra, at, life, story
from afterdrop.scoring.conclusion import Conclusion, Level, level, levels
from afterdrop.scoring.score import Difference, ScoreLine, differences, score_lines
from afterdrop.scoring.weights import current
from afterdrop.web.site import labels
from afterdrop.web.site.charts import NARROW, PANEL, Strip, is_spam, report_strip
from afterdrop.web.site.owners_view import WhoseLinks, first_links, share_words, whose_links

WholeReport = FullReport | CheckReport
# What a report says of a part that it was stored without, or that its viewer may not see.
_MISSING_PARTS: Final = {
    **dict.fromkeys(("anchors", "top_referring_domains", "topical_trust_flow", "history", "registration")),
    **dict.fromkeys(("links", "link_eras")),
    **dict.fromkeys(("risk_checks", "attributions", "flags"), ()),
}
_OF_THE_PAST: Final = "Life, spam, parking, gaps, history, age"
_LINK_FIGURES: Final = (
    *("domain_rating", "trust_flow", "referring_domains"),
    *("<vendor_a>_authority_score", "<vendor_d>_pagerank"),
)
MOST_ERAS: Final = 12
# The archive visits a small site about once a year.
_IN_USE_WITHIN: Final = timedelta(days=400)
_QUOTES: Final = 6
_CAPTURES: Final = 3
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
class EraCard:
    """An era with the quotes that accuse it, to be marked in its excerpt.

    `since` is when what stood before was last seen, where another owner or another kind of page follows it. `links` is
    the share of the known links that the owner earned, in words.
    """

    era: LifeEra
    quotes: tuple[str, ...]
    since: datetime | None
    links: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that is not known: what it is needed for, what happened, how to get it."""

    needed_for: str
    happened: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The top of a report: what it concludes, the lead of a rejected one, and the sentence that tells the story."""

    conclusion: Conclusion
    lead: str
    story: str
    missing: Sequence[Missing]


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything that is made from a full report for its page. `owners` had a site there; title, language and topic
    are the last one's.
    """

    verdict: Verdict
    eras: Sequence[EraCard]
    more_eras: int
    strip: Strip
    narrow: Strip
    panel: Strip
    risks: Risks
    score: Sequence[ScoreRow]
    links: WhoseLinks | None
    owners: int = 1


class ReportValues(TypedDict):
    """The values of a report's template."""

    report: WholeReport
    view: ReportView


def whole(report: WholeReport | BasicReport) -> WholeReport:
    """The report with a member for each part that its page shows."""
    checks = cast(WholeReport, report).get("risk_checks") or ()
    # The reports of older checks do not have them.
    graded = levels(checked_severities(report["flags"], checks))
    listing = {"day": None, **report["listing"]}
    return cast(WholeReport, {**_MISSING_PARTS, "flag_levels": graded, **report, "listing": listing})


def report_values(
    report: WholeReport | BasicReport, now: datetime, titles: Mapping[str, str]
) -> ReportValues:
    """The values of a report's template; `titles` are the names of metric providers by their identifiers."""
    complete = whole(report)
    return {"report": complete, "view": report_view(complete, now, titles)}


def report_view(report: WholeReport, now: datetime, titles: Mapping[str, str]) -> ReportView:
    """The parts of the page that are made from the report."""
    findings, eras = _findings(report), life(report.get("history"))
    earned = whose_links(report, eras)
    return ReportView(
        verdict(report, eras),
        [
            EraCard(era, _quotes(era, findings), _since(before, era), share_words(earned, era.owner))
            for before, era in zip((None, *eras), eras[:MOST_ERAS], strict=False)
        ],
        max(len(eras) - MOST_ERAS, 0),
        report_strip(eras, findings, now),
        report_strip(eras, findings, now, NARROW),
        report_strip(eras, findings, now, PANEL),
        risks(report, eras),
        score_rows(report, titles),
        earned,
        len({era.owner for era in eras if era.owner is not None}),
    )


def in_use(state: str, expires_at: str | None, eras: Sequence[LifeEra], now: datetime) -> bool:
    """Whether a checked name belongs to somebody whose site stands: registered, not expired, and archived lately."""
    kept = state == "registered" and (expires_at is None or at(expires_at) > now)
    return kept and bool(eras) and eras[-1].kind in ("site", "other") and now - eras[-1].end <= _IN_USE_WITHIN


def _findings(report: WholeReport) -> Sequence[FindingJson]:
    history = report.get("history")
    return (history.get("findings") if history else None) or ()


def verdict(report: WholeReport, eras: Sequence[LifeEra]) -> Verdict:
    """The conclusion with its sentence: the story of the eras, or why there is none."""
    concluded = report["conclusion"]
    sentence = story(eras) + first_links(eras, whose_links(report, eras))
    lead = _lead(eras, report) if concluded == "rejected" else ""
    missing = _missing(report) if concluded in ("unknown", "unread") else []
    return Verdict(concluded, lead, sentence or _untold(report), missing)


def _lead(eras: Sequence[LifeEra], report: WholeReport) -> str:
    spam = [era for era in eras if era.kind == "spam"]
    if spam:
        return f"{spam[0].title} {', '.join(era.years for era in spam)}."
    inner = any(is_spam(finding) for finding in _findings(report))
    return "Spam on pages below the home page." if inner else "Spam in the link texts."


def _untold(report: WholeReport) -> str:
    """The sentence of a report without eras."""
    captures = _captured(report)
    if captures:
        counted = f"{captures:,} capture{'' if captures == 1 else 's'}"
        return f"The web archive has {counted}, but none of the home page could be read."
    if any(report["metrics"].get(name) is not None for name in _LINK_FIGURES):
        return "The web archive has no page of this domain, so nothing can be said about its past."
    return "The web archive has no page of this domain and no link figure is known, so nothing can be said about it."


def _captured(report: WholeReport) -> int:
    history = report.get("history")
    return history["captures"] if history else 0


def _missing(report: WholeReport) -> list[Missing]:
    notes = " ".join(report.get("review_notes") or ())
    kept = "does not show this site" in notes or "keeps this site from view" in notes
    gaps = []
    if report["conclusion"] == "unread":
        remedy = "Check again later: the web archive may give it then."
        gaps.append(Missing(_OF_THE_PAST, "No archived page could be read.", remedy))
    elif not _captured(report):
        happened = "The web archive does not show this site." if kept else "The web archive has no capture."
        remedy = "There is nothing you can do." if kept else "Check again once the web archive has a page."
        gaps.append(Missing(_OF_THE_PAST, happened, remedy))
    if all(report["metrics"].get(name) is None for name in _LINK_FIGURES):
        gaps.append(
            Missing(
                "Links, inflated rating",
                "No provider has a link figure for this domain.",
                "Check again once a link index knows it.",
            )
        )
    if report["listing"]["price_usd"] is None:
        gaps.append(Missing("Price", "No marketplace gives a price.", "You need not do anything."))
    return gaps


def _since(before: LifeEra | None, era: LifeEra) -> datetime | None:
    if before is None or "gap" in (before.kind, era.kind) or before.end.date() == era.start.date():
        return None
    return before.end


def _quotes(era: LifeEra, findings: Sequence[FindingJson]) -> tuple[str, ...]:
    if era.kind != "spam":
        return ()
    quoted = (
        finding["quote"]
        for finding in findings
        if finding.get("quote") and finding["at"] and era.start <= at(finding["at"]) <= era.end
    )
    return tuple(dict.fromkeys(quoted))[:_QUOTES]


@dataclass(frozen=True, slots=True)
class RiskRow:
    """One row: `code` names its icon, `links` are captures to open as `(date, url)`."""

    code: str
    label: str
    level: Level
    word: str
    note: str
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Risks:
    """All rows of a report; spam stands first among those found."""

    found: Sequence[RiskRow]
    unknown: Sequence[RiskRow]
    clean: Sequence[RiskRow]


def risks(report: WholeReport, eras: Sequence[LifeEra]) -> Risks:
    """The rows of a report whose eras are these; a summary, which tells of no spam, has none for it."""
    spam = _spam(report, eras) if "spam" in report else ("", None)
    present = [spam[1]] if spam[1] and spam[0] == "found" else []
    others: dict[str, list[RiskRow]] = {"unknown": [], "clean": []}
    if spam[1] and spam[0] in others:
        others[spam[0]].append(spam[1])
    graded: list[RiskRow] = []
    for check in report.get("risk_checks") or ():
        grade = level(check["flag"], check["severity"])
        label = labels.flag_label(check["flag"])
        row = RiskRow(check["flag"], label, grade, grade, check["note"], _around(check["flag"], report))
        (graded if check["result"] == "found" else others.setdefault(check["result"], [])).append(row)
    order = ("serious", "caution", "minor")
    present += sorted(graded, key=lambda row: order.index(row.level))
    return Risks(present, others["unknown"], others["clean"])


def _spam(report: WholeReport, eras: Sequence[LifeEra]) -> tuple[str, RiskRow]:
    """The row for spam, and where it stands."""
    check = report["spam"]
    links = _captures(report, eras)
    result, note = check["result"], check["note"]
    if result == "found":
        return "found", RiskRow("spam", "Spam", "serious", "rejects", note, links)
    if result == "suspected":
        return "found", RiskRow("spam", "Possible spam", "caution", "caution", note, links)
    if result == "overruled":
        return "found", RiskRow("spam", "Spam, overruled", "minor", "minor", note, links)
    return result, RiskRow("spam", "Spam", "minor", result, note)


def _around(flag: str, report: WholeReport) -> tuple[tuple[str, str], ...]:
    """The captures before and after each change that raises a flag."""
    return tuple(
        (f"{name} {when.day} {when:%b %Y}", url)
        for finding in _findings(report)
        if flag in (finding.get("changed") or ())
        for name, stamp, url in (
            ("before:", finding.get("before"), finding.get("before_url") or ""),
            ("after:", finding["at"], finding["url"]),
        )
        for when in (at(stamp or ""),)
    )


def _captures(report: WholeReport, eras: Sequence[LifeEra]) -> tuple[tuple[str, str], ...]:
    """The first captures that show spam, each day once; of addresses that alone tell of it the archive's list."""
    spans = [(era.start, era.end) for era in eras if era.kind == "spam"]
    links, listed = dict[str, str](), dict[str, str]()
    for finding in _findings(report):
        if not finding["at"] or not finding.get("url"):
            continue
        when = at(finding["at"])
        if finding["zone"] == "url":
            listed.setdefault("all captures", finding["url"])
        elif is_spam(finding) or any(start <= when <= end for start, end in spans):
            links.setdefault(f"{when.day} {when:%b %Y}", finding["url"])
    return tuple((links or listed).items())[:_CAPTURES]


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


def _row(line: ScoreLine, report: WholeReport, titles: Mapping[str, str]) -> ScoreRow:
    scale = BAR_WIDTH / _MOST_POINTS
    width = round(min(abs(line.points) * scale, BAR_WIDTH), 1)
    track = round(line.most * scale, 1)
    if line.kind == "unknown":
        names = ", ".join(labels.PARTS[part][0].lower() for part in line.unknown)
        note = f"The known parts stand in for the unknown ones; {line.missed:.1f} points are not given."
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
    return ScoreRow(line, label, value, width, track, source, at, note)


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
    scale = DIFFERENCE_WIDTH / 2 / max([abs(each.points) for each in lines] or [1.0])
    points = (other["score"] or 0) - (first["score"] or 0)
    one_sided = [_one_sided(part, first, other) for each in unknown for part in each.parts]
    rest = sum(each.points for each in unknown)
    return Comparison(points, [_difference(each, scale) for each in lines], rest, one_sided)


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
