"""The embedding model of the extra, with its real weights; and that nothing changes without it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from importlib.machinery import ModuleSpec

import pytest

from afterdrop.review.page import subjects
from afterdrop.review.page.markup import parse
from afterdrop.review.page.reader import read_page
from afterdrop.review.page.subjects import Encoder, encoder, nearest_topic
from afterdrop.review.page.topics import NEAREST_WORDS, find_topic, topic_of_text
from afterdrop.sources.metrics.values import TOPICS, Topic

# A hotel in words the lists do not have much of, so that only the model tells it.
LODGE = (
    "Our lodge looks over the fjord. Wake to the sound of waves, stroll down to the jetty before breakfast and spend "
    "the afternoon on the terrace with a view of the islands. Every room sleeps two and has its own bath; check in "
    "from three, check out by eleven. The ferry takes guests across twice a day in summer."
)
LODGE_HTML = f"<html lang=en><title>The Fjord Lodge</title><p>{LODGE}</p>"


@pytest.fixture(scope="module")
def model() -> Encoder:
    found = encoder()
    assert found is not None, "the extra is not installed here: make check-long does"
    return found


def cosine(model: Encoder, one: str, other: str) -> float:
    return float(model.embed(one) @ model.embed(other))


@pytest.mark.long
@pytest.mark.topics
def test_cosines_are_those_its_makers_print(model: Encoder) -> None:
    """The example on the pages of sentence-transformers, computed there by torch."""
    weather, sunny, stadium = (
        "The weather is lovely today.",
        "It's so sunny outside!",
        "He drove to the stadium.",
    )
    assert cosine(model, weather, sunny) == pytest.approx(0.6660, abs=0.001)
    assert cosine(model, weather, stadium) == pytest.approx(0.1046, abs=0.001)
    assert cosine(model, sunny, stadium) == pytest.approx(0.1411, abs=0.001)


@pytest.mark.long
@pytest.mark.topics
def test_vectors_have_length_one_and_are_the_same_each_time(model: Encoder) -> None:
    vector = model.embed("football match results")
    assert (vector.shape, str(vector.dtype)) == ((384,), "float32")
    assert cosine(model, "football match results", "football match results") == pytest.approx(1, abs=1e-5)
    assert cosine(model, "Football Match RESULTS", "football match results") == pytest.approx(1, abs=1e-5)


@pytest.mark.long
@pytest.mark.topics
def test_only_the_first_tokens_count(model: Encoder) -> None:
    long = "football " * 5_000
    assert cosine(model, long, long + "heart surgery " * 200) == pytest.approx(1, abs=1e-5)


@pytest.mark.long
@pytest.mark.topics
@pytest.mark.parametrize(
    "text",
    ["", "\x00\ud7ff\ufffe", "\U0001f600" * 900, "x" * 100_000, "half \ud800 pair", "[CLS][SEP][MASK]"],
)
def test_hostile_texts_have_a_vector_too(model: Encoder, text: str) -> None:
    assert float(model.embed(text) @ model.embed(text)) == pytest.approx(1, abs=1e-5)


@pytest.mark.long
@pytest.mark.topics
def test_the_nearest_subject_names_the_topic_and_abstains_between_two() -> None:
    nearest = nearest_topic()
    assert nearest is not None
    assert nearest("football match results and league tables of every club") == "Sports"
    assert nearest("symptoms and treatment of heart disease at our clinic") == "Health"
    assert nearest("hello") is None


@pytest.mark.long
@pytest.mark.topics
def test_every_topic_has_subjects(model: Encoder) -> None:
    vectors = subjects.Subjects(model)._vectors
    assert [topic for topic, _ in vectors] == list(TOPICS)
    assert min(len(listed) for _, listed in vectors) >= 5


@pytest.mark.long
@pytest.mark.topics
def test_a_page_and_a_text_are_told_by_it_where_the_lists_abstain() -> None:
    nearest = nearest_topic()
    assert topic_of_text(LODGE, "en") is None
    assert topic_of_text(LODGE, "en", nearest) == "Recreation"
    assert find_topic(parse(LODGE_HTML), "en", nearest) == "Recreation"
    assert read_page(LODGE_HTML.encode(), url="").topic is None
    assert read_page(LODGE_HTML.encode(), url="", nearest=nearest).topic == "Recreation"


def test_it_is_asked_only_about_english_of_forty_words() -> None:
    asked: list[str] = []

    def nearest(text: str) -> Topic | None:
        asked.append(text)
        return None

    football = (
        "The team won the championship match after the goalkeeper saved a goal in the football stadium. "
    )
    assert topic_of_text(football, "en", nearest) == "Sports"
    assert topic_of_text("word " * (NEAREST_WORDS - 1), "en", nearest) is None
    assert topic_of_text("word " * NEAREST_WORDS, "de", nearest) is None
    assert topic_of_text("word " * NEAREST_WORDS, None, nearest) is None
    assert asked == []
    assert topic_of_text(football * 6, "en", nearest) == "Sports", "where it abstains the lists decide"
    assert len(asked) == 1


@pytest.fixture
def without() -> Iterator[pytest.MonkeyPatch]:
    encoder.cache_clear()
    nearest_topic.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        yield patch
    encoder.cache_clear()
    nearest_topic.cache_clear()


@pytest.mark.parametrize("missing", [subjects.PACKAGE, "tokenizers"])
def test_without_the_extra_the_lists_decide(without: pytest.MonkeyPatch, missing: str) -> None:
    found = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == missing else found(name, package)

    without.setattr(importlib.util, "find_spec", find)
    assert encoder() is None
    assert nearest_topic() is None
    assert topic_of_text(LODGE, "en", nearest_topic()) == topic_of_text(LODGE, "en")
    page = LODGE_HTML.encode()
    assert read_page(page, url="", nearest=nearest_topic()) == read_page(page, url="")
