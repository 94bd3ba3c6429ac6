"""Pages stitched from the same few sentences, over and over: doorways for any words at all, of no trade.

Pure. Honest texts repeat a line or a form; hardly any is made of repeated sentences for the most part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from afterdrop.review.page.quotes import quote
from afterdrop.review.page.reading import Evidence
from afterdrop.review.spam.link_lists import Span
from afterdrop.review.spam.page_spam import SpamFinding

_END = re.compile(r"[.!?…。！？]")
_SHORTEST, _LONGEST = 25, 400
_CHARS = 60_000
# A page of so many sentences, most of which are one of a few that stand there three times and more.
_LEAST, _TIMES, _FEW, _SHARE = 40, 3, 6, 0.7
_SHOWN = 3


def find_repeated_sentences(text: str, source: str, version: str) -> SpamFinding | None:
    """A doorway's finding, or None."""
    spans = list(_spans(text[:_CHARS]))
    if len(spans) < _LEAST:
        return None
    found = [(" ".join(text[start:end].split()).lower(), start, end) for start, end in spans]
    counts = Counter(sentence for sentence, _, _ in found)
    repeated = {sentence: times for sentence, times in counts.items() if times >= _TIMES}
    total = sum(repeated.values())
    if len(repeated) < _FEW or total < _SHARE * len(found):
        return None
    first = {sentence: (start, end) for sentence, start, end in reversed(found)}
    shown = sorted(repeated, key=lambda sentence: -repeated[sentence])[:_SHOWN]
    evidence = tuple(
        Evidence(
            code="repeated_sentence",
            category="doorway",
            severity=2,
            zone="body",
            quote=quote(text, *first[sentence], source),
            rule=f"the sentence stands {repeated[sentence]} times",
            lexicon=version,
        )
        for sentence in shown
    )
    return SpamFinding("doorway", True, 0.0, 0.0, evidence)


def _spans(text: str) -> Iterator[Span]:
    """Where sentences stand: of a longer one its end. Searched by their ends, as a text without any has none."""
    start = 0
    for match in _END.finditer(text):
        end = match.start()
        if end - start >= _SHORTEST:
            yield max(start, end - _LONGEST), match.end()
        start = match.end()
