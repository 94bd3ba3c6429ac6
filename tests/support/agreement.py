"""Whether what a report says of a domain's past agrees: its sentence, its eras, its flags, its row for spam."""

from __future__ import annotations

from datetime import datetime

from afterdrop.catalogue.vetting import vet, vetted_columns
from afterdrop.metrics.model import NOTHING_KNOWN
from afterdrop.review.flags.risk_flags import found_flags
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.life import LifeEra, life
from afterdrop.review.history.story import story


def disagreements(history: History, now: datetime) -> list[str]:
    """What contradicts, one line each; none where the report is of one mind."""
    vetting = vet(history, NOTHING_KNOWN, None, now)
    report = vetted_columns(vetting)["report"]
    eras = life(report["history"])
    kinds = {era.kind for era in eras}
    flags = set(found_flags(vetting.checks))
    said = story(eras, history.domain)
    spam = report["spam"]["result"]
    begun = next((era.start for era in eras if era.owner is not None), None)
    parked = [era for era in eras if era.kind in ("sale", "holder")]
    # A placeholder before any site is how sites begin; where none ever stood, the last era tells.
    later = [
        era
        for era in parked
        if era.kind == "sale" or era is eras[-1] or (begun is not None and era.start > begun)
    ]
    notes = {check.flag: check.note for check in vetting.checks}
    told = {
        "another owner, but no change found": "other" in kinds
        and not flags & {"topic_change", "lang_change"},
        "a change found, but one owner": bool(flags & {"topic_change", "lang_change"})
        and "other" not in kinds,
        "for sale or parked, but no flag": bool(later) and "parked" not in flags,
        "flagged as parked, but never parked": "parked" in flags and not parked,
        "a placeholder is denied": bool(parked) and notes["parked"].startswith("No parking page"),
        "a gap, but no flag": "gap" in kinds and "gap" not in flags,
        "flagged for a gap without one": "gap" in flags and "gap" not in kinds,
        "spam on the pages, but no row": "spam" in kinds and spam not in ("found", "suspected"),
        "rejected by the outcome alone": history.spam and spam != "found",
        "rejected without a reason": spam == "found" and not report["spam"]["note"].strip(),
        "eras out of order": [era.start for era in eras] != sorted(era.start for era in eras),
        "an era ends before it begins": any(era.end < era.start for era in eras),
    }
    return [what for what, wrong in told.items() if wrong] + [
        f"not in the sentence: {era.kind} {era.title}" for era in eras if not _mentioned(era, said)
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
        return era.owner == 0 or "another owner’s site" in said
    return (era.title or "").lower().split()[0] in said.lower() or {
        "Paid links": "paid links",
        "Coming soon": "coming-soon",
        "Redirect elsewhere": "redirect",
    }.get(era.title or "", "?") in said
