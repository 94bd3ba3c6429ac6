"""What the pages of a report and of a check show, made from one report as its viewer sees it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from afterdrop.catalogue.standing import Standing, standing
from afterdrop.review.history.life import LifeEra, at, life
from afterdrop.review.history.story import story
from afterdrop.web.site.charts import NARROW, PANEL, Strip, report_strip
from afterdrop.web.site.risk_rows import Risks, risks
from afterdrop.web.site.score_table import ScoreRow, score_rows

# What a report says of a part that it was stored without.
_MISSING_PARTS: Final = {
    **dict.fromkeys(("anchors", "top_referring_domains", "topical_trust_flow", "history", "registration")),
    **dict.fromkeys(("risk_checks", "attributions", "flags"), ()),
}
_LINK_FIGURES: Final = (
    *(
        "domain_rating",
        "trust_flow",
        "referring_domains",
        "<vendor_a>_authority_score",
        "<vendor_d>_pagerank",
    ),
)
MOST_ERAS: Final = 12
_QUOTES: Final = 6


@dataclass(frozen=True, slots=True)
class EraCard:
    """An era with the quotes that accuse it, to be marked in its excerpt."""

    era: LifeEra
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that is not known: what it is needed for, what happened, how to get it."""

    needed_for: str
    happened: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The top of a report: its standing, the lead of a rejected one, and the sentence that tells the story."""

    standing: Standing
    lead: str
    story: str
    missing: Sequence[Missing]


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything that is made from a full report for its page."""

    verdict: Verdict
    eras: Sequence[EraCard]
    more_eras: int
    strip: Strip
    narrow: Strip
    panel: Strip
    risks: Risks
    score: Sequence[ScoreRow]


def report_values(found: Mapping[str, Any], now: datetime, titles: Mapping[str, str]) -> dict[str, Any]:
    """The values of a report's template; `titles` are the names of metric providers by their identifiers."""
    return {"report": {**_MISSING_PARTS, **found}, "view": report_view(found, now, titles)}


def report_view(report: Mapping[str, Any], now: datetime, titles: Mapping[str, str]) -> ReportView:
    """The parts of the page that are made from the report."""
    history = report.get("history") or {}
    findings = history.get("findings") or ()
    eras = life(history)
    return ReportView(
        verdict(report, eras),
        [EraCard(era, _quotes(era, findings)) for era in eras[:MOST_ERAS]],
        max(len(eras) - MOST_ERAS, 0),
        report_strip(eras, findings, now),
        report_strip(eras, findings, now, NARROW),
        report_strip(eras, findings, now, PANEL),
        risks(report, eras),
        score_rows(report, titles),
    )


def verdict(report: Mapping[str, Any], eras: Sequence[LifeEra]) -> Verdict:
    """The standing with its sentence: the story of the eras, or why there is none."""
    stands = standing(report)
    anchors = (report.get("anchors") or {}).get("top")
    told = story(eras, report["domain"], anchors)
    lead = _lead(eras, report) if stands == "rejected" else ""
    missing = _missing(report) if stands == "unknown" else []
    return Verdict(stands, lead, told or _untold(report), missing)


def _lead(eras: Sequence[LifeEra], report: Mapping[str, Any]) -> str:
    spam = [era for era in eras if era.kind == "spam"]
    if spam:
        return f"{spam[0].title} {', '.join(era.years for era in spam)}."
    findings = (report.get("history") or {}).get("findings") or ()
    inner = any(str(finding.get("code", "")).startswith("spam") for finding in findings)
    return "Spam on pages below the home page." if inner else "Spam in the link texts."


def _untold(report: Mapping[str, Any]) -> str:
    """The sentence of a report without eras."""
    captures = (report.get("history") or {}).get("captures")
    if captures:
        counted = f"{captures:,} capture{'' if captures == 1 else 's'}"
        return f"The web archive has {counted}, but none of the home page could be read."
    if any(report["metrics"].get(name) is not None for name in _LINK_FIGURES):
        return "The web archive has no page of this domain, so nothing can be said about its past."
    return "The web archive has no page of this domain and no link figure is known, so nothing can be said about it."


def _missing(report: Mapping[str, Any]) -> list[Missing]:
    notes = " ".join(report.get("review_notes") or ())
    kept = "does not show this site" in notes or "keeps this site from view" in notes
    found = []
    if not (report.get("history") or {}).get("captures"):
        happened = "The web archive does not show this site." if kept else "The web archive has no capture."
        remedy = "There is nothing you can do." if kept else "Check again once the web archive has a page."
        found.append(Missing("Life, spam, parking, gaps, history, age", happened, remedy))
    if all(report["metrics"].get(name) is None for name in _LINK_FIGURES):
        found.append(
            Missing(
                "Links, inflated rating",
                "No provider has a link figure for this domain.",
                "The operator can add a provider of link figures or import the open link ranks.",
            )
        )
    if report["listing"]["price_usd"] is None:
        found.append(Missing("Price", "No marketplace gives a price.", "You need not do anything."))
    return found


def _quotes(era: LifeEra, findings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    if era.kind != "spam":
        return ()
    quoted = (
        str(finding["quote"])
        for finding in findings
        if finding.get("quote") and finding.get("at") and era.start <= at(finding["at"]) <= era.end
    )
    return tuple(dict.fromkeys(quoted))[:_QUOTES]
