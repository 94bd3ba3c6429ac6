"""Stage 3, counted: the page model. How likely a page is spam, how likely parked, and by which words.

Pure. Two answers a question, added up: a line, which is a sum over hashed words, kept within bounds, and over figures
that a person could count (`figures.py`), and trees over the same figures. It was trained on labelled pages
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

from afterdrop.review.page.figures import figures
from afterdrop.review.page.text import LEAST_QUOTE, QUOTE_CHARS, CodePoints, fold, quote
from afterdrop.review.page.values import Block, Evidence, Features, PageView, Signs, Span, Zone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]
    Hashes = NDArray[np.uint64]
    Columns = NDArray[np.int32]


# How near to certain a share of trees counts, so that its odds stay finite.
EDGE = 0.01
# The arrays of trees, and how they are kept.
PARTS = {"roots": np.int32, "figure": np.int16, "limit": np.float16, "below": np.int32, "share": np.uint8}


class Trees:
    """Trees by their nodes: a node asks whether its `figure` is above its `limit`.

    `below` is the node for no, the next one is for yes, and 0 marks a leaf, whose `share` (0 to 255) of pages were what
    is asked. `roots` are the first nodes. A node's children always have higher numbers than it.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]], name: str) -> None:
        roots, figure, limit, below, share = (np.asarray(arrays[f"{name}_{part}"]) for part in PARTS)
        self._roots = roots.astype(np.int64)
        # What is asked of a node stands together: trees are walked at random, and memory is slower than sums.
        self._nodes = np.empty((figure.size, 3), np.int32)
        self._nodes[:, 0] = figure
        self._nodes[:, 1] = below
        self._nodes[:, 2] = limit.astype(np.float32).view(np.int32)
        self._share = share.astype(np.float32) / 255

    def odds(self, figures: Floats) -> float:
        """The logarithm of the odds by the mean of all trees."""
        nodes = self._roots
        while True:
            asked = self._nodes[nodes]
            below = asked[:, 1]
            if not below.any():
                break
            limits = np.ascontiguousarray(asked[:, 2]).view(np.float32)
            nodes = np.where(below > 0, below + (figures[asked[:, 0]] > limits), nodes)
        mean = float(self._share[nodes].mean())
        return math.log((mean + EDGE) / (1 - mean + EDGE))


# So many signs of a text are hashed at most.
LONGEST_TEXT = 12_000
MIX = np.uint64(0x9E3779B97F4A7C15)
_BASE = 0x100000001B3
_HIGH = np.uint64(20)
# Scripts without blanks all lie beyond.
_UNSPACED = 0xE00
_STEM, _LONG = 5, 7
_APART, _LETTER, _DIGIT = 1, 2, 3
_NUMBER, _ENDING = np.uint64(0x5851F42D4C957F2D), np.uint64(0x2545F4914F6CDD1D)


@dataclass(frozen=True, slots=True)
class HashedWords:
    """The words of a text in order: `text[starts:ends]`, and their hashes; of long ones (`long`), their `stems`'."""

    starts: Places
    ends: Places
    hashes: Hashes
    long: NDArray[np.bool_]
    stems: Hashes

    @property
    def pairs(self) -> Hashes:
        """The hash of each word and the next."""
        made: Hashes = (self.hashes[:-1] * MIX + self.hashes[1:]) >> _HIGH
        return made


def mixed(hashes: Hashes) -> Hashes:
    """Hashes whose low bits depend on all that went into them."""
    made: Hashes = (hashes * MIX) >> _HIGH
    return made


def _kind(sign: str) -> int:
    return _DIGIT if sign.isdigit() else _LETTER if sign.isalnum() else _APART


_KINDS = CodePoints(_kind, np.uint8)


@lru_cache(maxsize=1)
def _powers() -> tuple[Hashes, Hashes]:
    """The base's powers modulo 2**64, and what undoes each."""
    undo = pow(_BASE, -1, 1 << 64)
    there, back = [1], [1]
    for _ in range(LONGEST_TEXT):
        there.append(there[-1] * _BASE % (1 << 64))
        back.append(back[-1] * undo % (1 << 64))
    return np.array(there, np.uint64), np.array(back, np.uint64)


def hashed_words(text: str) -> HashedWords:
    """The words of a text of LONGEST_TEXT signs at most."""
    folded = fold(text)
    signs = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KINDS(folded)
    starts, ends = _words(kinds != _APART, signs)
    powers, undone = _powers()
    sums = np.zeros(len(signs) + 1, np.uint64)
    np.cumsum((signs + np.uint64(1)) * powers[: len(signs)], out=sums[1:])
    digits = np.zeros(len(signs) + 1, np.int32)
    np.cumsum(kinds == _DIGIT, out=digits[1:])
    sizes = ends - starts
    numbers = digits[ends] - digits[starts] == sizes
    hashes = np.where(numbers, _NUMBER, (sums[ends] - sums[starts]) * undone[starts])
    long = (sizes >= _LONG) & ~numbers
    first = starts[long]
    stems = (sums[first + _STEM] - sums[first]) * undone[first] + _ENDING
    return HashedWords(starts, ends, mixed(hashes), long, mixed(stems))


def _words(inside: NDArray[np.bool_], signs: NDArray[np.uint32]) -> tuple[Places, Places]:
    """Where words start and end: runs of letters and digits, and of each that begins far away its pairs of signs."""
    edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2]
    far = signs[starts] >= _UNSPACED
    if not far.any():
        return starts, ends
    # One pair begins at each sign but the last; a single sign is its own.
    counts = np.maximum(ends[far] - starts[far] - 1, 1)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    pairs = np.repeat(starts[far], counts) + np.arange(counts.sum()) - before
    all_starts = np.concatenate([starts[~far], pairs])
    all_ends = np.concatenate([ends[~far], np.minimum(pairs + 2, np.repeat(ends[far], counts))])
    order = np.argsort(all_starts, kind="stable")
    return all_starts[order], all_ends[order]


COLUMNS = 1 << 18
BLOCKS = ("head", "text", "links", "signs")
_HEAD_CHARS, _TEXT_CHARS, _LINK_CHARS = 2_000, LONGEST_TEXT, 4_000
_SHORTEST_SIGNS, _LONGEST_SIGNS = 3, 5


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
