"""One list says who overrules whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from afterdrop.review.page.judge import ORDER, Case
from afterdrop.review.page.values import (
    Category,
    ErrorKind,
    Evidence,
    Finding,
    PageWords,
    ParkedKind,
    Signs,
)

SEEN = Evidence("parking_phrase", "for_sale", 3, "title", "Tarn is for sale", "", "")
WORDS = PageWords((), {}, {}, frozenset(), frozenset())
PHRASE: Finding[ParkedKind] = Finding("for_sale", (SEEN,))
MARKUP, SHAPE = replace(PHRASE, sure=True, provider="Sedo"), replace(PHRASE, evidence=())
SPAM: Finding[Category] = Finding("gambling", (), sure=True)
PLANTED = replace(SPAM, kind="injected")
FAULT: Finding[ErrorKind] = Finding("not_found", ())
WAIT = replace(FAULT, kind="challenge")
DOUBTED, HINTED = replace(SPAM, sure=False), replace(PLANTED, sure=False)


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
    parked: Finding[ParkedKind] | None,
    spam: Finding[Category] | None,
    planted: Finding[Category] | None,
    fault: Finding[ErrorKind] | None,
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
