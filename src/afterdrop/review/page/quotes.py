"""Verbatim quotes: what a finding shows must be found again in the page's own text, and what a page cites itself.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterdrop.review.page.scripts import unspaced_letters

# What stands in quotation marks, of one language's or another's: some words, no chapters.
_CITED = re.compile(
    r"“[^“”„]{15,400}[”“]|„[^„“”]{15,400}[“”]|«[^«»]{15,400}»|»[^«»]{15,400}«|‹[^‹›]{15,400}›|「[^「」]{6,400}」"
    r"|『[^『』]{6,400}』|\"(?<!\w\")(?=\S)[^\"]{15,400}\"(?!\w)"
)
# A quote is no longer than this; one shorter than the least explains nothing.
QUOTE_CHARS = 160
LEAST_QUOTE = 12
_AROUND = (60, 40, 25, 12, 0)


def cited_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text cites others: what stands in a pair of quotation marks, in order of place."""
    return tuple(match.span() for match in _CITED.finditer(text))


def explains(quoted: str) -> bool:
    """Whether a quote is long enough to explain anything; a sign of a script without blanks says more than a letter."""
    return len(quoted) + 3 * unspaced_letters(quoted) >= LEAST_QUOTE


def quote(text: str, start: int, end: int, source: str) -> str:
    """The widest piece of `text` around a match that stands in the page's source word for word.

    Where a tag, an entity or a line break cuts it to less than LEAST_QUOTE characters, the longest words that stand
    there together, of the match or around it.
    """
    found = [piece for width in _AROUND if (piece := around(text, start, end, width)) in source][:1]
    if not found or len(found[0]) < LEAST_QUOTE:
        for piece in (text[start:end][:QUOTE_CHARS], around(text, start, end, _AROUND[0])):
            found += _standing(piece.split(), source)
            if found and len(max(found, key=len)) >= LEAST_QUOTE:
                break
    return max(found, key=len, default=text[start:end][:QUOTE_CHARS])


def _standing(words: list[str], source: str) -> Iterator[str]:
    """From each word on, the most words that stand in the source: where a few do not, more do not either."""
    end = 0
    for start in range(len(words)):
        end = max(end, start)
        while end < len(words) and " ".join(words[start : end + 1]) in source:
            end += 1
        if end > start:
            yield " ".join(words[start:end])


def around(text: str, start: int, end: int, width: int) -> str:
    """A match with up to `width` characters each side, cut at blanks where there are some; at most QUOTE_CHARS."""
    end = min(end, start + QUOTE_CHARS)
    room = min(width, (QUOTE_CHARS - (end - start)) // 2)
    left, right = max(0, start - room), min(len(text), end + room)
    if left and " " in text[left:start]:
        left = text.index(" ", left) + 1
    if right < len(text) and " " in text[end:right]:
        right = text.rindex(" ", end, right)
    return text[left:right].strip()
