"""Stage 4, judged: who overrules whom, by the first line of ORDER that a page's signs and the model answer.

Pure. A lander may list casino searches and is still a lander; a 404 with one odd link is still a 404. The model's
chance decides what is spam, by three pairs of thresholds for what the word lists say beside it: that it is spam (they
then need the model's doubt to be no more than suspect), that they know the trade (a suspicion or a hint of theirs), or
nothing, where only certainty accuses. Where the lists see who stands behind a page, or where it is printers' filler,
the model alone accuses nobody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from afterdrop.review.page.model import Answer, telling_phrases
from afterdrop.review.page.text import explains
from afterdrop.review.page.values import (
    FEW_WORDS,
    Category,
    ErrorKind,
    Evidence,
    Finding,
    Judged,
    PageView,
    ParkedKind,
    Signs,
    Tally,
)

# From which chance on a page of so few words is a placeholder though nothing that it says is known; where it tells how
# to reach someone, who may be its owner, or has a form, as a log-in does, from a higher one.
PARKED_FROM, PARKED_THOUGH_NAMED, PLACEHOLDER_WORDS = 0.5, 0.9, 400
# From which chance on a page is spam, and from which suspect; chosen on groups that the model had not seen
# (docs/internals/review.md has the table).
SURE, KNOWN, ALONE = (0.9, 0.0), (0.96, 0.7), (0.97, 0.87)
# The same where a page speaks as reports do.
TAUGHT = (0.99, 0.97)
# Below it the model's words accuse nobody.
_QUOTED_FROM_CHANCE = min(SURE[0], KNOWN[1])
_WEIGHTY_SEVERITY = 2
# Errors whose words a placeholder says too: "please wait" for the opening, "this page has moved".
_OF_PLACEHOLDERS: frozenset[ErrorKind] = frozenset({"challenge", "empty"})
# Where parked names send their visitors: a host of the name itself, which nobody else calls so.
_PARKING_HOST = re.compile(r"(?:https?:)?//ww\d+\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """The signs of a page with the two findings in which the model has a say."""

    signs: Signs
    spam: Finding[Category] | None
    parked: Finding[ParkedKind] | None

    @property
    def odd(self) -> tuple[Evidence, ...]:
        """Evidence of text that others put there, which is told beside other reasons, too."""
        return self.signs.planted.evidence if self.signs.planted else ()


def judge(view: PageView, signs: Signs, answer: Answer) -> Judged:
    """The first line of ORDER that answers, with its quotes."""
    case = Case(signs, _accused(view, signs, answer), signs.parked or _parked_by_shape(view, answer))
    judged = next(found for line in ORDER if (found := line(case)))
    # Without quotes too short to explain anything, where there are others.
    telling = tuple(item for item in judged.evidence if not item.quote or explains(item.quote))
    return replace(judged, evidence=telling or judged.evidence)


def parked_by_markup(case: Case) -> Judged | None:
    """A provider's own markup on a short page that is not the provider's site."""
    return parked_by_words(case) if case.parked and case.parked.sure else None


def spam(case: Case) -> Judged | None:
    """A trade, an act or a doorway's sentences, surely."""
    found = case.spam
    return Judged("spam", found.evidence + case.odd, found.kind) if found and found.sure else None


def broken_into(case: Case) -> Judged | None:
    """Links that others planted, surely."""
    planted = case.signs.planted
    if not (planted and planted.sure):
        return None
    return Judged("spam", case.odd + (case.spam.evidence if case.spam else ()), planted.kind)


def error(case: Case) -> Judged | None:
    """A notice instead of a page; none that a placeholder gives too, where a phrase of such stands."""
    fault, parked = case.signs.fault, case.parked
    said = parked is not None and any(item.code == "parking_phrase" for item in parked.evidence)
    if fault is None or (said and fault.kind in _OF_PLACEHOLDERS):
        return None
    return Judged("error", fault.evidence + case.odd, error_kind=fault.kind)


def parked_by_words(case: Case) -> Judged | None:
    """Words or the shape of a parked page."""
    found = case.parked
    return (
        Judged("parked", found.evidence, parked_kind=found.kind, provider=found.provider) if found else None
    )


