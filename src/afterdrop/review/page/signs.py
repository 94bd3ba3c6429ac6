"""Stage 2, signs: every rule asked once of a page, before the page model is. None of them reads it.

Pure. The model reads these findings (`figures.py`), and `judge.py` says which of them decides.
"""

from __future__ import annotations

from afterdrop.review.page.acts import acts, find_act
from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.notices import error_phrases, find_error
from afterdrop.review.page.parked import find_parked, fingerprints
from afterdrop.review.page.planted import find_injected, find_repeated_sentences, find_strange_head, is_filler
from afterdrop.review.page.trades import find_spam, page_words
from afterdrop.review.page.values import PageView, Signs

# So many phrases say who stands behind a page.
PUBLISHER = 3
# So many different words of reports, wherever they stand, and a page teaches or warns.
REPORTED = 5


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
    )
