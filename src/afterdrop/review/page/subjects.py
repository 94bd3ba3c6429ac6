"""The topic of an English text by the nearest of the subjects that each topic covers, where the extra is installed.

A topic is as near as its nearest subject (`data/subjects.toml`), by the cosine of the embedding model's vectors, and is
named only where it leads the next topic by `LEAD`. Figures: docs/REVIEW.md.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from afterdrop.metrics.values import TOPICS, Topic
from afterdrop.review.page.embedding import Encoder, encoder
from afterdrop.review.page.topics import Nearest

if TYPE_CHECKING:
    from afterdrop.review.page.embedding import Floats

LEAD = 0.06


class Subjects:
    """Every topic's subjects as vectors of one model."""

    def __init__(self, model: Encoder) -> None:
        listed = tomllib.loads(
            resources.files("afterdrop.review").joinpath("data/subjects.toml").read_text("utf-8")
        )
        self._model = model
        self._vectors: list[tuple[Topic, list[Floats]]] = [
            (topic, [model.embed(subject) for subject in listed[topic]]) for topic in TOPICS
        ]

    def topic(self, text: str) -> Topic | None:
        """The topic whose subject is clearly the nearest to the text, or None."""
        vector = self._model.embed(text)
        ranked = sorted(
            (
                (max(float(vector @ subject) for subject in subjects), topic)
                for topic, subjects in self._vectors
            ),
            reverse=True,
        )
        (first, topic), (second, _) = ranked[:2]
        return topic if first - second >= LEAD else None


@lru_cache(maxsize=1)
def nearest_topic() -> Nearest | None:
    """Asks the model for a text's topic; None without the extra. The first call loads the model."""
    model = encoder()
    return Subjects(model).topic if model else None
