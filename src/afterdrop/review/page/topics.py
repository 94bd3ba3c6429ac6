"""Stage 5, read: the topic of a page among the interface's fourteen, by its words, with abstention.

Pure. Each topic has lists of words in twelve languages (`data/topics.toml`). Distinct words count, more in the title;
a word of several topics counts less in each. A topic is named only where its share of all points and its lead over
the next are clear: null is the honest answer for most short texts.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import cast, get_args

from afterdrop.review.page.text import Phrases, fold, squeeze, unspaced_letters
from afterdrop.review.page.values import Parts
from afterdrop.sources.metrics.values import Topic

TEXT_CHARS = 8_000
# From how many letters on a word's ending is left open, by language.
_OPEN = {"en": 6, "de": 6, "nl": 6, "sv": 5, "tr": 5, "ru": 5, "pl": 5, "fr": 6, "es": 6, "it": 6, "pt": 6}
_VOWEL_ENDINGS = frozenset({"ru", "pl", "es", "it", "pt"})
_TITLE_WEIGHT = 2.0
# How clear a topic must be: points, share of all points, lead over the second. Few words must all but agree.
LONG_TEXT, FEW_WORDS = (2.6, 0.4, 1.5), (1.2, 0.5, 1.5)
SHORT_TEXT_WORDS = 60


@dataclass(frozen=True)
class TopicWords:
    """The word lists in searchable form: (topic, language, weight) by number."""

    listed: tuple[tuple[Topic, str, float], ...]
    phrases: Phrases


@dataclass(frozen=True, slots=True)
class TopicScore:
    """A topic with its points and how clear it is; what abstention is decided on."""

    topic: Topic
    points: float
    share: float
    lead: float
    short: bool

    @property
    def clear(self) -> bool:
        """Whether it may be said."""
        points, share, lead = FEW_WORDS if self.short else LONG_TEXT
        return self.points >= points and self.share >= share and self.lead >= lead


@lru_cache(maxsize=1)
def topic_words() -> TopicWords:
    """The shipped lists, read once a process."""
    table = tomllib.loads(resources.files("afterdrop.review").joinpath("data/topics.toml").read_text("utf-8"))
    words = [
        (cast(Topic, topic), language, _stem(word.replace("*", " "), language))
        for topic in get_args(Topic)
        for language, listed in table[topic].items()
        for word in listed.split()
    ]
    topics: dict[tuple[str, str], set[str]] = {}
    for topic, language, word in words:
        topics.setdefault((language, squeeze(fold(word))), set()).add(topic)
    listed = tuple(
        (
            topic,
            language,
            table["weight"].get(topic, 1.0) * _weight(word, len(topics[language, squeeze(fold(word))])),
        )
        for topic, language, word in words
    )
    return TopicWords(listed, Phrases(word for _, _, word in words))


def _stem(word: str, language: str) -> str:
    """A word with its ending left open, where it is long enough to stand for its forms and compounds."""
    least = _OPEN.get(language, 0)
    if not least or len(word) < least:
        return word
    if language in _VOWEL_ENDINGS and len(word) > least and word[-1] in "aeiouyáéíóаеиоуыяюь":
        word = word[:-1]
    return f"{word}*"


def _weight(word: str, sharing: int) -> float:
    return (1.4 if " " in word else 1.0) / sharing


def find_topic(parts: Parts, language: str | None) -> Topic | None:
    """The topic of a page, or None: its text with title, description and keywords counted twice."""
    described = parts.metas.get("description", "")
    head = " . ".join((parts.title, described, parts.metas.get("keywords", "")))
    best = score_topic(parts.text[:TEXT_CHARS], language, head=head)
    return best.topic if best and best.clear else None


def topic_of_text(text: str, language: str | None) -> Topic | None:
    """The topic of plain text, or None."""
    best = score_topic(text[:TEXT_CHARS], language)
    return best.topic if best and best.clear else None


def score_topic(text: str, language: str | None, *, head: str = "") -> TopicScore | None:
    """The leading topic with its points; None without a single word of any."""
    points: dict[Topic, float] = {}
    for part, weight in ((head, _TITLE_WEIGHT), (text, 1.0)):
        for topic, found in _words(part, language).items():
            points[topic] = points.get(topic, 0.0) + weight * sum(
                worth * (1 + math.log(count)) for worth, count in found
            )
    if not points:
        return None
    ranked = sorted(points.items(), key=lambda item: -item[1])
    topic, most = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    lead = most / second if second else 9.0
    return TopicScore(topic, most, most / sum(points.values()), lead, _is_short(text))


def _words(text: str, language: str | None) -> dict[Topic, list[tuple[float, int]]]:
    """Per topic (weight, count) of each of its words in the text, in the text's language or English."""
    lists = topic_words()
    counts: dict[int, int] = {}
    for found in lists.phrases.find(text):
        counts[found.phrase] = counts.get(found.phrase, 0) + 1
    wanted = {language} if language else {"en"}
    words: dict[Topic, list[tuple[float, int]]] = {}
    for number, count in counts.items():
        topic, spoken, weight = lists.listed[number]
        if spoken in wanted:
            words.setdefault(topic, []).append((weight, count))
    return words


def _is_short(text: str) -> bool:
    dense = unspaced_letters(text[:200])
    return (len(text) // 2 if dense else len(text.split())) < SHORT_TEXT_WORDS
