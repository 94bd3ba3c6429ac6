"""A second opinion beside the word lists: a linear model over a page's words and what the lists found in it.

Pure. The lists explain, but cannot know what they have not seen. The model was trained on labelled pages that are not
part of the project (`bench/second_opinion.py` makes it again); what ships is its weights, `data/second_opinion.npz`, in
eight bits. It names a probability and the words that weighed most; what follows from them is decided elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, get_args

import numpy as np

from afterdrop.review.page.page_words import PageWords
from afterdrop.review.page.reading import Category
from afterdrop.review.page.view import PageView
from afterdrop.review.spam.features import BLOCKS, COLUMNS, Block, blocks
from afterdrop.review.spam.tally import LEVELS, PLACES, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

TRADES: tuple[Category, ...] = tuple(sorted(set(get_args(Category)) - {"injected"}))
_WORDS_SHOWN = 4
_HEADINGS = 8


@dataclass(frozen=True, slots=True)
class Features:
    """A page as the model sees it: hashed words by zone, and figures of the lists and of the page."""

    blocks: tuple[Block, Block, Block]
    figures: Floats


@dataclass(frozen=True, slots=True)
class Telling:
    """Words that weighed: `text[start:end]` of a zone, and the weight they had."""

    zone: str
    text: str
    start: int
    end: int
    weight: float


def features(view: PageView, found: PageWords) -> Features:
    """The features of one page."""
    parts = view.parts
    head = "\n".join([parts.title, parts.metas.get("description", ""), *parts.headings[:_HEADINGS]])
    links = (anchor.text for anchor in parts.anchors if not anchor.hidden)
    counted = np.array([_counts(found.tallies.get(trade)) for trade in TRADES], np.float32)
    page = (
        math.log1p(view.words) / 5,
        math.log1p(len({link.target_domain for link in view.links if link.external})) / 3,
        math.log1p(len(parts.anchors)) / 4,
        float(parts.article),
        math.log1p(len(found.publisher_phrases)),
        math.log1p(len(parts.hidden)) / 8,
        sum(end - start for start, end in found.lists) / (len(parts.text) + 1),
    )
    figures = np.concatenate([counted.ravel(), counted.max(axis=0), np.array(page, np.float32)])
    return Features(blocks(head, parts.text, found.lists, links), figures)


def _counts(tally: Tally | None) -> list[float]:
    return [
        math.log1p(len(tally.found[place, level])) if tally else 0.0 for place in PLACES for level in LEVELS
    ]


class Model:
    """One question's weights: `words` for the columns of all blocks, `figures`, and the two numbers that make a sum a
    probability.
    """

    def __init__(self, words: NDArray[np.int8], scales: Floats, figures: Floats, calibration: Floats) -> None:
        self._words = words
        self._scales = scales
        self._figures = figures
        self._slope, self._offset = map(float, calibration)

    def probability(self, page: Features) -> float:
        """How likely the answer is yes, 0 to 1."""
        total = float(self._figures @ page.figures)
        for number, block in enumerate(page.blocks):
            total += float(self._weights(number, block) @ block.values)
        return 1 / (1 + math.exp(-max(min(self._slope * total + self._offset, 50.0), -50.0)))

    def telling(self, page: Features) -> list[Telling]:
        """The words that spoke most for yes, the weightiest first."""
        found: list[Telling] = []
        for number, block in enumerate(page.blocks):
            weights = self._weights(number, block) * block.values
            spans = block.spans()
            for at in np.argsort(-weights, kind="stable")[:_WORDS_SHOWN]:
                if weights[at] > 0:
                    start, end = spans[at]
                    found.append(Telling(BLOCKS[number], block.text, start, end, float(weights[at])))
        return sorted(found, key=lambda one: -one.weight)[:_WORDS_SHOWN]

    def _weights(self, number: int, block: Block) -> Floats:
        chosen = self._words[block.columns + number * COLUMNS]
        made: Floats = chosen.astype(np.float32) * self._scales[number]
        return made


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """The models that ship: whether a page is spam, and whether it is parked."""

    spam: Model
    parked: Model
    version: str


def read_opinion(arrays: Mapping[str, NDArray[np.generic]]) -> SecondOpinion:
    """The models of an opened data file."""
    spam, parked = (
        Model(
            *(np.asarray(arrays[f"{name}_{part}"]) for part in ("words", "scales", "figures", "calibration"))
        )
        for name in ("spam", "parked")
    )
    return SecondOpinion(spam, parked, str(arrays["version"]))


@lru_cache(maxsize=1)
def second_opinion() -> SecondOpinion:
    """The shipped models, read once a process."""
    data = resources.files("afterdrop.review").joinpath("data/second_opinion.npz")
    with data.open("rb") as file, np.load(file) as arrays:
        return read_opinion({name: arrays[name] for name in arrays.files})
