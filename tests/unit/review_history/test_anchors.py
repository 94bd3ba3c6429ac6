"""Link texts: whose language, and whose trade."""

from __future__ import annotations

import pytest

from afterdrop.review.flags.anchors import Anchor, anchor_foreign, read_anchors, spam_anchors
from afterdrop.review.history.findings import Finding


def is_spam(text: str) -> bool:
    return "casino" in text


def anchors(*pairs: tuple[str, int]) -> tuple[Anchor, ...]:
    return tuple(Anchor(text, count) for text, count in pairs)


def test_anchors_of_a_metric() -> None:
    items = [
        {"text": "a", "referring_domains": 2},
        {"text": None, "referring_domains": 9},
        {"text": "zero", "referring_domains": 0},
        {"text": "no number", "referring_domains": "5"},
        "nonsense",
    ]
    assert read_anchors(items) == (Anchor("", 9), Anchor("a", 2))
    assert read_anchors(None) is None
    assert read_anchors([]) == ()


@pytest.mark.parametrize(
    ("casino", "bread", "severity"),
    [(0, 50, None), (2, 10, None), (3, 97, None), (5, 95, 2), (4, 6, 2), (20, 80, 3)],
)
def test_spam_links_by_share_and_number(casino: int, bread: int, severity: int | None) -> None:
    found = spam_anchors(anchors(*([("casino", casino)] if casino else []), ("bread", bread)), is_spam)
    assert (found.severity if found else None) == severity
    assert spam_anchors(None, is_spam) is None


def foreign(*pairs: tuple[str, int], language: str | None = "en", domain: str = "oldmill.com") -> str:
    found = anchor_foreign(anchors(*pairs), language, domain)
    return "found" if isinstance(found, Finding) else found


def test_another_script_from_a_fifth_on() -> None:
    assert foreign(("Harris bread of the mill", 20), ("在线赌场", 5)) == "found"
    assert foreign(("Harris bread of the mill", 40), ("在线赌场", 5)) == "clean"
    assert foreign(("Harris bread of the mill", 4), ("在线赌场", 4)) == "clean"
    assert foreign(("хлеб", 6), ("старая мельница", 6), language="ru") == "clean"


def test_another_language_from_two_fifths_on() -> None:
    german = ("Brötchen und Brot für die Familie", 8)
    assert foreign(("the bread of this bakery", 10), german) == "found"
    assert foreign(("the bread of this bakery", 30), german) == "clean"
    assert foreign(("the bread of this bakery", 10), german, language="de") == "found"
    assert foreign(german, language="de") == "clean"


def test_addresses_names_and_generic_words_do_not_count() -> None:
    plain = (
        ("http://oldmill.com/", 50),
        ("oldmill.com", 50),
        ("Old Mill", 9),
        ("click here", 9),
        ("42", 9),
        (" ", 3),
    )
    assert foreign(*plain) == "clean"
    assert foreign(*plain, ("在线赌场", 5)) == "found"
    assert foreign(("在线赌场", 6), domain="-.com") == "found"


def test_english_names_that_look_like_danish_pieces_are_not_foreign() -> None:
    assert foreign(("World Nation", 20), ("Station Road Gold", 20), ("Arnold & Child", 9)) == "clean"


def test_the_domains_own_words_in_another_order_do_not_count() -> None:
    assert foreign(("Les Moulins", 20), domain="moulins-les.com") == "clean"
    assert foreign(("Les moulins dans la ville", 20), domain="moulins-les.com") == "found"


def test_links_made_for_an_earlier_site_in_its_language_are_not_foreign() -> None:
    german = (Anchor("Brötchen und Brot für die Familie", 8),)
    assert isinstance(anchor_foreign(german, "en", "oldmill.com"), Finding)
    assert anchor_foreign(german, "en", "oldmill.com", ["de"]) == "clean"
    russian = (Anchor("хлеб", 8),)
    assert anchor_foreign(russian, "en", "oldmill.com", ["ru"]) == "clean"
    assert isinstance(anchor_foreign(russian, "en", "oldmill.com", ["de"]), Finding)


def test_foreign_links_are_named_and_so_are_the_sites_own_languages() -> None:
    found = anchor_foreign(
        anchors(("ремонт окон", 390), ("在线赌场", 5), ("Harris bread", 167)), "fr", "oldmill.com", ["en"]
    )
    assert isinstance(found, Finding)
    assert found.note == (
        "395 of the 562 referring domains with meaningful link texts link in Cyrillic letters and Chinese characters."
        " The site was never in them: it was in English and French. One link says “ремонт окон”."
    )
    german = anchor_foreign(anchors(("Brötchen und Brot für die Familie", 8)), "en", "oldmill.com")
    assert isinstance(german, Finding)
    assert "link in German. The site was never in it: it was in English." in german.note


def test_too_little_to_judge_by_is_unknown() -> None:
    assert foreign(("the bread of this bakery", 3)) == "unknown"
    assert foreign(("在线赌场", 9), language=None) == "unknown"
    assert anchor_foreign(None, "en", "oldmill.com") == "unknown"
    assert anchor_foreign((), "en", "oldmill.com") == "clean"
