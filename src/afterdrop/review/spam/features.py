"""What the second opinion looks at: hashed words of a page's head, of its text beside lists of links, of its links.

Pure. Words are folded as phrases are; runs of scripts without blanks are taken apart into pairs of signs. Each feature
knows the words it was made from, so that a judgement can quote them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from afterdrop.review.page.phrases import fold
from afterdrop.review.spam.link_lists import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = 1 << 18
BLOCKS = ("head", "text", "links")
_HEAD_CHARS, _TEXT_CHARS, _LINK_CHARS = 2_000, 20_000, 8_000
_WORD = re.compile(r"[^\W_]{1,40}")
_UNSPACED = "\u0e00"
_STEM, _LONG = 5, 7
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Block:
    """One zone's features: `columns`, their `values` (length 1 together), and the `spans` of `text` they stand for."""

    text: str
    columns: NDArray[np.int64]
    values: NDArray[np.float32]
    spans: tuple[Span, ...]


def blocks(head: str, text: str, lists: Sequence[Span], links: Iterable[str]) -> tuple[Block, Block, Block]:
    """The features of a page, one block for each of BLOCKS."""
    linked = "\n".join(links)[:_LINK_CHARS]
    return (
        _block(head[:_HEAD_CHARS], 1),
        _block(_outside(text, lists)[:_TEXT_CHARS], 2),
        _block(linked, 3),
    )


def _outside(text: str, lists: Sequence[Span]) -> str:
    pieces, place = [], 0
    for start, end in lists:
        pieces.append(text[place:start])
        place = end
        if place > 4 * _TEXT_CHARS:
            break
    return "\n".join([*pieces, text[place:]])


def _block(text: str, seed: int) -> Block:
    words, spans = _words(text)
    if not words:
        return Block(text, np.zeros(0, np.int64), np.zeros(0, np.float32), ())
    known = {word: zlib.crc32(word.encode(), seed) for word in dict.fromkeys(words)}
    single = np.fromiter((known[word] for word in words), np.uint64, len(words))
    pairs = single[:-1] * _MIX + single[1:]
    stems = [
        (zlib.crc32(f"^{w[:_STEM]}".encode(), seed), at) for at, w in enumerate(words) if len(w) >= _LONG
    ]
    hashed = np.concatenate([single, pairs >> np.uint64(20), np.array([h for h, _ in stems], np.uint64)])
    placed = [
        *spans,
        *((a[0], b[1]) for a, b in pairwise(spans)),
        *(spans[at] for _, at in stems),
    ]
    columns, first, counts = np.unique(
        (hashed % np.uint64(COLUMNS)).astype(np.int64), return_index=True, return_counts=True
    )
    values = (1 + np.log(counts)).astype(np.float32)
    values /= np.float32(np.linalg.norm(values))
    return Block(text, columns, values, tuple(placed[at] for at in first))


def _words(text: str) -> tuple[list[str], list[Span]]:
    words: list[str] = []
    spans: list[Span] = []
    for match in _WORD.finditer(fold(text)):
        word, start, end = match[0], match.start(), match.end()
        if word[0] < _UNSPACED:
            words.append("#" if word.isdigit() else word)
            spans.append((start, end))
            continue
        for at in range(max(len(word) - 1, 1)):
            words.append(word[at : at + 2])
            spans.append((start + at, min(start + at + 2, end)))
    return words, spans
