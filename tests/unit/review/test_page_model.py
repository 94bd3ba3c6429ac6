"""The page model: its features, its sums, its words, and what follows from them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from afterdrop.review.page.charset import decode
from afterdrop.review.page.figures import NAMES
from afterdrop.review.page.judge import (
    ALONE,
    KNOWN,
    PARKED_FROM,
    PARKED_THOUGH_NAMED,
    PLACEHOLDER_WORDS,
    SURE,
    TAUGHT,
    combined_spam,
)
from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.model import (
    BLOCKS,
    BOUND,
    COLUMNS,
    PARTS,
    PageModel,
    Question,
    Telling,
    blocks,
    features,
    page_model,
    telling_phrases,
    word_weights,
)
from afterdrop.review.page.planted import is_filler
from afterdrop.review.page.reader import read_page, read_view, view_page
from afterdrop.review.page.signs import REPORT_WORDS_TO_TEACH, read_signs
from afterdrop.review.page.trades import Zoned, page_words, tally
from afterdrop.review.page.values import Category, Evidence, Features, Finding, Tally
from tests.unit.review.all_composed import composed_digest, composed_pages

RECORD = Path(__file__).parents[3] / "bench/page_model.json"
CASINO = (
    b"<title>Free spins no deposit</title><h1>Casino bonus</h1><p>Claim 100 free spins at our online casino."
)
CLUB = b"<title>Rowing club</title><p>The boathouse opens in April. Members meet on Sundays at the river."


def seen(body: bytes) -> Features:
    view = view_page(decode(body), "")
    return features(view, read_signs(view))


def question(words: int = 0, share: float = 1.0, constant: float = 0.0, offset: float = 0.0) -> Question:
    return Question(
        {
            "spam_words": np.full(len(BLOCKS) * COLUMNS, words, np.int8),
            "spam_scales": np.ones(len(BLOCKS), np.float32),
            "spam_figures": np.zeros(len(NAMES), np.float32),
            "spam_calibration": np.array([constant, share, 0, offset], np.float32),
            # One leaf, whatever the figures are.
            **{f"spam_{name}": np.zeros(1, kind) for name, kind in PARTS.items()},
        },
        "spam",
    )


def test_features_know_the_words_they_were_made_from() -> None:
    head, text, links, signs = blocks("Café 24", "eins zwei 漢字表", (), ["", ""])
    spans, told = word_weights(head, np.ones(len(head.columns), np.float32))
    assert [head.text[a:b] for a, b in spans] == ["Café", "24"]
    assert told.tolist() == [1.5, 1.5]  # a word and half of the pair
    assert {text.text[a:b] for a, b in word_weights(text, text.values)[0]} == {"eins", "zwei", "漢字", "字表"}
    assert np.linalg.norm(text.values) == pytest.approx(1)
    assert (links.values.size, links.columns.size) == (0, 0)
    assert 0 <= text.columns.min() <= text.columns.max() < COLUMNS
    assert len(signs.columns) == len(" Café 24 ") * 3 - 9  # of three, four and five bytes


def test_long_words_count_by_their_stem_too() -> None:
    ours, theirs = (
        set(blocks("", word, (), [])[1].columns.tolist()) for word in ("casinospiele", "casinobonus")
    )
    assert len(ours & theirs) == 1


def test_lists_of_links_are_left_out_of_the_text() -> None:
    text = "Home News Sport then a story"
    assert blocks("", text, ((0, 15),), [])[1].text.split() == ["then", "a", "story"]
    long = "x" * 100_000
    assert len(blocks("", long, ((90_000, 90_010), (90_020, 90_030)), [])[1].text) == 12_000


def test_the_shipped_model_tells_a_casino_from_a_club() -> None:
    spam = page_model().spam
    assert spam.probability(seen(CASINO)) > KNOWN[0]
    assert spam.probability(seen(CLUB)) < KNOWN[1]
    told = spam.telling(seen(CASINO))
    assert told
    assert [one.weight for one in told] == sorted((one.weight for one in told), reverse=True)
    assert all(0 <= one.start < one.end <= len(one.text) for one in told)


def test_the_shipped_weights_are_those_made_from_todays_lists() -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    shipped = resources.files("afterdrop.review").joinpath("data/page_model.npz").read_bytes()
    assert len(shipped) < 5_000_000
    assert hashlib.sha256(shipped).hexdigest() == record["sha256"]
    assert len(list(composed_pages())) == record["composed_pages"]
    assert composed_digest() == record["composed_sha256"], "train anew: python -m bench.page_model"


def test_words_weigh_so_much_at_most() -> None:
    much, more = (question(10, share=0.5, constant=constant).probability(seen(CLUB)) for constant in (0, 99))
    assert much == more == pytest.approx(1 / (1 + np.exp(-BOUND / 2)))
    assert question(-10, share=0.5).probability(seen(CLUB)) == pytest.approx(1 / (1 + np.exp(BOUND / 2)))


def test_words_that_spoke_against_are_not_telling() -> None:
    assert question(-1).telling(seen(CLUB)) == []
    assert question(-1).probability(seen(CLUB)) < 0.5


def test_phrases_that_weighed_stand_apart() -> None:
    body = b"<title>Rows</title><p>" + b"boat oar river lock weir punt cox crew bank bridge tow path " * 4
    told = question(1).telling(seen(body))
    assert 1 < len(told) <= 4
    places = sorted((one.start, one.end) for one in told if one.zone == "body")
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


SHORT = "<title>Lake hut</title><p>Nothing to see yet."


@pytest.mark.parametrize(
    ("body", "chance", "verdict"),
    [
        (SHORT, PARKED_FROM + 0.01, "parked"),
        (SHORT, PARKED_FROM - 0.01, "clean"),
        ("<p>Nothing to see yet.", 0.99, "clean"),  # no title
        (SHORT + " Ask row@club-example.com.", PARKED_THOUGH_NAMED - 0.01, "clean"),
        (SHORT + " Ask row@club-example.com.", PARKED_THOUGH_NAMED + 0.01, "parked"),
        (SHORT + " row" * PLACEHOLDER_WORDS, 0.99, "clean"),
        (SHORT + "<form><input name=user></form>", PARKED_THOUGH_NAMED - 0.01, "clean"),
        (
            "<title>lake-hut.com</title><frameset><frame src='http://hut-example.com/'></frameset>",
            0.99,
            "clean",
        ),
        ("<title>lake-hut.com</title><meta http-equiv=refresh content='0;url=/in/'>", 0.99, "clean"),
    ],
)
def test_a_short_page_is_a_placeholder_by_its_shape(body: str, chance: float, verdict: str) -> None:
    never = question(offset=-50)
    told = question(offset=float(np.log(chance / (1 - chance))))
    view = view_page(decode(body.encode()), "")
    assert read_view(view, model=PageModel(never, told, "v")).verdict == verdict


@pytest.mark.parametrize(("spam", "parked", "verdict"), [(50, -50, "spam"), (-50, 50, "parked")])
def test_a_verdict_by_the_model_alone_has_a_quote(spam: int, parked: int, verdict: str) -> None:
    view = view_page(decode(SHORT.encode()), "")
    read = read_view(view, model=PageModel(question(offset=spam), question(offset=parked), "v"))
    assert (read.verdict, [item.quote for item in read.evidence]) == (verdict, ["Lake hut"])


def trades(text: str, title: str = "") -> dict[Category, Tally]:
    return tally([Zoned("title", title), Zoned("body", text)], "en", lexicon()).trades


WORD = Evidence("page_model", "doorway", 1, "body", "spins of the day", "page model: weight 0.20", "v")


def finding(*, sure: bool = False) -> Finding[Category]:
    return Finding("gambling", (), sure, 7.0, hinted=True)


def judged(
    chance: float, listed: Finding[Category] | None, *, silent: bool = False, teaches: bool = False
) -> str:
    found = combined_spam(listed, chance, {}, [WORD], silent=silent, teaches=teaches)
    return "clean" if found is None else "spam" if found.sure else "suspect"


def test_two_thresholds_judge_by_what_the_lists_say_beside() -> None:
    for listed, (spam, suspect) in ((None, ALONE), (finding(), KNOWN), (finding(sure=True), SURE)):
        assert [judged(chance, listed) for chance in (suspect, spam)] == ["suspect", "spam"]
        assert judged(spam - 0.01, listed) == "suspect"
        assert judged(suspect - 0.01, listed) == "clean"


def test_the_model_alone_accuses_nobody_who_says_who_he_is() -> None:
    assert judged(1.0, None, silent=True) == judged(1.0, finding(), silent=True) == "clean"
    assert judged(1.0, finding(sure=True), silent=True) == "spam"


def test_the_model_has_to_be_surer_of_who_speaks_as_reports_do() -> None:
    spam, suspect = TAUGHT
    for listed in (None, finding()):
        told = [judged(chance, listed, teaches=True) for chance in (spam, spam - 0.01, suspect - 0.01)]
        assert told == ["spam", "suspect", "clean"]
    assert judged(SURE[0], finding(sure=True), teaches=True) == "spam"


def test_a_page_full_of_words_of_reports_is_no_casino() -> None:
    game = (
        b"<title>The martingale</title><p>Casino roulette bets and spins, the betting system, casino game. "
    )
    seen_by = page_words(view_page(decode(game + b"expected value, simulated, malware, victims, police"), ""))
    assert (
        len(seen_by.reports) >= REPORT_WORDS_TO_TEACH > len(page_words(view_page(decode(game), "")).reports)
    )


def test_a_page_that_was_never_filled_sells_nothing() -> None:
    filler = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor."
    assert is_filler(filler)
    assert is_filler(f"Our club rows on the river. {filler}")
    assert not is_filler(f"{'We sell watches at the lowest price. ' * 3}{filler}")
    assert not is_filler("")
    assert combined_spam(None, 1.0, {}, [WORD], silent=True) is None
    assert combined_spam(finding(sure=True), 1.0, {}, [WORD], silent=True) is not None


def test_a_finding_is_of_the_trade_it_speaks_of() -> None:
    def trade(said: dict[Category, Tally]) -> str:
        found = combined_spam(None, 1.0, said, [WORD])
        assert found is not None
        assert {item.category for item in found.evidence} == {found.kind}
        return found.kind

    assert trade(trades("online casino")) == "gambling"
    assert trade(trades("casino")) == trade({}) == "doorway"


SELLING = replace(WORD, quote="an online casino with spins of the day")


def test_what_decides_is_evidence_of_weight() -> None:
    for chance, severity in ((KNOWN[0], 2), (KNOWN[1], 1)):
        listed = replace(finding(), evidence=(replace(WORD, severity=3),))
        found = combined_spam(listed, chance, trades("online casino"), [SELLING])
        assert found is not None
        assert not found.hinted
        assert [item.severity for item in found.evidence] == [3, severity]


def test_honest_sentences_accuse_nobody() -> None:
    honest = replace(WORD, quote="Boat house, Mill Lane 1, Lower Tarn")
    for listed in (finding(), None):
        found = combined_spam(listed, 1.0, trades("online casino"), [SELLING, honest])
        assert found is not None
        assert [item.quote for item in found.evidence] == [SELLING.quote]
    # Where no word of any trade stands, the model's own are all there is to show.
    alone = combined_spam(None, 1.0, {}, [honest])
    assert alone is not None
    assert alone.evidence[0].quote == honest.quote


def test_telling_phrases_are_quoted_once_and_long_enough() -> None:
    text = "free spins every day"
    told = [
        Telling("body", text, 0, 4, 0.3),
        Telling("body", text, 0, 10, 0.2),
        Telling("title", "x", 0, 1, 1),
    ]
    words = telling_phrases(told, "v1", f"<p>{text}</p><p>x</p>")
    assert [(item.quote, item.rule) for item in words] == [(text, "page model: weight 0.30")]


def test_quotes_too_short_to_explain_are_left_out_where_others_stand() -> None:
    said = "真人<b>赌场</b>注册送彩金，老虎机、百家乐、体育投注，提款秒到账，欢迎加入我们的俱乐部"
    read = read_page(f"<title>赌场</title><h1>赌场</h1><p>{said}".encode(), url="")
    assert read.evidence
    assert "赌场" not in {item.quote for item in read.evidence}
    assert "注册送彩金" in {item.quote for item in read.evidence}


def test_a_placeholder_is_told_by_its_shape() -> None:
    page = "<title>Success!</title><h1>Success!</h1><p>Your new web server is ready to use.</p>"
    read = read_page(page.encode(), url="")
    assert (read.verdict, read.parked_kind) == ("parked", "hosting_placeholder")
    assert all(item.quote in page for item in read.evidence)
    assert read_page(page.replace("title>", "b>").encode(), url="").verdict == "clean"
    words = "The rowing club meets on the river each Sunday. " * 20
    assert read_page(page.replace("Your", words).encode(), url="").verdict == "clean"
    assert read_page(CLUB, url="").verdict == "clean"
