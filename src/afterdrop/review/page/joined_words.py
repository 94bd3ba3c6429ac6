"""Words that tags or comments stand within: `W<big>elcome</big>` and `Via<!-- -->gra` are one word each.

Pure. A parser gives a text for each piece between two tags, and most pieces are words apart: cells, lines, entries of a
menu. Where tags that only dress letters stand between two of them, a browser shows one word (CSS 2.2, 9.2.2). A mark
before such tags says so; it is taken out with the blank behind it once the texts are made.
"""

from __future__ import annotations

import re

# A noncharacter, which no page's own text needs (Unicode, 23.7).
_MARK = "\ufdd0"
# The tags and comments between two letters, figures or entities. What stands before them is looked at behind the first
# sign, so that a search knows with what a match begins.
_BETWEEN = re.compile(
    r"<(?<=[\w;]<)"
    r"(?:/?(?:font|big|small|b|i|em|strong|u|s|strike|tt|sub|ins|del|mark|nobr|wbr|abbr|acronym|bdi|bdo|blink|span)"
    r"\b[^<>]{0,300}>(?:<(?=[/!a-z])|(?=[\w&]))|!--(?:[^-<]|-(?!->)){0,200}-->(?:<(?=[/!a-z])|(?=[\w&]))){1,20}"
    r"(?<!<)(?=[\w&])",
    re.IGNORECASE,
)
_SPAN = re.compile(r"</?span\b", re.IGNORECASE)
# Classes of spans that a style sheet keeps apart from the words beside them, and of pictures between words.
_APART = re.compile(r"sr-|screen|visual|hid|badge|count|label|tag|price|date", re.IGNORECASE)
_PICTURE = re.compile(r"icon|\bfa-|glyph", re.IGNORECASE)


def marked(source: str) -> str:
    """The source with a mark wherever tags or comments stand within a word."""
    return _BETWEEN.sub(_marked, source)


def unmarked(text: str) -> str:
    """A text with single blanks, its marked words joined."""
    return text.replace(f"{_MARK} ", "").replace(_MARK, "") if _MARK in text else text


def _marked(between: re.Match[str]) -> str:
    spans = _SPAN.findall(between[0])
    if _PICTURE.search(between[0]) or (spans and not _within_word(between, len(spans))):
        return between[0]
    return f"{_MARK}{between[0]}"


def _within_word(between: re.Match[str], spans: int) -> bool:
    """Whether spans part a word: beside a letter that stands alone, or one span within it where small letters go on.

    Any other is a label or an entry of its own.
    """
    text, start, end = between.string, between.start(), between.end()
    if not text[start - 1].isalpha() or text[end] == "&":
        return False
    alone = start < 2 or not (text[start - 2].isalnum() or text[start - 2] == ";")
    goes_on = text[end].isalpha() and not text[end].isupper()
    if alone:
        return goes_on or not text[end + 1 : end + 2].isalnum()
    return spans == 1 and goes_on and not _APART.search(between[0])
