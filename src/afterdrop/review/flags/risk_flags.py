"""The eight risk flags, each once: found, clean, or unknown where there is nothing to judge by.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from afterdrop.review.flags.anchors import anchor_foreign, read_anchors, spam_anchors
from afterdrop.review.flags.link_flags import CLEAN, UNKNOWN, Unfound, dr_inflated, not_indexed
from afterdrop.review.flags.trademarks import mark_finding
from afterdrop.review.history.domain_history import ONE_SUBJECT, History
from afterdrop.review.history.findings import Finding
from afterdrop.review.page.planted import spam_anchor
from afterdrop.sources.metrics.model import ANCHORS, Metrics

Flag = Literal[
    "dr_inflated",
    "parked",
    "topic_change",
    "lang_change",
    "gap",
    "trademark",
    "not_indexed",
    "anchor_foreign",
]
Result = Literal["clean", "found", "unknown"]
Severity = Literal["risk", "info"]
Verdict = Literal["ok", "risky"]
_Outcome = Finding | Unfound | Literal["spam_side"]

FLAGS: Final[tuple[Flag, ...]] = get_args(Flag)
# What people call each flag, and what it means.
FLAG_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "dr_inflated": (
        "Inflated rating",
        "The Domain Rating is far higher than the other link figures support. Bought links and link rings do that.",
    ),
    "parked": ("Parked", "The domain was parked for part of its past."),
    "topic_change": ("Change of subject", "The site changed its subject at some point."),
    "lang_change": ("Change of language", "The site changed its language at some point."),
    "gap": ("Gap in the archive", "The web archive has no page for two years or more."),
    "trademark": (
        "Trademark",
        "The name contains a well-known trademark, and its owner may claim the name.",
    ),
    "not_indexed": ("Not indexed", "The search engine lists no pages of the domain."),
    "anchor_foreign": (
        "Foreign link texts",
        "Many links to the domain are in a language its site never used.",
    ),
}
# Severity of a flag that was not found: what it would be.
USUAL: Final[dict[Flag, Severity]] = {
    "dr_inflated": "risk",
    "parked": "info",
    "topic_change": "risk",
    "lang_change": "risk",
    "gap": "info",
    "trademark": "risk",
    "not_indexed": "info",
    "anchor_foreign": "risk",
}
_CLEAN: Final[dict[Flag, str]] = {
    "dr_inflated": "The Domain Rating is in line with the other link figures.",
    "parked": "No parking page in the captures we read.",
    "topic_change": "{read} are one owner’s and show no change of subject.",
    "lang_change": "{read} are all in one language.",
    "gap": "The web archive has no gap of two whole years.",
    "trademark": "No known trademark in the name.",
    "not_indexed": "The search engine lists pages of the domain.",
    "anchor_foreign": "The link texts are in the site's language, or name the site.",
}
_UNKNOWN: Final[dict[Flag, str]] = {
    "dr_inflated": "There is no Domain Rating, or nothing to compare it with.",
    "parked": "No capture of the home page shows a site or a placeholder.",
    "topic_change": "Too few captures could be read to compare them.",
    "lang_change": "Too few captures could be read to compare them.",
    "gap": "The web archive has no capture of a page.",
    "trademark": "The name was not compared.",
    "not_indexed": "The number of indexed pages is unknown.",
    "anchor_foreign": "Too little is known about the link texts or the site's language.",
}
_UNREAD: Final = "No archived page of it could be read."
# Where the owner changed: what is said if the flag is clean all the same, and if nobody can tell.
_OWNERS: Final[dict[Flag, tuple[str, str]]] = {
    "topic_change": (
        "The owner changed, but {read} are all about one subject.",
        "The owner changed. Too few captures could be read to say whether the subject changed, too.",
    ),
    "lang_change": (
        "The owner changed, but {read} are all in one language.",
        "The owner changed. Too few captures could be read to say whether the language changed, too.",
    ),
}
_SECOND_LANGUAGE: Final = "{read} are one owner’s, in more than one language."
_PERHAPS_TWO: Final = "Nothing clearly says that {read} are one owner’s."
_SPAM_SIDE: Final = "One side of the change is spam, so there is no site to compare with."
_BEFORE_THE_SITE: Final = "There was a placeholder before the first site, as there often is."
_ONE_CAPTURE: Final = (
    "One capture between two pages of the same site looks parked. We take it for a temporary fault."
)
_TWO_READ = 2


def flag_label(flag: str) -> str:
    """A flag in words."""
    return FLAG_WORDS.get(flag, (flag.replace("_", " "), ""))[0]


@dataclass(frozen=True, slots=True)
class RiskCheck:
    """One flag's outcome. `note` is one sentence with the capture's date and address where there is one (`url`)."""

    flag: Flag
    label: str
    result: Result
    severity: Severity
    note: str
    url: str = ""

    def to_dict(self) -> dict[str, str]:
        """The report's five members."""
        return {
            "flag": self.flag,
            "label": self.label,
            "result": self.result,
            "severity": self.severity,
            "note": self.note,
        }


