"""Whether what a report says of a domain's past agrees: its sentence, its eras, its flags, its row for spam."""

from __future__ import annotations

from datetime import datetime

from afterdrop.catalogue.judged_columns import judged_columns
from afterdrop.catalogue.rows import StoredReport
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.life import LifeEra, stored_life, story
from afterdrop.scoring.judge import judge
from afterdrop.sources.metrics.model import NOTHING_KNOWN
from tests.support.evidence import Pages, evidence_contradictions, no_pages


def disagreements(history: History, now: datetime, pages: Pages = no_pages) -> list[str]:
    """What contradicts in the report made of a history, one line each; none where the report is of one mind."""
    columns = judged_columns(judge(history, NOTHING_KNOWN, None, now))
    found = contradictions(columns["report"], history.domain, history.language, pages)
    spam = columns["report"]["spam"]["result"]
    return [*found, *(["rejected by the outcome alone"] if history.spam and spam != "found" else [])]


def contradictions(
    report: StoredReport, domain: str, language: str | None, pages: Pages = no_pages
) -> list[str]:
    """What contradicts in a stored report, one line each: life, sentence, risks, standing, language, evidence."""
    eras = stored_life(report["history"])
    kinds = {era.kind for era in eras}
    flags = {check["flag"] for check in report["risk_checks"] if check["result"] == "found"}
    notes = {check["flag"]: check["note"] for check in report["risk_checks"]}
    said = story(eras)
    spam = report["spam"]["result"]
    begun = next((era.start for era in eras if era.owner is not None), None)
    parked = [era for era in eras if era.kind in ("sale", "holder")]
    # A placeholder before any site is how sites begin; where none ever stood, the last era tells.
    later = [
        era
        for era in parked
        if era.kind == "sale" or era is eras[-1] or (begun is not None and era.start > begun)
    ]
    sited = [era for era in eras if era.owner is not None]
    told = {
        "another owner, but a check knows of one": "other" in kinds
        and any(notes[flag].startswith("The captures we read") for flag in ("topic_change", "lang_change")),
        "two languages, but a check knows of one": len({era.language for era in sited if era.language}) > 1
        and "all in one language" in notes["lang_change"],
        "the header speaks of an earlier owner": bool(sited)
        and language != sited[-1].language
        and sited[-1].language is not None,
        "a change found, but one owner": bool(flags & {"topic_change", "lang_change"})
        and len({era.owner for era in sited}) < 2,
        "for sale or parked, but no flag": bool(later) and "parked" not in flags,
        "flagged as parked, but never parked": "parked" in flags and not parked,
        "a placeholder is denied": bool(parked) and notes["parked"].startswith("No parking page"),
        "a gap, but no flag": "gap" in kinds and "gap" not in flags,
        "flagged for a gap without one": "gap" in flags and "gap" not in kinds,
        "spam on the pages, but no row": "spam" in kinds and spam not in ("found", "suspected"),
        "spam found, but not rejected": (spam == "found") != (report["standing"] == "rejected"),
        "rejected without a reason": spam == "found" and not report["spam"]["note"].strip(),
        "eras out of order": [era.start for era in eras] != sorted(era.start for era in eras),
        "an era ends before it begins": any(era.end < era.start for era in eras),
    }
    return [
        *(what for what, wrong in told.items() if wrong),
        *(f"not in the sentence: {era.kind} {era.title}" for era in eras if not _mentioned(era, said)),
        *evidence_contradictions(report, pages),
    ]


def _mentioned(era: LifeEra, said: str) -> bool:
    if not all(str(year) in said for year in (era.start.year, era.end.year)):
        # spans that meet are told as one
        first = [
            int(year)
            for year in said.replace("–", " ").replace(",", " ").replace(".", " ").split()
            if year.isdigit()
        ]
        if not (min(first, default=9999) <= era.start.year and era.end.year <= max(first, default=0)):
            return False
    if era.owner is not None:
        return era.owner == 1 or "another owner’s site" in said
    return (era.title or "").lower().split()[0] in said.lower() or {
        "Paid links": "paid links",
        "Coming soon": "coming-soon",
        "Redirect elsewhere": "redirect",
    }.get(era.title or "", "?") in said
