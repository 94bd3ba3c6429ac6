"""The rows of a report's risks: what was found first, what could not be asked, and what is clean, folded. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from afterdrop.catalogue.standing import standing
from afterdrop.review.flags.risk_flags import USUAL
from afterdrop.review.history.life import LifeEra, at
from afterdrop.scoring.weights import current
from afterdrop.web.site import labels

Level = Literal["serious", "caution", "minor"]
# A flag that takes so much off a score is serious.
_SERIOUS: Final = 0.2
_CAPTURES: Final = 3
_NO_SPAM_ROW: Final = {"result": "unknown", "note": "This report was made before spam had a row of its own."}


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


def level(flag: str, severity: str) -> Level:
    """How grave a found flag is."""
    if severity != "risk":
        return "minor"
    figures = current().flags
    return "serious" if flag in figures and figures[flag] >= _SERIOUS else "caution"  # type: ignore[index]  # looked up


def gravity(flag: str) -> Level:
    """How grave a flag usually is, where only its name is known."""
    return level(flag, USUAL[flag]) if flag in USUAL else "minor"


def risks(report: Mapping[str, Any], eras: Sequence[LifeEra]) -> Risks:
    """The rows of a full report whose eras are these."""
    spam = _spam(report, eras)
    found = [spam[1]] if spam[0] == "found" else []
    others: dict[str, list[RiskRow]] = {"unknown": [], "clean": []}
    if spam[0] in others:
        others[spam[0]].append(spam[1])
    graded: list[RiskRow] = []
    for check in report.get("risk_checks") or ():
        grade = level(check["flag"], check["severity"])
        label = labels.flag_label(check["flag"])
        row = RiskRow(check["flag"], label, grade, grade, check["note"])
        (graded if check["result"] == "found" else others.setdefault(check["result"], [])).append(row)
    order = ("serious", "caution", "minor")
    found += sorted(graded, key=lambda row: order.index(row.level))
    return Risks(found, others["unknown"], others["clean"])


def _spam(report: Mapping[str, Any], eras: Sequence[LifeEra]) -> tuple[str, RiskRow]:
    """The row for spam, and where it stands."""
    told = report.get("spam") or _told_otherwise(report, eras)
    links = _captures(report, eras)
    result, note = told["result"], told["note"]
    if result == "found":
        return "found", RiskRow("spam", "Spam", "serious", "rejects", note, links)
    if result == "suspected":
        return "found", RiskRow("spam", "Possible spam", "caution", "caution", note, links)
    if result == "overruled":
        return "found", RiskRow("spam", "Spam, overruled", "minor", "minor", note, links)
    return result, RiskRow("spam", "Spam", "minor", result, note)


def _told_otherwise(report: Mapping[str, Any], eras: Sequence[LifeEra]) -> Mapping[str, str]:
    """What a report without a row for spam says of it in other places."""
    if standing(report) == "rejected":
        return {"result": "found", "note": str(report["score_notes"]["penalty"]).partition(": ")[2]}
    if any(era.kind == "spam" for era in eras):
        return {"result": "suspected", "note": "Captures of the home page look like spam."}
    if eras:
        return {"result": "clean", "note": "No page we read looks like spam."}
    return _NO_SPAM_ROW


def _captures(report: Mapping[str, Any], eras: Sequence[LifeEra]) -> tuple[tuple[str, str], ...]:
    """The first captures that show spam, each day once."""
    spans = [(era.start, era.end) for era in eras if era.kind == "spam"]
    found: dict[str, str] = {}
    for finding in (report.get("history") or {}).get("findings") or ():
        if not finding.get("at") or not finding.get("url"):
            continue
        when = at(finding["at"])
        deep = str(finding.get("code", "")).startswith("spam")
        if deep or any(start <= when <= end for start, end in spans):
            found.setdefault(f"{when.day} {when:%b %Y}", finding["url"])
    return tuple(found.items())[:_CAPTURES]
