"""Links and link texts are credited to the owner who earned them; unknown is said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from afterdrop.review.flags.link_owners import Evidence, Link, era_of_text, read_links, shares
from afterdrop.review.history.domain_history import History, review
from afterdrop.review.history.owners import owners
from afterdrop.review.history.samples import Sample
from tests.support.histories import DOMAIN, NOW, index_of, parked, sample, stranger


def history(samples: Sequence[Sample]) -> History:
    return review(index_of(*((f"{one.at:%Y-%m-%d}", one.digest) for one in samples)), samples, NOW)


def evidence(samples: Sequence[Sample], *paths: tuple[int, str]) -> Evidence:
    told = history(samples)
    eras = told.life
    return Evidence.of(DOMAIN, owners(told.eras, eras), eras, paths)


BAKERY = [sample(f"{year}-03") for year in range(2004, 2013)]
YACHTS = [sample(f"{year}-03", stranger()) for year in range(2015, 2020)]
TWO = evidence(
    [*BAKERY, *YACHTS], (1, "/"), (1, "/Bread"), (1, "/both"), (2, "/"), (2, "/fleet?x"), (2, "/both")
)


def era(
    text: str = "here",
    target: str | None = None,
    first: str | None = None,
    last: str | None = None,
    of: Evidence = TWO,
) -> int | None:
    seen, until = (date.fromisoformat(day) if day else None for day in (first, last))
    return of.credit(Link(text, "news.org", target, seen, until)).era


def test_the_words_of_one_owner_name_him() -> None:
    assert era("Harris & Sons, craft bread") == 1
    assert era("ADRIATIC charter") == 2
    assert era("Harris and Adriatic") is None
    assert era(DOMAIN) is None
    assert era("oldmill bakery") is None


def test_an_address_that_one_owner_had_tells() -> None:
    assert era(target=f"http://www.{DOMAIN}/bread") == 1
    assert era(target=f"http://{DOMAIN}/fleet?x") == 2
    assert era(target=f"http://{DOMAIN}/both") is None
    assert era(target=f"http://{DOMAIN}") is None
    assert era(target="http://[::1/") is None


@pytest.mark.parametrize(
    ("first", "whose"),
    [
        ("2001-01-01", 1),
        ("2008-06-01", 1),
        ("2013-06-01", None),
        ("2015-03-02", 2),
        ("2026-01-01", 2),
    ],
)
def test_the_day_a_link_was_first_seen_tells(first: str, whose: int | None) -> None:
    assert era(first=first) == whose


def test_nobody_earned_a_link_before_his_time() -> None:
    assert era("Adriatic charter", first="2008-01-01") == 1
    assert era("Adriatic charter", first="2014-01-01") == 2
    assert era("Harris bread", first="2018-01-01") == 1
    assert era(last="2010-01-01") is None
    assert era("Adriatic", last="2010-01-01") is None


def test_where_no_site_stood_only_words_tell() -> None:
    gone = evidence([*BAKERY, sample("2015-03", parked()), sample("2018-03", parked())])
    assert era(first="2017-01-01", of=gone) is None
    assert era("Harris", first="2017-01-01", of=gone) == 1
    assert era(of=gone) == 1
    late = evidence([sample("2003-03", parked()), sample("2004-09", parked()), *BAKERY[5:]])
    assert era(last="2002-01-01", of=late) is None


def test_without_an_owner_nobody_is_named() -> None:
    none = evidence([sample("2015-03", parked())])
    assert era("Harris", of=none) is None
    assert shares([Link("x")], none) is None


def test_shares_are_of_all_known_links() -> None:
    links = [
        TWO.credit(Link(text, count=count)) for text, count in (("Harris", 81), ("Adriatic", 9), ("x", 10))
    ]
    found = shares(links, TWO)
    assert found is not None
    assert (found.known, found.unknown, found.last) == (100, 10, 2)
    assert (found.share(1), found.share(2), found.share(3)) == (0.81, 0.09, 0)
    assert shares([], TWO) is None


def test_a_text_is_whose_its_links_are() -> None:
    links = [Link("bread", era=1), Link("bread", era=1), Link("x", era=1), Link("x", era=2), Link("y")]
    assert era_of_text(Link("bread", count=4), links, TWO) == 1
    assert era_of_text(Link("bread", count=5), links, TWO) is None
    assert era_of_text(Link("x", count=2), links, TWO) is None
    assert era_of_text(Link("y"), links, TWO) is None
    assert era_of_text(Link("Adriatic", count=9), links, TWO) == 2


def test_stored_links_are_read() -> None:
    item = {"domain": "a.org", "text": "t", "target": None, "first_seen": "2010-01-02", "last_seen": None}
    assert read_links([item, {"text": "no domain"}, "odd"]) == [Link("t", "a.org", None, date(2010, 1, 2))]
    assert read_links(None) is None
