"""Eras: what stood there, in few lines."""

from __future__ import annotations

from afterdrop.review.history.eras import Era, eras, mostly
from afterdrop.review.history.timeline import stretches
from tests.support.histories import day, index_of, page, parked, sample, spam, stranger


def told(*samples: object, turns: tuple[str, ...] = ()) -> tuple[Era, ...]:
    return eras(stretches(index_of(), samples), {day(turn) for turn in turns})  # type: ignore[arg-type]  # samples


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


def test_a_confirmed_turn_begins_an_era() -> None:
    found = told(sample("2001-01"), sample("2005-01", stranger()), turns=("2005-01",))
    assert [era.title for era in found] == [page().title, stranger().title]


def test_an_untitled_era() -> None:
    assert told(sample("2001-01", page(title=None)))[0].title is None
    assert told(sample("2001-01", page(verdict="error", error_kind="empty")))[0].detail == "empty"


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
