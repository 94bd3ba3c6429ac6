"""The page model: how likely a page is spam, how likely it is parked, and by which of its words.

Pure. Two answers a question, added up: a line, which is a sum over hashed words, kept within bounds, and over figures
that a person could count (`figures.py`), and trees over the same figures (`trees.py`). It was trained on labelled pages
that are not part of the project (`bench/page_model.py` makes it again); what ships is its weights,
`data/page_model.npz`, in eight bits, by hash: no word of a page is in it.

It reads hashed words of a page's head, its text and its link texts, and the head's byte n-grams, which know beginnings,
endings and any script. Words are folded as phrases are; runs of scripts without blanks are taken apart into pairs of
signs. A block of words can tell where in its text each word stands, so that a judgement can quote the places that
weighed most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from afterdrop.review.page.phrases import fold
from afterdrop.review.page.quotes import LEAST_QUOTE, QUOTE_CHARS, quote
from afterdrop.review.page.reading import Evidence, Zone
from afterdrop.review.page.signs import Signs
from afterdrop.review.page.view import PageView
from afterdrop.review.spam.figures import figures
from afterdrop.review.spam.hashed_words import LONGEST_TEXT, MIX, hashed_words, mixed
from afterdrop.review.spam.link_lists import Span
from afterdrop.review.spam.trees import Trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Columns = NDArray[np.int32]
    Floats = NDArray[np.float32]

COLUMNS = 1 << 18
BLOCKS = ("head", "text", "links", "signs")
_HEAD_CHARS, _TEXT_CHARS, _LINK_CHARS = 2_000, LONGEST_TEXT, 4_000
_SHORTEST_SIGNS, _LONGEST_SIGNS = 3, 5


@dataclass(frozen=True, slots=True)
class Block:
    """One zone's features: different `columns` and their `values` (length 1 together), made from `text`."""

    text: str
    columns: Columns
    values: Floats


def blocks(head: str, text: str, lists: Sequence[Span], links: Iterable[str]) -> tuple[Block, ...]:
    """The features of a page, one block for each of BLOCKS."""
    shown = head[:_HEAD_CHARS]
    pieces, place = [], 0
    for start, end in lists:
        pieces.append(text[place:start])
        place = end
        if place > 4 * _TEXT_CHARS:
            break
    plain = "\n".join([*pieces, text[place:]])[:_TEXT_CHARS]
    return (
        _block(shown),
        _block(plain),
        _block("\n".join(links)[:_LINK_CHARS]),
        _signs(shown),
    )


def _block(text: str) -> Block:
    words = hashed_words(text)
    return _counted(text, np.concatenate([words.hashes, words.pairs, words.stems]))


def _signs(text: str) -> Block:
    """Byte n-grams of the folded text."""
    signs = np.frombuffer(f" {fold(text)} ".encode("utf-8", "replace"), np.uint8).astype(np.uint64)
    found = []
    hashes = np.zeros(len(signs), np.uint64)
    for size in range(1, _LONGEST_SIGNS + 1):
        hashes = hashes[: len(signs) - size + 1] * MIX + signs[size - 1 :]
        if size >= _SHORTEST_SIGNS:
            found.append(mixed(hashes))
    return _counted(text, np.concatenate(found))


def _columns(hashes: NDArray[np.uint64]) -> Columns:
    return (hashes % np.uint64(COLUMNS)).astype(np.int32)


def _counted(text: str, hashes: NDArray[np.uint64]) -> Block:
    columns, counts = np.unique(_columns(hashes), return_counts=True)
    values = (1 + np.log(counts)).astype(np.float32)
    if values.size:
        values /= np.float32(np.linalg.norm(values))
    return Block(text, columns, values)


def word_weights(block: Block, weights: Floats) -> tuple[list[Span], Floats]:
    """Where the words of a block of words stand in its text, and how much each weighed there.

    `weights` has one number for each of the block's columns. A pair's weight is shared by its words. Few pages are
    asked.
    """
    words = hashed_words(block.text)
    known = np.zeros(COLUMNS, np.float32)
    known[block.columns] = weights
    told: Floats = known[_columns(words.hashes)]
    told[words.long] += known[_columns(words.stems)]
    shared = known[_columns(words.pairs)] / 2
    told[:-1] += shared
    told[1:] += shared
    return list(zip(words.starts.tolist(), words.ends.tolist(), strict=True)), told


# The words of a page weigh so much at most, for or against: no page is judged by its words alone.
BOUND = 4.0
QUOTES, _PHRASE = 4, 8
_HEADINGS = 8
_ZONES: tuple[Zone, ...] = ("title", "body", "link")


@dataclass(frozen=True, slots=True)
class Features:
    """A page as the model sees it: hashed words by zone, and a figure for each of NAMES."""

    blocks: tuple[Block, ...]
    figures: Floats


