"""Changes of subject and language: confirmed, between owners, never a redesign or a second language."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.review.history.changes import (
    OwnerChange,
    Owners,
    changes,
    language_changes,
    other_subject,
    owner_changes,
    topic_changes,
)
from afterdrop.review.history.same_owner import owned as owned_by
from afterdrop.review.history.timeline import Stretch, stretches
from afterdrop.review.page.values import PageReading
from tests.support.histories import BREAD, BROT, INHERITED, index_of, page, parked, sample, stranger


def parts(*readings: tuple[str, PageReading]) -> tuple[Stretch, ...]:
    return stretches(index_of(), [sample(when, reading) for when, reading in readings])


def owned(found: tuple[Stretch, ...]) -> Owners:
    return owned_by([part for part in found if part.sample.kind == "site"], INHERITED).owner


def german(**given: Any) -> PageReading:
    return stranger(
        **{
            "language": "de",
            "text": BROT,
            "title": "Mühlenbrot",
            "brand_tokens": frozenset({"brot"}),
            **given,
        }
    )


def turns(*readings: tuple[str, PageReading]) -> list[tuple[str | None, str | None, int]]:
    found = parts(*readings)
    return [(c.old, c.new, c.after.at.year) for c in language_changes(found, owned(found))]


def test_one_capture_of_a_day_confirms_nothing() -> None:
    assert turns(("2010-01", page()), ("2011-01", page()), ("2014-01", german())) == []
    assert turns(("2010-01", page()), ("2010-02", german()), ("2010-03", page())) == []


def test_half_a_year_of_one_digest_confirms() -> None:
    index = index_of(("2010-01", "A"), ("2011-01", "A"), ("2012-01", "B"), ("2013-01", "B"))
    told = [sample("2010-01", page(), digest="A"), sample("2012-01", german(), digest="B")]
    found = stretches(index, told)
    assert len(language_changes(found, owned(found))) == 1


def test_an_unsure_language_says_nothing() -> None:
    unsure = german(language_sure=False)
    assert turns(("2010-01", page()), ("2011-01", page()), ("2014-01", unsure), ("2015-01", unsure)) == []


@pytest.mark.parametrize(
    "given",
    [
        {"brand_tokens": frozenset({"harris"})},
        {"hreflangs": frozenset({"en-GB", "x-default"})},
        {"contacts": frozenset({"mill.test"})},
    ],
)
def test_one_owner_or_a_bilingual_site_is_exempt(given: dict[str, Any]) -> None:
    ours = page(contacts=frozenset({"mill.test"}))
    assert (
        turns(
            ("2010-01", ours), ("2011-01", ours), ("2014-01", german(**given)), ("2015-01", german(**given))
        )
        == []
    )


def test_the_older_side_may_name_the_newer_language() -> None:
    ours = page(hreflangs=frozenset({"de"}))
    assert turns(("2010-01", ours), ("2011-01", ours), ("2014-01", german()), ("2015-01", german())) == []


def test_to_and_fro_is_a_bilingual_site() -> None:
    one = [
        (f"{year}-0{month}", page() if year % 2 else german())
        for year in range(2010, 2014)
        for month in (1, 6)
    ]
    assert turns(*one) == []


def test_an_unconfirmed_stretch_in_between_is_no_change() -> None:
    years = [
        ("2010-01", page()),
        ("2011-01", page()),
        ("2013-01", german()),
        ("2013-02", page()),
        ("2015-01", page()),
    ]
    assert turns(*years) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "counts"), [("no", "da", False), ("es", "ca", False), ("es", "pt", True)]
)
def test_languages_easily_confused_count_only_when_really_two(ours: str, theirs: str, counts: bool) -> None:
    old, new = page(language=ours), stranger(language=theirs)
    found = turns(("2010-01", old), ("2011-01", old), ("2014-01", new), ("2015-01", new))
    assert bool(found) is counts


# Subjects


def subjects(*readings: tuple[str, PageReading]) -> list[int]:
    found = parts(*readings)
    return [change.after.at.year for change in topic_changes(found, owned(found))]


def test_a_new_subject_needs_confirmation_on_both_sides() -> None:
    assert subjects(("2010-01", page()), ("2011-01", page()), ("2014-01", stranger())) == []
    assert subjects(("2010-01", page()), ("2010-02", stranger()), ("2014-01", stranger())) == []


def test_parking_in_between_does_not_hide_it() -> None:
    life = [
        ("2010-01", page()),
        ("2011-01", page()),
        ("2012-01", parked()),
        ("2014-01", stranger()),
        ("2015-01", stranger()),
    ]
    assert subjects(*life) == [2014]


def test_what_makes_another_subject() -> None:
    assert other_subject(page(), stranger())
    assert other_subject(page(topic="Home"), stranger(topic="Sports", text="Too short."))
    assert other_subject(page(topic="Home"), german(topic="Sports"))
    assert other_subject(page(topic="Shopping"), stranger(topic="Shopping")) is False
    assert other_subject(page(), stranger(text=BREAD)) is False
    assert other_subject(page(), stranger(text="Too short.")) is None
    assert other_subject(page(), german()) is None


def test_a_change_of_owner_need_not_change_the_subject() -> None:
    ours, rival = page(topic="Shopping"), stranger(topic="Shopping")
    found = parts(("2010-01", ours), ("2011-01", ours), ("2014-01", rival), ("2015-01", rival))
    assert [(c.before.at.year, c.after.at.year) for c in owner_changes(found, owned(found))] == [(2011, 2014)]
    assert topic_changes(found, owned(found)) == ()


# Each change once


def once(*readings: tuple[str, PageReading]) -> list[tuple[int, int, bool, bool]]:
    found = parts(*readings)
    return [_years(each) for each in changes(found, owned(found))]


def _years(each: OwnerChange) -> tuple[int, int, bool, bool]:
    return each.change.before.at.year, each.change.after.at.year, bool(each.language), bool(each.subject)


def test_what_changes_with_an_owner_is_one_change() -> None:
    life = [("2010-01", page()), ("2011-01", page()), ("2014-01", german()), ("2015-01", german())]
    assert once(*life) == [(2011, 2014, True, False)]
    life = [("2010-01", page()), ("2011-01", page()), ("2014-01", stranger()), ("2015-01", stranger())]
    assert once(*life) == [(2011, 2014, False, True)]


def test_every_change_of_owner_is_told() -> None:
    years = [
        (2010, page()),
        (2011, page()),
        (2013, german()),
        (2014, german()),
        (2016, page()),
        (2017, page()),
    ]
    told = once(*((f"{year}-01", reading) for year, reading in years))
    assert told == [(2011, 2013, True, False), (2014, 2016, True, False)]


def test_of_several_owners_it_is_not_known_with_whom_the_language_changed() -> None:
    unsure = stranger(language="de", language_sure=False)
    life = [
        *(("2010-01", page()), ("2011-01", page())),
        *(("2012-01", unsure), ("2013-01", unsure)),
        *(("2014-01", german()), ("2015-01", german())),
    ]
    told = once(*life)
    assert [(before, after) for before, after, _, _ in told] == [(2011, 2012), (2011, 2014), (2013, 2014)]
    assert [language for _, _, language, _ in told] == [False, True, False]


def test_a_stretch_that_no_capture_is_known_to_show_is_no_owner_who_came_back() -> None:
    """Between two captures of B lies one nearer to A in time, which nobody read: A is not back."""
    index = index_of(("2010-01", "A"), ("2011-01", "B"), ("2011-03", "X"), ("2014-01", "B"), ("2015-01", "B"))
    told = [sample("2010-01", page(), digest="A"), sample("2014-01", german(), digest="B")]
    found = stretches(index, told)
    assert [part.shown is None for part in found] == [False, False, True, False]
    [only] = changes(found, owned(found))
    assert (only.change.last.year, only.change.first.year) == (2010, 2011)
