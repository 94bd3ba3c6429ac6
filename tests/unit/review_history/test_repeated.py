"""Phrases that honest captures have, too, accuse no other capture of the site."""

from __future__ import annotations

from dataclasses import replace

from afterdrop.review.history.verdict import discounted
from afterdrop.review.page.values import Evidence, PageReading
from tests.support.histories import BREAD, page, sample, spam


def said(phrase: str, severity: int = 3, code: str = "spam_phrase") -> Evidence:
    return Evidence(code, "gambling", severity, "body", phrase, f"gambling.en: {phrase}", "v")


def accused(*evidence: Evidence, **given: object) -> PageReading:
    return spam("body", **{"evidence": evidence, **given})


MENU = page(text=f"{BREAD} Sports betting. Online casino")


def kinds(*readings: PageReading) -> list[str]:
    rows = [sample(f"{2010 + number}-01", reading) for number, reading in enumerate(readings)]
    return [row.kind for row in discounted(rows)]


def test_a_menu_does_not_accuse() -> None:
    assert kinds(MENU, accused(said("online casino"), said("sports betting"))) == ["site", "site"]


def test_what_is_left_decides() -> None:
    own = [said("free spins"), said("no deposit bonus")]
    assert kinds(MENU, accused(said("online casino"), *own)) == ["site", "spam"]
    assert kinds(MENU, accused(said("online casino"), own[0])) == ["site", "suspect"]
    assert kinds(MENU, accused(said("online casino"), spam_chance=0.9)) == ["site", "suspect"]
    assert kinds(MENU, accused(said("online casino"), verdict="suspect")) == ["site", "site"]


def test_nothing_is_taken_off_without_honest_captures_or_a_phrase_of_theirs() -> None:
    whole = accused(said("free spins"))
    assert kinds(whole) == ["spam"]
    assert kinds(MENU, whole) == ["site", "spam"]
    other = accused(said("online casino", code="page_model"))
    assert kinds(MENU, other) == ["site", "spam"]
    nameless = accused(replace(said("x"), rule=""))
    assert kinds(MENU, nameless) == ["site", "spam"]


def test_phrases_of_scripts_without_blanks_count_inside_words() -> None:
    chinese = page(text="新聞 開獎號碼 天氣")
    assert kinds(chinese, accused(said("開獎"))) == ["site", "site"]
