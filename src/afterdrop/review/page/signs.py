"""Stage 2, signs: every rule asked once of a page, before the page model is. None of them reads it.

Pure. The model reads these findings (`figures.py`), and `judge.py` says which of them decides.
"""

from __future__ import annotations

from afterdrop.review.page.acts import find_act
from afterdrop.review.page.notices import find_error
from afterdrop.review.page.parked import find_parked
from afterdrop.review.page.planted import find_injected, find_repeated_sentences, find_strange_head, is_filler
from afterdrop.review.page.trades import find_spam, page_words
from afterdrop.review.page.values import PageView, Signs

# So many phrases say who stands behind a page, which the model alone may not accuse then.
PUBLISHER_PHRASES_TO_SILENCE = 3
# So many different words of reports, wherever they stand, and a page teaches or warns.
REPORT_WORDS_TO_TEACH = 5


def read_signs(page: PageView) -> Signs:
    """Ask every rule."""
    words = page_words(page)
    return Signs(
        words,
        listed=find_spam(page, words),
        head=find_strange_head(page, words),
        repeated=find_repeated_sentences(page),
        act=find_act(page, words),
        planted=find_injected(page),
        parked=find_parked(page),
        fault=find_error(page),
        silent=len(words.publisher_phrases) >= PUBLISHER_PHRASES_TO_SILENCE or is_filler(page.parts.text),
        teaches=len(words.reports) >= REPORT_WORDS_TO_TEACH,
    )