def risk_checks(history: History | None, metrics: Metrics, domain: str) -> tuple[RiskCheck, ...]:
    """Every flag once, in the order of the flag table. `history` None: not reviewed.

    A history of which no page could be read is none. An operator's own marks were compared at the review and stand in
    its findings.
    """
    unread = history is not None and history.unread
    history = None if unread else history
    anchors = read_anchors(metrics.items(ANCHORS))
    language = history.language if history else None
    sites = [era.language for era in history.eras if era.kind == "site" and era.language] if history else []
    ask: dict[Flag, Callable[[], _Outcome]] = {
        "dr_inflated": lambda: dr_inflated(metrics),
        "trademark": lambda: mark_finding(domain) or _own_mark(history),
        "not_indexed": lambda: not_indexed(metrics),
        "anchor_foreign": lambda: anchor_foreign(anchors, language, domain, sites),
    }
    checks = (_check(flag, ask[flag]() if flag in ask else _of_history(flag, history)) for flag in FLAGS)
    if unread:
        return tuple(check if check.flag in ask else replace(check, note=_UNREAD) for check in checks)
    return tuple(_covering(_with_placeholder(check, history), history) for check in checks)


def _covering(check: RiskCheck, history: History | None) -> RiskCheck:
    """A clean check of subject or language says which captures it covers, and speaks for all owners or not at all."""
    if history is None or check.flag not in _OWNERS or check.result != CLEAN:
        return check
    # The captures read that show a site, in the order of time.
    kinds = ("site",) if history.spam else ("site", "suspect")
    told = [capture for capture in history.read if capture.kind in kinds]
    languages = {capture.language for capture in told if capture.language}
    turns = [finding for finding in history.findings if finding.code == "owner_change"]
    note = _CLEAN[check.flag]
    if turns:
        note, unsure = _OWNERS[check.flag]
        same = all(finding.category == ONE_SUBJECT for finding in turns)
        if len(languages) > 1 if check.flag == "lang_change" else not same:
            return replace(check, result=UNKNOWN, note=unsure)
    elif len(languages) > 1 or check.flag == "topic_change":
        if any(era.perhaps_other for era in history.eras):
            check, note = replace(check, result=UNKNOWN), _PERHAPS_TWO
        elif check.flag == "lang_change":
            note = _SECOND_LANGUAGE
    first, last = told[0].at.year, told[-1].at.year
    years = f"of {first}" if first == last else f"from {first} to {last}"
    said = note.format(read=f"the captures we read, {years},")
    return replace(check, note=said[0].upper() + said[1:])


def _with_placeholder(check: RiskCheck, history: History | None) -> RiskCheck:
    """A placeholder of the time before the first site is no flag, but the row must not deny what the eras show."""
    shown = [era for era in history.eras if era.kind == "parked"] if history else []
    if check.flag != "parked" or check.result != CLEAN or not shown:
        return check
    begun = next((era.start for era in history.eras if era.kind == "site"), None) if history else None
    early = begun is None or shown[0].start < begun
    return replace(check, note=_BEFORE_THE_SITE if early else _ONE_CAPTURE)


def found_flags(checks: Iterable[RiskCheck]) -> dict[Flag, Severity]:
    """The found flags with their severity, in order."""
    return {check.flag: check.severity for check in checks if check.result == "found"}


