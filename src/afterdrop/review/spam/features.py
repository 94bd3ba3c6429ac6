"""What the second opinion looks at: hashed words of a page's head, of its text beside lists of links, of its links.

Pure. Words are folded as phrases are; runs of scripts without blanks are taken apart into pairs of signs. A block
can tell which words a feature was made from, so that a judgement can quote them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TYPE_CHECKING

import numpy as np

from afterdrop.review.page.phrases import fold
from afterdrop.review.spam.link_lists import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = 1 << 18
BLOCKS = ("head", "text", "links")
_HEAD_CHARS, _TEXT_CHARS, _LINK_CHARS = 2_000, 20_000, 8_000
_LONGEST = 40
_WORD = re.compile(rf"[^\W_]{{1,{_LONGEST}}}")
_UNSPACED = "\u0e00"
_FAR = re.compile(rf"[{_UNSPACED}-\U0010ffff]")
_STEM, _LONG = 5, 7
_NUMBER = "#"
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Block:
    """One zone's features: `columns` and their `values` (length 1 together), made from the words of `text`."""

    text: str
    columns: NDArray[np.int64]
    values: NDArray[np.float32]
    seed: int

    def spans(self) -> list[Span]:
        """For each column the first words of `text` that it stands for. Few pages are asked."""
        spans = _spans(self.text)
        words = _words(self.text)
        placed = [
            *spans,
            *((a[0], b[1]) for a, b in pairwise(spans)),
            *(span for span, word in zip(spans, words, strict=True) if len(word) >= _LONG),
        ]
        _, first = np.unique(_columns(words, self.seed), return_index=True)
        return [placed[at] for at in first]


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
    columns, counts = np.unique(_columns(_words(text), seed), return_counts=True)
    values = (1 + np.log(counts)).astype(np.float32)
    if values.size:
        values /= np.float32(np.linalg.norm(values))
    return Block(text, columns, values, seed)


def _columns(words: Sequence[str], seed: int) -> NDArray[np.int64]:
    """The column of each word, of each two neighbours, and of each stem, in this order."""
    known = list(dict.fromkeys(words))
    hashes = dict(zip(known, _hashes(known, seed), strict=False))
    long = [word for word in known if len(word) >= _LONG]
    stems = dict(zip(long, _hashes([f"^{word[:_STEM]}" for word in long], seed), strict=False))
    single = np.fromiter(map(hashes.__getitem__, words), np.uint64, len(words))
    pairs = (single[:-1] * _MIX + single[1:]) >> np.uint64(20)
    ends = np.array([stems[word] for word in words if word in stems], np.uint64)
    return (np.concatenate([single, pairs, ends]) % np.uint64(COLUMNS)).astype(np.int64)


def _hashes(words: Sequence[str], seed: int) -> Iterator[int]:
    return map(zlib.crc32, "\n".join(words).encode().split(b"\n"), repeat(seed))


def _words(text: str) -> list[str]:
    folded = fold(text)
    plain = [] if _FAR.search(folded) else folded.replace("+", " ").split()
    if "".join(plain).isalnum() and max(map(len, plain)) <= _LONGEST:
        return [_NUMBER if word.isdigit() else word for word in plain]
    words: list[str] = []
    for word in _WORD.findall(folded):
        if word[0] < _UNSPACED:
            words.append(_NUMBER if word.isdigit() else word)
        else:
            words += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
    return words


def _spans(text: str) -> list[Span]:
    """Where each word stands."""
    spans: list[Span] = []
    for match in _WORD.finditer(fold(text)):
        start, end = match.span()
        if match[0][0] < _UNSPACED:
            spans.append((start, end))
        else:
            spans += [(at, min(at + 2, end)) for at in range(start, max(end - 1, start + 1))]
    return spans
