"""The conclusion from a domain's score, verdict, flags and past, with its word, colour and sentence. Pure.

Lists, reports, the panel, checks, mails, MCP and the command line take all three from here, so that no two of them
say different things of one domain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from afterdrop.review.flags.risk_flags import USUAL, Flag, Severity, Verdict, flag_label
from afterdrop.review.history.life import LifeKind
from afterdrop.scoring.weights import current

# What a report concludes before any number: a score, a rejection for spam, or not enough to say.
Standing = Literal["scored", "rejected", "unknown"]
# What was read of a past: pages of a site, only pages that are none (parked, errors), none of the pages captured, or
# none because the archive shows none.
Past = Literal["site", "bare", "unread", "none"]
Conclusion = Literal[
    "clean", "second_look", "serious_risk", "weak", "nothing_to_revive", "unread", "rejected", "unknown"
]
Level = Literal["serious", "caution", "minor"]

# The one flag that is found as a risk or for information: a name parked for sale for long, or just parked. The severity
# of the others is always `USUAL`.
VARYING: Final[Flag] = "parked"

_OF_SITES: Final[frozenset[LifeKind]] = frozenset({"site", "other", "spam"})
_OF_NONE: Final[frozenset[LifeKind]] = frozenset({"sale", "holder", "error"})


@dataclass(frozen=True, slots=True)
class Words:
    """A conclusion for people: a word or two, and a sentence."""

    word: str
    sentence: str


VERDICTS: Final[Mapping[Conclusion, Words]] = {
    "clean": Words("No serious risk found", "Nothing that we found is serious."),
    "second_look": Words("Worth a second look", "Something in its past or its links is worth a second look."),
    "serious_risk": Words("Serious risk", "One of its flags is serious, so its score is capped."),
    "weak": Words("Too weak to list", "Its score is too low for the list."),
    "nothing_to_revive": Words(
        "Nothing to revive", "No page that we read was a site of its own, so there is nothing to revive."
    ),
    "unread": Words(
        "Past not read", "No capture of its home page could be read, so nothing is said about its past."
    ),
    "rejected": Words("REJECTED", "It is rejected for spam and never listed."),
    "unknown": Words("Not enough data", "Too little is known of it for a score."),
}
CONCLUSIONS: Final[tuple[Conclusion, ...]] = tuple(VERDICTS)


def level(flag: str, severity: str) -> Level:
    """How grave a found flag is, by what it takes off the score. Lists, reports, mails and programs say this word."""
    if severity != "risk":
        return "minor"
    return "serious" if flag in USUAL and current().serious(flag, "risk") else "caution"


@dataclass(frozen=True, slots=True)
class Grade:
    """A severity that a flag may be found with: its word, and the share that it takes off the score."""

    level: Level
    share: float


def grades(flag: Flag) -> tuple[Grade, ...]:
    """The severities that a flag may be found with, the gravest first."""
    severities: tuple[Severity, ...] = ("risk", "info") if flag == VARYING else (USUAL[flag],)
    return tuple(Grade(level(flag, severity), current().taken(flag, severity)) for severity in severities)


def severities(flags: Iterable[Flag], told: Mapping[Flag, Severity]) -> dict[Flag, Severity]:
    """The severity of each flag found: as `told`, otherwise the usual one. A flag of another version is a mere note."""
    return {flag: told.get(flag) or USUAL.get(flag, "info") for flag in flags}


def levels(found: Mapping[Flag, Severity]) -> dict[Flag, Level]:
    """How grave each of the flags found is."""
    return {flag: level(flag, severity) for flag, severity in found.items()}


def flag_said(flag: str, level: Level) -> str:
    """A flag in a line of text: its label, and how grave it is."""
    return f"{flag_label(flag).lower()} ({level})"


def gravest(conclusion: Conclusion, levels: Collection[Level]) -> Level:
    """How grave what is said beside a score is: the verdict, or without one the gravest flag."""
    if conclusion == "serious_risk":
        return "serious"
    return "caution" if conclusion != "clean" or "caution" in levels else "minor"


def past_of(kinds: Collection[LifeKind], *, captured: bool) -> Past:
    """The past that was read of a life with eras of these kinds; `captured`: the archive shows captures of it."""
    if not captured:
        return "none"
    if not _OF_SITES.isdisjoint(kinds):
        return "site"
    return "unread" if _OF_NONE.isdisjoint(kinds) else "bare"


def conclude(
    standing: Standing, score: int | None, verdict: Verdict | None, flags: Mapping[Flag, Severity], past: Past
) -> Conclusion:
    """The conclusion about a domain. The first that applies counts; `score` is None where there is none.

    `flags` are those found, each with its severity.

    A name that would not be listed is never `clean`: spam, an archive that shows nothing and missing link figures have
    a standing of their own, a past of which nothing could be read is `unread`, and a low score is `weak`.
    """
    if standing == "unknown" and past == "unread":
        return "unread"
    if standing != "scored":
        return standing
    if any(level(flag, severity) == "serious" for flag, severity in flags.items()):
        return "serious_risk"
    if past != "site":
        return "nothing_to_revive" if past == "bare" else "unread"
    if score is not None and score < current().listed_from:
        return "weak"
    return "second_look" if verdict == "risky" else "clean"


def has_score(conclusion: Conclusion) -> bool:
    """Whether a number stands beside the conclusion."""
    return conclusion not in ("rejected", "unread", "unknown")


def verdict_beside(conclusion: Conclusion) -> str:
    """The word for people that stands beside a score; empty where nothing speaks against the name."""
    return "" if conclusion == "clean" else VERDICTS[conclusion].word
