"""Every rule asked once of a page, before the page model is: none of them reads it.

Pure. The model reads these findings (`figures.py`), and `judge.py` says which of them decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from afterdrop.review.page.error_pages import ErrorFinding, error_phrases, find_error
from afterdrop.review.page.unseen import is_shell
from afterdrop.review.page.view import PageView
from afterdrop.review.parked.page_parked import ParkedFinding, find_parked, fingerprints
from afterdrop.review.spam.acts import acts, find_act
from afterdrop.review.spam.filler import is_filler
from afterdrop.review.spam.injected import InjectedFinding, find_injected
from afterdrop.review.spam.lexicon import lexicon
from afterdrop.review.spam.page_spam import (
    SpamFinding,
    find_repeated_sentences,
    find_spam,
    find_strange_head,
)
from afterdrop.review.spam.page_words import PageWords, page_words

# So many phrases say who stands behind a page.
PUBLISHER = 3
# So many different words of reports, wherever they stand, and a page teaches or warns.
REPORTED = 5


@dataclass(frozen=True, slots=True)
class Signs:
    """What the rules found on one page.

    `listed` is the word lists' trade, `head` one that stands in the head alone, `repeated` a doorway's sentences,
    `planted` what others put there. `silent`: the page says who stands behind it or was never filled, so the model
    alone may not accuse it. `teaches`: it speaks as reports do, so the model has to be surer. `shell`: scripts fill it.
    """

    words: PageWords
    listed: SpamFinding | None
    head: SpamFinding | None
    repeated: SpamFinding | None
    act: SpamFinding | None
    planted: InjectedFinding | None
    parked: ParkedFinding | None
    fault: ErrorFinding | None
    silent: bool
    teaches: bool
    shell: bool


def read_signs(view: PageView) -> Signs:
    """Ask every rule."""
    parts, source, lists = view.parts, view.decoded.text, lexicon()
    words = page_words(view)
    publishers, reports = len(words.publisher_phrases), len(words.reports)
    return Signs(
        words,
        listed=find_spam(words.tallies, view.words, lists, source, publishers),
        head=find_strange_head(parts, view.told, words.tallies, lists, source),
        repeated=find_repeated_sentences(parts.text, source, lists.version),
        act=find_act(parts, reports + publishers, view.told, acts()),
        planted=find_injected(view.links, parts.hidden, view.spoken.language, lists, source),
        parked=find_parked(parts, view.words, view.told, fingerprints()),
        fault=find_error(parts, view.words, error_phrases()),
        silent=publishers >= PUBLISHER or is_filler(parts.text),
        teaches=reports >= REPORTED,
        shell=is_shell(view),
    )
