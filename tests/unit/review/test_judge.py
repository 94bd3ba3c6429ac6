"""One list says who overrules whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from afterdrop.review.page.judge import ORDER, Case
from afterdrop.review.page.values import (
    ErrorFinding,
    Evidence,
    InjectedFinding,
    PageWords,
    ParkedFinding,
    Signs,
    SpamFinding,
)

SEEN = Evidence("parking_phrase", "for_sale", 3, "title", "Tarn is for sale", "", "")
WORDS = PageWords((), {}, frozenset(), frozenset())
MARKUP, PHRASE = ParkedFinding("for_sale", "Sedo", True, ()), ParkedFinding("for_sale", None, False, (SEEN,))
SHAPE = replace(PHRASE, evidence=())
SPAM = SpamFinding("gambling", True, 9.0, 1.0, ())
PLANTED = InjectedFinding("injected", True, ())
FAULT, WAIT = ErrorFinding("not_found", ()), ErrorFinding("challenge", ())
DOUBTED, HINTED = replace(SPAM, strict=False), replace(PLANTED, strict=False)


@pytest.mark.parametrize(
    ("parked", "spam", "planted", "fault", "line"),
    [
        (MARKUP, SPAM, PLANTED, FAULT, "parked_by_markup"),
        (PHRASE, SPAM, PLANTED, FAULT, "spam"),
        (PHRASE, DOUBTED, PLANTED, FAULT, "broken_into"),
        (PHRASE, DOUBTED, HINTED, FAULT, "error"),
        (PHRASE, DOUBTED, HINTED, WAIT, "parked_by_words"),
        (SHAPE, None, None, WAIT, "error"),
        (SHAPE, DOUBTED, HINTED, None, "parked_by_words"),
        (None, DOUBTED, HINTED, None, "suspect"),
        (None, None, HINTED, None, "suspect"),
        (None, None, None, None, "clean"),
    ],
)
def test_the_first_line_that_answers_decides(
    parked: ParkedFinding | None,
    spam: SpamFinding | None,
    planted: InjectedFinding | None,
    fault: ErrorFinding | None,
    line: str,
) -> None:
    signs = Signs(
        WORDS,
        listed=None,
        head=None,
        repeated=None,
        act=None,
        planted=planted,
        parked=parked,
        fault=fault,
        silent=False,
        teaches=False,
    )
    answered = [one.__name__ for one in ORDER if one(Case(signs, spam, parked))]
    assert answered[0] == line
    assert answered[-1] == "clean"
