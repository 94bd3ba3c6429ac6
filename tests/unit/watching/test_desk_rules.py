"""What an account may write about a domain, and when a visit begins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.watching import desk_rules as rules
from afterdrop.watching.desk_rules import BadEntry, Visit, visit_at

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_tags_are_one_line_in_small_letters() -> None:
    assert rules.tag_of("  Watch \u202e  LATER\n") == "watch later"
    assert rules.tag_of("Stra\u0308nde") == "str\u00e4nde"


PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"


@pytest.mark.parametrize("written", [rules.tag_of, rules.note_of, rules.filter_name_of])
def test_joiners_stay_in_what_needs_them_only(written: Callable[[str], str]) -> None:
    for text in (PERSIAN, "\u0d05\u0d35\u0d28\u0d4d\u200d", "\U0001f468\u200d\U0001f469\u200d\U0001f467"):
        assert written(f"  {text}\n") == text
    assert written(PERSIAN.replace("\u200c", "\u200c\u200c")) == PERSIAN
    assert written("pay\u200dpal") == "pay pal"
    assert written("fluss\xadschiff") == "flussschiff"
    assert written("stra\xad\u0308nde") == "str\u00e4nde"


@pytest.mark.parametrize(("text", "why"), [(" \u200b ", "letter"), ("x" * 31, "30"), ("a,b", "comma")])
def test_bad_tags_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadEntry, match=why):
        rules.tag_of(text)


def test_notes_are_one_line_of_bounded_length() -> None:
    assert rules.note_of(" ask\r\n Anna \x00") == "ask Anna"
    assert rules.note_of(" ") == ""
    with pytest.raises(BadEntry, match="500"):
        rules.note_of("x" * 501)


def test_names_of_filters() -> None:
    assert rules.filter_name_of(" English  crafts ") == "English crafts"
    for text in ("", "x" * 81):
        with pytest.raises(BadEntry, match="80"):
            rules.filter_name_of(text)


def test_a_decision_replaces_the_one_before_and_own_words_replace_nothing() -> None:
    assert set(rules.replaced_by("won")) == {"shortlist", "bidding", "lost", "rejected"}
    assert rules.replaced_by("for the shop") == ()


def test_the_decision_stands_first() -> None:
    assert rules.in_order(["zoo", "won", "ant", "shortlist"]) == ["shortlist", "won", "ant", "zoo"]


def test_a_link_holds_each_name_once_and_not_too_many() -> None:
    assert rules.shared(["b.com", "a.com", "b.com"]) == ["b.com", "a.com"]
    with pytest.raises(BadEntry, match="at least one"):
        rules.shared([])
    with pytest.raises(BadEntry, match="100"):
        rules.shared([f"a{n}.com" for n in range(101)])


def test_a_visit_goes_on_until_a_break_of_an_hour() -> None:
    first = visit_at(None, NOW)
    assert first == Visit(NOW, NOW, None)
    later = visit_at(first, NOW + HOUR / 2)
    assert later == Visit(NOW, NOW + HOUR / 2, None)
    assert visit_at(later, NOW) == later
    assert visit_at(later, NOW + 2 * HOUR) == Visit(NOW + 2 * HOUR, NOW + 2 * HOUR, NOW + HOUR / 2)
