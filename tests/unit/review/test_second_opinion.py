"""The second opinion: its features, its sums, its words, and what it may change."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from afterdrop.review.page.charset import decode
from afterdrop.review.page.page_words import page_words
from afterdrop.review.page.reading import Category, Evidence
from afterdrop.review.page.view import view_page
from afterdrop.review.spam.combined import combined_spam, telling_words
from afterdrop.review.spam.features import COLUMNS, blocks
from afterdrop.review.spam.lexicon import lexicon
from afterdrop.review.spam.page_spam import SpamFinding
from afterdrop.review.spam.second_opinion import Features, Model, Telling, features, second_opinion
from afterdrop.review.spam.tally import Tally, Zoned, tally
from tests.unit.review.all_composed import composed_digest, composed_pages

RECORD = Path(__file__).parents[3] / "bench/second_opinion.json"
CASINO = (
    b"<title>Free spins no deposit</title><h1>Casino bonus</h1><p>Claim 100 free spins at our online casino."
)
CLUB = b"<title>Rowing club</title><p>The boathouse opens in April. Members meet on Sundays at the river."


def seen(body: bytes) -> Features:
    view = view_page(decode(body), "")
    return features(view, page_words(view))


def test_features_know_the_words_they_were_made_from() -> None:
    head, text, links = blocks("Café 24", "eins zwei 漢字表", (), ["", ""])
    assert {head.text[a:b] for a, b in head.spans()} == {"Café", "24", "Café 24"}
    assert {text.text[a:b] for a, b in text.spans()} >= {"eins", "漢字", "字表", "eins zwei"}
    assert np.linalg.norm(text.values) == pytest.approx(1)
    assert (links.spans(), links.values.size, links.columns.size) == ([], 0, 0)
    assert 0 <= text.columns.min() <= text.columns.max() < COLUMNS


def test_long_words_count_by_their_stem_too() -> None:
    ours, theirs = (
        set(blocks("", word, (), [])[1].columns.tolist()) for word in ("casinospiele", "casinobonus")
    )
    assert len(ours & theirs) == 1


def test_lists_of_links_are_left_out_of_the_text() -> None:
    text = "Home News Sport then a story"
    assert blocks("", text, ((0, 15),), [])[1].text.split() == ["then", "a", "story"]
    long = "x" * 100_000
    assert len(blocks("", long, ((90_000, 90_010), (90_020, 90_030)), [])[1].text) == 20_000


def test_the_shipped_model_tells_a_casino_from_a_club() -> None:
    spam = second_opinion().spam
    assert spam.probability(seen(CASINO)) > 0.9
    assert spam.probability(seen(CLUB)) < 0.05
    told = spam.telling(seen(CASINO))
    assert told
    assert [one.weight for one in told] == sorted((one.weight for one in told), reverse=True)
    assert all(0 <= one.start < one.end <= len(one.text) for one in told)


def test_the_shipped_weights_are_those_made_from_todays_lists() -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    shipped = resources.files("afterdrop.review").joinpath("data/second_opinion.npz").read_bytes()
    assert hashlib.sha256(shipped).hexdigest() == record["sha256"]
    assert len(list(composed_pages())) == record["composed_pages"]
    assert composed_digest() == record["composed_sha256"], "train anew: python -m bench.second_opinion"


def test_words_that_spoke_against_are_not_telling() -> None:
    none = Model(
        np.full(3 * COLUMNS, -1, np.int8),
        np.ones(3, np.float32),
        np.zeros(500, np.float32),
        np.ones(2, np.float32),
    )
    page = seen(CLUB)
    plain = Features(page.blocks, np.zeros(500, np.float32))
    assert none.telling(plain) == []
    assert none.probability(plain) < 0.5


def trades(text: str, title: str = "") -> dict[Category, Tally]:
    return tally([Zoned("title", title), Zoned("body", text)], "en", lexicon()).trades


WORD = Evidence("second_opinion", "doorway", 1, "body", "spins", "second opinion: weight 0.20", "v")
MANY = "free spins no deposit, real money casino, casino sign up bonus"


def finding(*, strict: bool = False) -> SpamFinding:
    return SpamFinding("gambling", strict, 7.0, 1.0, ())


def test_clean_becomes_suspect_of_the_trade_it_speaks_of() -> None:
    assert combined_spam(None, 0.5, {}, [WORD]) is None
    assert combined_spam(None, 0.99, trades("online casino"), [WORD], 3) is None
    raised = combined_spam(None, 0.99, trades("online casino"), [WORD])
    assert raised is not None
    assert (raised.category, raised.strict, raised.evidence[0].category) == ("gambling", False, "gambling")
    nothing = combined_spam(None, 0.99, {}, [WORD])
    assert nothing is not None
    assert nothing.category == "doorway"
    subject = combined_spam(None, 0.99, trades("casino"), [WORD])
    assert subject is not None
    assert subject.category == "doorway"


def test_suspect_becomes_spam_only_with_phrases_of_the_lists() -> None:
    def strict(chance: float, text: str, title: str = "") -> bool:
        found = combined_spam(finding(), chance, trades(text, title), [WORD])
        assert found is not None
        return found.strict

    assert not strict(0.5, MANY)
    assert not strict(0.99, "nothing")
    assert strict(0.95, MANY)
    assert strict(0.85, MANY, "online casino")
    assert not strict(0.85, MANY)
    assert not strict(0.85, f"Police arrested. {MANY}. Prosecutors and researchers", "online casino")
    publisher = combined_spam(finding(), 0.95, trades(MANY), [WORD], 3)
    assert publisher is not None
    assert not publisher.strict
    already = finding(strict=True)
    assert combined_spam(already, 0.99, trades(MANY), [WORD]) is already


def test_a_suspicion_falls_where_the_chance_is_next_to_none() -> None:
    doubtful = finding()
    said = trades("Play at our online casino, with free spins and a sportsbook.")
    assert combined_spam(doubtful, 0.02, said, []) is None
    assert combined_spam(doubtful, 0.03, said, []) is doubtful
    assert combined_spam(finding(strict=True), 0.0, {}, []) is not None


def test_a_hint_needs_a_page_that_names_no_publisher() -> None:
    hinted = replace(finding(), hinted=True)
    assert combined_spam(hinted, 0.95, trades(MANY), [WORD], 3) is None
    raised = combined_spam(hinted, 0.95, trades(MANY), [WORD], 0)
    assert raised is not None and not raised.hinted and not raised.strict


def test_a_title_of_products_takes_a_fair_chance_where_nothing_speaks_for_the_page() -> None:
    def strict(chance: float, text: str, publisher_phrases: int = 0) -> bool:
        told = combined_spam(finding(), chance, trades(text, "Live casino"), [WORD], publisher_phrases)
        assert told is not None
        return told.strict

    assert strict(0.5, "Play with free spins at our sportsbook.")
    assert not strict(0.49, "Play with free spins at our sportsbook.")
    assert not strict(0.5, "Play with free spins.")
    assert not strict(0.5, "Play with free spins at our sportsbook.", publisher_phrases=1)
    assert not strict(0.5, "Police arrested the owners of a sportsbook with free spins.")


def test_what_stands_in_lists_alone_takes_an_even_chance() -> None:
    menu = "Online casino Sportsbook Free spins"
    listed = tally([Zoned("body", menu, ((0, len(menu)),))], "en", lexicon()).trades
    assert combined_spam(finding(), 0.49, listed, []) is None
    assert combined_spam(finding(), 0.5, listed, []) is not None


def test_two_phrases_make_a_short_page_suspect_and_a_long_one_only_beside_near_certainty() -> None:
    pair = trades("our online casino and sportsbook")
    assert combined_spam(None, 0.5, pair, [WORD], 0, 400) is not None
    assert combined_spam(None, 0.5, trades("our online casino"), [WORD], 0, 400) is None
    assert combined_spam(None, 0.94, pair, [WORD], 0, 1000) is None
    assert combined_spam(None, 0.95, {}, [WORD], 0, 1000) is not None


def test_telling_words_are_quoted_once() -> None:
    told = [Telling("text", "free spins", 0, 4, 0.3), Telling("text", "Free spins", 0, 4, 0.2)]
    words = telling_words(told, "v1", "free spins and Free spins")
    assert [(item.zone, item.rule) for item in words] == [("body", "second opinion: weight 0.30")]
