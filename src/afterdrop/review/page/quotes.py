"""Verbatim quotes: what a finding shows must be found again in the page's own text, and what a page cites itself.

Pure.
"""

from __future__ import annotations

import re
import unicodedata
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
# A longer run without a blank is an address or a script that has none.
_LONGEST_WORD = 40
# Signs between words, with which no quote begins or ends.
_LOOSE_FIRST = re.compile(r"[^\w\s“„«‹「『\"'(]++\s++")
_LOOSE_LAST = re.compile(r"[^\w\s”“»›」』\"')]++")
# What is left out before "…".
_BEFORE_DOTS = " ,;:.–-、，・。"
_ENDED = frozenset(".!?…:;。！？")


def cited_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text cites others: what stands in a pair of quotation marks, in order of place."""
    return tuple(match.span() for match in _CITED.finditer(text))


def explains(quoted: str) -> bool:
    """Whether a quote is long enough to explain anything; a sign of a script without blanks says more than a letter."""
    return len(quoted) + 3 * unspaced_letters(quoted) >= LEAST_QUOTE


def quote(text: str, start: int, end: int, source: str) -> str:
    """The widest piece of `text` around a match that stands in the page's source word for word.

    Where a tag, an entity or a line break cuts it to less than LEAST_QUOTE characters, the longest words that stand
    there together, of the match or around it. No word is cut.
    """
    start, end = _word_edge(text, start, -1), _word_edge(text, end, 1)
    found = [piece for width in _AROUND if (piece := around(text, start, end, width)) in source][:1]
    if not found or len(found[0]) < LEAST_QUOTE:
        for piece in (_begun(text[start:end]), around(text, start, end, _AROUND[0])):
            found += _standing(piece.split(), source)
            if found and len(max(found, key=len)) >= LEAST_QUOTE:
                break
    return _without_loose(max(found, key=len, default=_begun(text[start:end])))


def _without_loose(text: str) -> str:
    """The text without the signs that stand alone at its ends."""
    begin = 0
    while found := _LOOSE_FIRST.match(text, begin):
        begin = found.end()
    kept = text[begin:]
    while len(words := kept.rsplit(None, 1)) == 2 and _LOOSE_LAST.fullmatch(words[1]):
        kept = words[0]
    return kept


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
    """A match with up to `width` characters each side and the words that they cut; at most QUOTE_CHARS."""
    end = min(end, start + QUOTE_CHARS)
    room = min(width, (QUOTE_CHARS - (end - start)) // 2)
    left, right = max(0, start - room), min(len(text), end + room)
    if left and " " in text[left:start]:
        left = text.index(" ", left) + 1
    if right < len(text) and " " in text[end:right]:
        right = text.rindex(" ", end, right)
    left = _word_edge(text, left, -1)
    return _begun(text[left : _word_edge(text, right, 1)]).strip()


def _begun(text: str) -> str:
    """The whole words of a text that QUOTE_CHARS have room for."""
    return text[: _word_edge(text, min(len(text), QUOTE_CHARS), -1)]


def shortened(text: str, most: int) -> str:
    """A text of at most `most` characters; a longer one is cut after a word, and "…" says so."""
    if len(text) <= most:
        return text
    return text[: _word_edge(text, most - 1, -1)].rstrip(_BEFORE_DOTS) + "…"


def marked(quoted: str, text: str) -> str:
    """A quote with "…" where the text that it is taken from goes on in the same sentence."""
    place = text.find(quoted)
    if place < 0 or not quoted:
        return quoted
    before, after = text[:place].rstrip(" "), text[place + len(quoted) :]
    begun = before and before[-1] not in _ENDED and before[-1] != "\n"
    goes_on = after.strip(" ") and after[0] not in _ENDED and after[0] != "\n" and quoted[-1] not in _ENDED
    return f"{'…' if begun else ''}{quoted.rstrip(_BEFORE_DOTS) + '…' if goes_on else quoted}"


def _word_edge(text: str, place: int, step: int) -> int:
    """Where a word that is cut at `place` begins (step -1) or ends (1); `place` where it cuts none or a giant one."""
    for edge in range(place, place + step * _LONGEST_WORD, step):
        if not _cuts_word(text, edge):
            return edge
    return place


def _cuts_word(text: str, place: int) -> bool:
    """Whether a word goes on at `place`. Scripts without blanks have no words that could be cut."""
    around_it = text[place - 1 : place + 1] if 0 < place < len(text) else ""
    word = bool(around_it) and all(unicodedata.category(sign)[0] in "LMN" for sign in around_it)
    return word and not unspaced_letters(around_it)