def suspect(case: Case) -> Judged | None:
    """The same as spam, in doubt: a trade, an act, or planted links."""
    found = case.spam or case.signs.planted
    if found is None:
        return None
    return Judged("suspect", (case.spam.evidence if case.spam else ()) + case.odd, found.kind)


def clean(_: Case) -> Judged | None:
    """Nothing of all this."""
    return Judged("clean")


ORDER: tuple[Callable[[Case], Judged | None], ...] = (
    parked_by_markup,
    spam,
    broken_into,
    error,
    parked_by_words,
    suspect,
    clean,
)


def _accused(view: PageView, signs: Signs, answer: Answer) -> Finding[Category] | None:
    """The strongest accusation: repeated sentences, a sure trade, an act, a trade in doubt."""
    parts, listed, planted = view.parts, signs.listed, signs.planted
    telling = (
        telling_phrases(
            answer.model.spam.telling(answer.page),
            answer.model.version,
            view.decoded.text,
            parts.title or parts.text,
        )
        if answer.spam >= _QUOTED_FROM_CHANCE
        else ()
    )
    trade = combined_spam(
        listed, answer.spam, signs.words.tallies, telling, silent=signs.silent, teaches=signs.teaches
    )
    trade = trade or signs.head
    if planted and planted.sure and not (listed and listed.sure):
        trade = None  # what the model saw was put there by others
    return signs.repeated or (trade if trade and trade.sure else None) or signs.act or trade


def combined_spam(
    listed: Finding[Category] | None,
    chance: float,
    tallies: Mapping[Category, Tally],
    phrases: Sequence[Evidence],
    *,
    silent: bool = False,
    teaches: bool = False,
) -> Finding[Category] | None:
    """The finding of a page that the lists judge as `listed` and the model gives a `chance`; None for a clean one.

    `phrases` are those that weighed most in the model. `silent`: the model alone may not accuse the page, which was
    never filled or says who stands behind it. `teaches`: it speaks as reports do, so the model has to be surer.
    """
    sure = listed is not None and listed.sure
    if silent and not sure:
        return None
    spam_from, suspect_from = SURE if sure else TAUGHT if teaches else KNOWN if listed else ALONE
    if chance < suspect_from:
        return None
    spam = chance >= spam_from
    trade = listed.kind if listed else _trade(tallies)
    weight = _WEIGHTY_SEVERITY if spam else 1
    told = tuple(replace(item, category=trade, severity=weight) for item in phrases)
    # Those quotes that hold a word of a trade: in a page broken into, the model weighs honest sentences,
    # too.
    words = {
        shown.text[shown.hit.start : shown.hit.end].lower() for one in tallies.values() for shown in one.shown
    }
    selling = tuple(item for item in told if any(word in item.quote.lower() for word in words))
    if listed is None:
        return Finding(trade, selling or told, spam)
    return replace(listed, sure=spam, hinted=False, evidence=(*listed.evidence, *selling))


def _trade(tallies: Mapping[Category, Tally]) -> Category:
    """The trade most phrases are of; without any the page is a doorway to whatever it sells."""
    counts = {
        trade: 3 * one.distinct(3) + 2 * one.distinct(2) + one.distinct(1) for trade, one in tallies.items()
    }
    best = max(counts, key=lambda trade: (counts[trade], trade), default=None)
    return best if best and counts[best] > 1 else "doorway"


def _parked_by_shape(view: PageView, answer: Answer) -> Finding[ParkedKind] | None:
    """A placeholder in no words that are known: few of them under a title, and shaped as such pages are.

    A page of frames only, or one that sends its visitors on, shows another that is to be read. Of what scripts build
    nothing is known.
    """
    parts = view.parts
    if not parts.title or view.words >= PLACEHOLDER_WORDS or view.shell or _shows_another(view):
        return None
    used = parts.forms > 0 or bool(view.contacts)
    model, kind = answer.model, "hosting_placeholder"
    if model.parked.probability(answer.page) < (PARKED_THOUGH_NAMED if used else PARKED_FROM):
        return None
    told = telling_phrases(model.parked.telling(answer.page), model.version, view.decoded.text, parts.title)
    return Finding("hosting_placeholder", tuple(replace(item, category=kind) for item in told))


def _shows_another(view: PageView) -> bool:
    onward = view.refresh is not None and not _PARKING_HOST.match(view.refresh.url)
    return view.words < FEW_WORDS and (onward or bool(view.parts.frames))