def verdict(
    checks: Iterable[RiskCheck], history: History | None = None, metrics: Metrics | None = None
) -> Verdict:
    """`risky` when a found flag is a risk, or history or link texts ask for a second look."""
    graver = any(severity == "risk" for severity in found_flags(checks).values())
    doubtful = history is not None and history.outcome != "ok"
    bought = metrics is not None and _spam_links(metrics) is not None
    return "risky" if graver or doubtful or bought else "ok"


def spam_reasons(history: History, metrics: Metrics) -> tuple[str, ...]:
    """Why the domain is rejected as spam, short sentences; empty when it is not."""
    links = _spam_links(metrics)
    found = history.reasons if history.spam else ()
    return (*found, links.note) if links is not None and links.severity >= 3 else found


def _spam_links(metrics: Metrics) -> Finding | None:
    return spam_anchors(read_anchors(metrics.items(ANCHORS)), lambda text: spam_anchor(text) is not None)


@dataclass(frozen=True, slots=True)
class SpamCheck:
    """The result for spam on a domain's pages and in the links to it.

    `found` rejects, `suspected` asks for a second look, `overruled` was found and an operator decided that it is
    none, `unknown` had no page to judge by. `note` says it in short sentences.
    """

    result: Literal["found", "suspected", "overruled", "clean", "unknown"]
    note: str

    def to_dict(self) -> dict[str, str]:
        """The report's two members."""
        return {"result": self.result, "note": self.note}


def spam_check(history: History, metrics: Metrics, *, overruled: bool = False) -> SpamCheck:
    """The outcome for spam, which is no flag: it rejects the domain or asks for a second look."""
    reasons = spam_reasons(history, metrics)
    links = _spam_links(metrics)
    if reasons or history.spam:
        told = " ".join(reasons) or "The history contains spam."
        kept = f"An operator looked at it and decided that it is not spam. {told}" if overruled else told
        return SpamCheck("overruled" if overruled else "found", kept)
    doubts = [*(history.reasons if history.outcome == "suspect" else ()), *([links.note] if links else [])]
    if doubts:
        return SpamCheck("suspected", " ".join(doubts))
    if history.unread or not history.read:
        return SpamCheck("unknown", "No page could be read.")
    return SpamCheck("clean", "No page we read and no link text we know looks like spam.")


def _check(flag: Flag, outcome: _Outcome) -> RiskCheck:
    if isinstance(outcome, Finding):
        note = f"{outcome.note.rstrip('.')} ({outcome.url})." if outcome.url else outcome.note
        severity: Severity = "risk" if outcome.severity >= 2 else "info"
        return RiskCheck(flag, FLAG_WORDS[flag][0], "found", severity, note, outcome.url)
    if outcome == "spam_side":
        return RiskCheck(flag, FLAG_WORDS[flag][0], UNKNOWN, USUAL[flag], _SPAM_SIDE)
    notes = _CLEAN if outcome == CLEAN else _UNKNOWN
    return RiskCheck(flag, FLAG_WORDS[flag][0], outcome, USUAL[flag], notes[flag])


def _of_history(flag: Flag, history: History | None) -> _Outcome:
    if history is None or history.blocked:
        return UNKNOWN
    found = [one for one in history.findings if flag == one.code or flag in one.changed]
    if found:
        gravest = max(found, key=lambda finding: finding.severity)
        # A second change of owner is as good a reason as the first one.
        notes = "; ".join(one.note.rstrip(".").replace("The site", "the site", 1) for one in found)
        return replace(gravest, note=f"{notes[:1].upper()}{notes[1:]}.") if flag in _OWNERS else gravest
    if flag == "gap":
        return CLEAN if history.good_years else UNKNOWN
    sites = [capture for capture in history.read if capture.kind in ("site", "suspect", "spam", "parked")]
    if flag == "parked":
        return CLEAN if sites else UNKNOWN
    told = [c for c in sites if c.kind == "site" and (c.language if flag == "lang_change" else c.words)]
    if told and any(c.kind == "spam" or (c.kind == "suspect" and history.spam) for c in sites):
        return "spam_side"
    return CLEAN if len(told) >= _TWO_READ else UNKNOWN


def _own_mark(history: History | None) -> Finding | Unfound:
    found = history.findings if history else ()
    return next((finding for finding in found if finding.code == "trademark"), CLEAN)
