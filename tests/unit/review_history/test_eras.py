"""Eras: what stood there, in few lines."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from afterdrop.review.history.eras import Era, eras, mostly
from afterdrop.review.history.same_owner import Owned
from afterdrop.review.history.timeline import stretches
from tests.support.histories import day, index_of, page, parked, sample, spam, stranger


def told(*samples: object, owner: Mapping[str, int] = MappingProxyType({})) -> tuple[Era, ...]:
    return eras(stretches(index_of(), samples), Owned({day(when): number for when, number in owner.items()}))  # type: ignore[arg-type]  # samples


def test_neighbours_of_one_kind_are_one_era() -> None:
    found = told(
        sample("2001-01"),
        sample("2003-01", page(title=None, topic="Shopping", brand_tokens=frozenset({"harris", "mill"}))),
        sample("2004-01", page(verdict="suspect", category="gambling", brand_tokens=frozenset())),
        sample("2006-01", parked(provider="Sedo")),
        sample("2007-01", spam()),
        sample("2008-01", page(verdict="error", error_kind="suspended")),
        sample("2009-01", status=503),
        sample("2010-01", redirected_to="http://x.test/"),
    )
    assert [(era.kind, era.start.year, era.end.year, era.captures) for era in found] == [
        ("site", 2001, 2004, 3), ("parked", 2006, 2006, 1), ("spam", 2007, 2007, 1), ("error", 2008, 2009, 2),
        ("redirect", 2010, 2010, 1),
    ]  # fmt: skip
    site = found[0]
    assert (site.language, site.title, site.topic, site.brand) == (
        "en",
        page().title,
        "Shopping",
        ("harris",),
    )
    assert site.url == sample("2004-01").replay_url
    assert [era.detail for era in found] == [
        "gambling",
        "for_sale",
        "gambling",
        "status 503",
        "http://x.test/",
    ]
    assert site.days == 730 + 365 + 730
    assert found[-1].days == 1


def test_another_owner_begins_an_era() -> None:
    owner = {"2001-01": 1, "2003-01": 1, "2005-01": 2}
    found = told(sample("2001-01"), sample("2003-01"), sample("2005-01", stranger()), owner=owner)
    assert [(era.title, era.owner) for era in found] == [(page().title, 1), (stranger().title, 2)]


def test_the_value_of_most_of_the_time() -> None:
    parts = stretches(
        index_of(),
        [
            sample("2001-01", page(language="de")),
            sample("2002-01", page(language="en")),
            sample("2002-02", page(language=None)),
            sample("2003-01", page(language="de")),
        ],
    )
    assert mostly(parts, "language") == "de"
    assert mostly(parts, "language", 0.99) is None
    assert mostly((), "language") is None


def test_an_era_reaches_from_the_first_to_the_last_capture_known_to_show_it() -> None:
    """The captures between are nearer to one owner or the other, but nobody read them."""
    index = index_of(
        *(("2009-02", "A"), ("2015-07", "A"), ("2015-11", "U"), ("2016-10", "V"), ("2017-03", "B")),
        ("2019-05", "B"),
    )
    samples = [sample("2009-02", digest="A"), sample("2019-05", stranger(), digest="B")]
    found = eras(stretches(index, samples), Owned({day("2009-02"): 0, day("2019-05"): 1}))
    assert [(era.start, era.end, era.at) for era in found] == [
        (day("2009-02"), day("2015-07"), day("2009-02")),
        (day("2017-03"), day("2019-05"), day("2019-05")),
    ]


def test_captures_only_near_to_a_page_that_stood_earlier_make_no_era() -> None:
    """In 2012 something else stood there; 2013 is only nearer to the page of 2010 than to that of 2020."""
    index = index_of(("2010-01", "A"), ("2012-06", "B"), ("2013-01", "U"), ("2020-01", "B"))
    samples = [sample("2010-01", digest="A"), sample("2020-01", parked(), digest="B")]
    found = eras(stretches(index, samples), Owned({}))
    assert [(era.kind, era.start, era.end) for era in found] == [
        ("site", day("2010-01"), day("2010-01")),
        ("parked", day("2012-06"), day("2020-01")),
    ]


def test_the_title_of_a_site_in_two_languages_is_in_the_one_that_is_told() -> None:
    own, other = page(title="Bread"), page(language="de", title="Brot")
    found = told(
        sample("2001-01", own), sample("2003-01", own), sample("2008-01", own), sample("2009-01", other)
    )
    assert [(era.language, era.title) for era in found] == [("en", "Bread")]
    unsure = page(language=None, title="Rye")
    assert told(sample("2001-01", own), sample("2009-01", unsure))[0].title == "Rye"


def test_an_excerpt_around_a_quote_says_where_it_is_cut() -> None:
    text = (
        "Honest words about a mill. " * 20 + "The best online casino pays. " + "More words follow here. " * 20
    )
    [era] = told(sample("2007-01", spam(text=text)))
    assert era.excerpt is not None
    assert era.excerpt.startswith("…") and era.excerpt.endswith("…")
    assert era.excerpt.strip("…") in text and "best online casino" in era.excerpt
