"""What stood at a capture, and who owned it."""

from __future__ import annotations

from afterdrop.review.history.samples import name_words, same_site, title_words
from tests.support.histories import INHERITED, SHIPS, page, parked, sample, spam, stranger


def test_kinds() -> None:
    assert sample("2010-01").kind == "site"
    assert sample("2010-01", spam()).kind == "spam"
    assert sample("2010-01", page(verdict="suspect")).kind == "suspect"
    assert sample("2010-01", parked()).kind == "parked"
    assert sample("2010-01", page(verdict="error")).kind == "error"
    assert sample("2010-01", status=503).kind == "error"
    assert sample("2010-01", redirected_to="http://x.test/").kind == "redirect"
    assert sample("2010-01", failure="timeout").kind == "failed"


def test_title_words_leave_out_what_names_no_one() -> None:
    assert title_words("Welcome to the Home page - Harris & Sons") == {"harris", "sons"}
    assert title_words("老磨坊面包店") & title_words("老磨坊面包") == {"老磨", "磨坊", "坊面", "面包"}
    assert title_words(None) == frozenset()


def test_names_own_words_are_no_owner() -> None:
    assert name_words("oldmill-bakery.com") == INHERITED
    ours, theirs = page(brand_tokens=frozenset({"oldmill"})), stranger(brand_tokens=frozenset({"oldmill"}))
    assert not same_site(ours, theirs, INHERITED)
    assert same_site(page(), stranger(brand_tokens=frozenset({"harris"})), INHERITED)
    assert same_site(
        page(contacts=frozenset({"a.test"})), stranger(contacts=frozenset({"a.test"})), INHERITED
    )


def test_one_site_by_owner_or_title() -> None:
    assert same_site(page(), page(brand_tokens=frozenset()), INHERITED)
    assert not same_site(page(), stranger(), INHERITED)


def test_one_site_by_its_text_under_another_head() -> None:
    other = {"title": "开云体育官网", "brand_tokens": frozenset({"开云体育官网"})}
    assert same_site(page(), page(**other), INHERITED)
    assert not same_site(page(), page(**other, text=SHIPS), INHERITED)
    assert not same_site(page(), page(**other, language="zh"), INHERITED)
    assert not same_site(page(), page(**other, text="too few words"), INHERITED)
