"""The pages of a report and of a check, made from one report as its viewer sees it. Pure.

The verdict with its story, the eras and the rows of risks; score_view.py makes the table that answers “Why 84?”.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypedDict, cast

from afterdrop.catalogue.link_shapes import LinkJson
from afterdrop.catalogue.shapes import BasicReport
from afterdrop.catalogue.summary import checked_severities
from afterdrop.review.history.findings import Finding
from afterdrop.review.history.life import LifeEra, at, stored_findings, stored_life, story
from afterdrop.scoring.conclusion import Conclusion, Level, level, levels
from afterdrop.web.site import labels
from afterdrop.web.site.charts import NARROW, PANEL, Strip, is_spam, report_strip
from afterdrop.web.site.links_view import (
    LinkTarget,
    LiveLinks,
    RankLine,
    link_targets,
    live_links,
    rank_line,
    sorted_links,
)
from afterdrop.web.site.owners_view import (
    OwnerLine,
    WhoseLinks,
    first_links,
    owner_lines,
    share_words,
    whose_links,
)
from afterdrop.web.site.score_view import ScoreRow, WholeReport, reasons, score_rows

# What a report says of a part that it was stored without, or that its viewer may not see.
_MISSING_PARTS: Final = {
    **dict.fromkeys(("anchors", "top_referring_domains", "topical_trust_flow", "history", "registration")),
    **dict.fromkeys(("links", "link_eras", "links_today", "cc_rank")),
    **dict.fromkeys(("risk_checks", "attributions", "flags"), ()),
}
_OF_THE_PAST: Final = "Life, spam, parking, gaps, history, age"
_LINK_FIGURES: Final = (
    "domain_rating", "trust_flow", "referring_domains",
    "<vendor_a>_authority_score", "<vendor_d>_pagerank",
)  # fmt: skip
MOST_ERAS: Final = 12
# The archive visits a small site about once a year.
_IN_USE_WITHIN: Final = timedelta(days=400)
# Few operators have a source of it: a line on every report that says nothing.
_UNASKED: Final = ("not_indexed", "unknown")
_QUOTES: Final = 6
_PRINTED: Final = 3
_CAPTURES: Final = 3


@dataclass(frozen=True, slots=True)
class EraCard:
    """An era with the quotes that accuse it, to be marked in its excerpt.

    `since` is when what stood before was last seen, where another owner or another kind of page follows it. `links` is
    the share of the known links that the owner earned, in words. `printed`: it stands on paper, too.
    """

    era: LifeEra
    quotes: tuple[str, ...]
    since: datetime | None
    links: str = ""
    printed: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that is not known: what it is needed for, what happened, how to get it."""

    needed_for: str
    happened: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ReportVerdict:
    """The top of a report: what it concludes, the lead of a rejected one, and the sentence that tells the story."""

    conclusion: Conclusion
    lead: str
    story: str
    missing: Sequence[Missing]


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything that is made from a full report for its page and its panel. `owners` had a site there; title, language
    and topic are the last one's. `reasons` are the score's strongest, in words.
    """

    verdict: ReportVerdict
    eras: Sequence[EraCard]
    more_eras: int
    strip: Strip
    narrow: Strip
    panel: Strip
    risks: Risks
    score: Sequence[ScoreRow]
    reasons: Sequence[str]
    links: WhoseLinks | None
    live: LiveLinks | None
    table: Sequence[LinkJson]
    targets: Sequence[LinkTarget]
    rank: RankLine | None
    owners: Sequence[OwnerLine]


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
    findings, eras = stored_findings(report.get("history")), stored_life(report.get("history"))
    earned = whose_links(report, eras)
    score = score_rows(report, titles)
    # On paper what accuses the name comes first, then what can be quoted.
    printed = sorted(eras[:MOST_ERAS], key=lambda era: (era.kind != "spam", not era.excerpt))[:_PRINTED]
    return ReportView(
        verdict=verdict(report, eras),
        eras=[
            EraCard(
                era,
                _quotes(era, findings),
                _since(before, era),
                share_words(earned, era.owner),
                era in printed,
            )
            for before, era in zip((None, *eras), eras[:MOST_ERAS], strict=False)
        ],
        more_eras=max(len(eras) - MOST_ERAS, 0),
        strip=report_strip(eras, findings, now),
        narrow=report_strip(eras, findings, now, NARROW),
        panel=report_strip(eras, findings, now, PANEL),
        risks=risks(report, eras),
        score=score,
        reasons=reasons(score),
        links=earned,
        live=live_links(report, earned),
        table=sorted_links(report),
        targets=link_targets(report),
        rank=rank_line(report),
        owners=owner_lines(eras, earned),
    )


def in_use(state: str, expires_at: str | None, eras: Sequence[LifeEra], now: datetime) -> bool:
    """Whether a checked name belongs to somebody whose site stands: registered, not expired, and archived lately."""
    kept = state == "registered" and (expires_at is None or at(expires_at) > now)
    return kept and bool(eras) and eras[-1].kind in ("site", "other") and now - eras[-1].end <= _IN_USE_WITHIN


def verdict(report: WholeReport, eras: Sequence[LifeEra]) -> ReportVerdict:
    """The conclusion with its sentence: the story of the eras, or why there is none."""
    concluded = report["conclusion"]
    sentence = story(eras) + first_links(eras, whose_links(report, eras))
    lead = _lead(eras, report) if concluded == "rejected" else ""
    missing = _missing(report) if concluded in ("unknown", "unread") else []
    return ReportVerdict(concluded, lead, sentence or _untold(report), missing)


def _lead(eras: Sequence[LifeEra], report: WholeReport) -> str:
    spam = [era for era in eras if era.kind == "spam"]
    if spam:
        return f"{spam[0].title} {', '.join(era.years for era in spam)}."
    inner = any(is_spam(finding) for finding in stored_findings(report.get("history")))
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


def _quotes(era: LifeEra, findings: Sequence[Finding]) -> tuple[str, ...]:
    if era.kind != "spam":
        return ()
    quoted = (
        finding.quote
        for finding in findings
        if finding.quote and finding.at and era.start <= finding.at <= era.end
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
        if (check["flag"], check["result"]) == _UNASKED:
            continue
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
        for finding in stored_findings(report.get("history"))
        if flag in finding.changed
        for name, when, url in (
            ("before:", finding.before, finding.before_url),
            ("after:", finding.at, finding.url),
        )
        if when
    )


def _captures(report: WholeReport, eras: Sequence[LifeEra]) -> tuple[tuple[str, str], ...]:
    """The first captures that show spam, each day once; of addresses that alone tell of it the archive's list."""
    spans = [(era.start, era.end) for era in eras if era.kind == "spam"]
    links, listed = dict[str, str](), dict[str, str]()
    for finding in stored_findings(report.get("history")):
        when = finding.at
        if when is None or not finding.url:
            continue
        if finding.zone == "url":
            listed.setdefault("all captures", finding.url)
        elif is_spam(finding) or any(start <= when <= end for start, end in spans):
            links.setdefault(f"{when.day} {when:%b %Y}", finding.url)
    return tuple((links or listed).items())[:_CAPTURES]
