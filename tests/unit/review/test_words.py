"""Where words begin and end, lists of links, and how phrases are counted by place."""

from __future__ import annotations

import pytest

from afterdrop.review.page.charset import decode
from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.reader import view_page
from afterdrop.review.page.trades import Zoned, link_lists, page_words, tally, within
from afterdrop.review.page.values import PageLink, Tally


def decided(text: str, language: str) -> set[str]:
    """The product words and strong phrases found in a text."""
    return {hit.term.phrase for hit in lexicon().hits(text, language) if hit.term.level >= 2}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "오피니언 오피스텔 에티오피아"),
        ("ko", "이웃집 토토로"),
        ("ko", "건마늘과 피에로"),
        ("ja", "アルファベット チベット ヌードル"),
        ("ja", "ジブリールとセールスマン"),
        ("zh", "妙手回春 皮下注射 电磁力 同性爱"),
        ("ru", "потенциал вращения земли трахея"),
        ("it", "lo zoccolo del muro"),
        ("fr", "une salopette bleue"),
        ("th", "หวาดเสียว โป๊ยเซียน"),
    ],
)
def test_terms_do_not_count_inside_ordinary_words(language: str, text: str) -> None:
    assert decided(text, language) == set()


@pytest.mark.parametrize(
    ("language", "text", "term"),
    [
        ("ko", "토토 게임", "토토"),
        ("ko", "토토를 추천", "토토"),
        ("ko", "오피추천 모음", "오피"),
        ("ja", "カジノ", "カジノ"),
        ("ja", "エンパイアカジノ", "カジノ"),
        ("zh", "国内外挂", "外挂"),
    ],
)
def test_terms_count_as_words(language: str, text: str, term: str) -> None:
    assert term in {hit.term.phrase for hit in lexicon().hits(text, language)}


def anchor(text: str, *, hidden: bool = False) -> PageLink:
    return PageLink(text, "/x", None, hidden)


def test_lists_of_links_are_found_in_the_text() -> None:
    text = (
        "Home News Sport Weather. A rather long story begins here with a link to all of it. Imprint Privacy"
    )
    links = [anchor(word) for word in ("Home", "News", "Sport", "Weather", "link", "Imprint", "Privacy")]
    assert link_lists(text, links) == ((0, 23),)
    assert link_lists("Home News Sport Weather", links[:4]) == ((0, 23),)
    assert link_lists(text, [anchor("Home", hidden=True), anchor(""), anchor("not there")]) == ()
    assert within(((0, 23),), 5)
    assert not within(((0, 23),), 23)
    assert not within((), 0)


def test_a_page_made_to_choke_the_search_is_given_up() -> None:
    text = "a" * 200_000
    assert link_lists(text, [anchor("b")] * 3_000) == ()


def test_phrases_of_link_lists_count_apart() -> None:
    text = "free spins no deposit. real money casino"
    counted = tally([Zoned("body", text, ((0, 21),)), Zoned("title", "Real money slots")], "en", lexicon())
    gambling = counted.trades["gambling"]
    assert gambling.listed(3) == 1
    assert gambling.distinct(3) == 2
    assert gambling.distinct(3, "title") == 1
    assert {shown.zone for shown in gambling.shown} == {"link", "body", "title"}


def test_words_of_reports_guard_only_what_is_near() -> None:
    near = "Police arrested the owner of an online casino real money site."
    far = f"Police arrested a thief. {'Rain fell on the hills. ' * 30} Best online casinos."
    listed = Zoned("body", "Police arrested. online casino real money", ((0, 15),))
    assert _guards(Zoned("body", near)) >= 1
    assert _guards(Zoned("body", far)) == 0
    assert _guards(listed) == 0
    assert _guards(Zoned("title", "Police arrested"), Zoned("body", far[25:])) == 1


def _guards(*pieces: Zoned) -> int:
    return tally(pieces, "en", lexicon()).trades.get("gambling", Tally()).distinct(-1)


def test_who_stands_there_is_counted() -> None:
    counted = tally(
        [Zoned("body", "Book an appointment at the hospital, hospital car park.")], "en", lexicon()
    )
    assert counted.publisher_phrases == {"book an appointment", "hospital"}


def test_a_page_of_links_alone_has_no_lists() -> None:
    links = "".join(f"<a href='/{n}'>online slots {n}</a> " for n in range(8))
    few = view_page(decode(f"<title>x</title>{links}".encode()), "http://[bad")
    assert page_words(few).lists == ()
    many = view_page(decode(f"<title>x</title>{links}<p>{'A sentence of plain text. ' * 30}".encode()), "")
    assert len(page_words(many).lists) == 1
