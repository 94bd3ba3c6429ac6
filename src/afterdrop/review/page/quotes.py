"""Verbatim quotes: what a finding shows must be found again in the page's own text.

Pure.
"""

from __future__ import annotations

from afterdrop.review.page.reading import QUOTE_CHARS

_AROUND = (60, 40, 25, 12, 0)


def quote(text: str, start: int, end: int, source: str) -> str:
    """The widest piece of `text` around a match that stands in the page's source word for word.

    Where a tag, an entity or a line break cuts the match itself, the longest of its words that stand there.
    """
    for width in _AROUND:
        piece = around(text, start, end, width)
        if piece in source:
            return piece
    words = text[start:end][:QUOTE_CHARS].split()
    spans = [" ".join(words[a:b]) for a in range(len(words)) for b in range(a + 1, len(words) + 1)]
    standing = [span for span in spans if span in source]
    return max(standing, key=len, default=text[start:end][:QUOTE_CHARS])


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