@dataclass(frozen=True, slots=True)
class Telling:
    """Words that weighed: `text[start:end]` of a zone, and the weight they had."""

    zone: Zone
    text: str
    start: int
    end: int
    weight: float


def features(view: PageView, signs: Signs) -> Features:
    """The features of one page."""
    parts = view.parts
    head = "\n".join([parts.title, parts.metas.get("description", ""), *parts.headings[:_HEADINGS]])
    links = (anchor.text for anchor in parts.anchors if not anchor.hidden)
    return Features(blocks(head, parts.text, signs.words.lists, links), figures(view, signs))


class Question:
    """The weights for one question.

    `words` has a number for each column of all blocks, `scales` one for each block, `figures` one for each of NAMES;
    `calibration` has the constant of the words' sum, what that sum counts once it is bounded, what the odds by the
    trees count, and the constant of the whole, whose logistic function is a probability.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]], name: str) -> None:
        self._words, self._scales, self._figures, told = (
            np.asarray(arrays[f"{name}_{part}"]) for part in ("words", "scales", "figures", "calibration")
        )
        self._constant, self._share, self._trees_share, self._offset = map(float, told)
        self._trees = Trees(arrays, name)

    def probability(self, page: Features) -> float:
        """How likely the answer is yes, 0 to 1."""
        words = self._constant
        for number, block in enumerate(page.blocks):
            words += float(self._weights(number, block) @ block.values)
        total = self._share * max(-BOUND, min(BOUND, words)) + float(self._figures @ page.figures)
        total += self._trees_share * self._trees.odds(page.figures) + self._offset
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))

    def telling(self, page: Features) -> list[Telling]:
        """The phrases that spoke most for yes, the weightiest first."""
        found: list[Telling] = []
        for number, zone in enumerate(_ZONES):
            block = page.blocks[number]
            weights = self._weights(number, block) * block.values
            found += _phrases(block, zone, weights)
        return sorted(found, key=lambda one: -one.weight)[:QUOTES]

    def _weights(self, number: int, block: Block) -> Floats:
        chosen = self._words[block.columns + number * COLUMNS]
        made: Floats = chosen.astype(np.float32) * self._scales[number]
        return made


def _phrases(block: Block, zone: Zone, weights: Floats) -> list[Telling]:
    """Runs of a few words that weigh most together, apart from each other."""
    spans, told = word_weights(block, weights)
    if not spans:
        return []
    size = min(_PHRASE, len(spans))
    sums = np.convolve(told, np.ones(size, np.float32), "valid")
    found: list[Telling] = []
    for first in np.argsort(-sums, kind="stable")[: QUOTES * size].tolist():
        start, end = spans[first][0], spans[first + size - 1][1]
        if sums[first] > 0 and all(end <= one.start or one.end <= start for one in found):
            found.append(Telling(zone, block.text, start, end, float(sums[first])))
    return found[:QUOTES]


def telling_phrases(
    told: list[Telling], version: str, source: str, otherwise: str = ""
) -> tuple[Evidence, ...]:
    """The phrases that weighed most, each once, as evidence; those that no verbatim quote shows are left out.

    Where that leaves none, the beginning of `otherwise`, the page's title or text.
    """
    items: dict[str, Evidence] = {}
    for one in told:
        quoted = quote(one.text, one.start, one.end, source)
        if len(quoted) >= LEAST_QUOTE:
            rule = f"page model: weight {one.weight:.2f}"
            items.setdefault(
                quoted.lower(), Evidence("page_model", "doorway", 1, one.zone, quoted, rule, version)
            )
    if not items and (quoted := quote(otherwise, 0, len(otherwise[:QUOTE_CHARS]), source)):
        return (Evidence("page_model", "doorway", 1, "body", quoted, "page model", version),)
    return tuple(items.values())


@dataclass(frozen=True, slots=True)
class PageModel:
    """The model that ships: whether a page is spam, and whether it is parked."""

    spam: Question
    parked: Question
    version: str

    def asked(self, page: Features) -> Answer:
        """The answer for one page."""
        return Answer(self, page, self.spam.probability(page))


@dataclass(frozen=True, slots=True)
class Answer:
    """How likely a page is spam, and who says so: few pages are asked the rest."""

    model: PageModel
    page: Features
    spam: float


def read_model(arrays: Mapping[str, NDArray[np.generic]]) -> PageModel:
    """The model of an opened data file."""
    return PageModel(Question(arrays, "spam"), Question(arrays, "parked"), str(arrays["version"]))


@lru_cache(maxsize=1)
def page_model() -> PageModel:
    """The shipped model, read once a process."""
    data = resources.files("afterdrop.review").joinpath("data/page_model.npz")
    with data.open("rb") as file, np.load(file) as arrays:
        return read_model({name: arrays[name] for name in arrays.files})
