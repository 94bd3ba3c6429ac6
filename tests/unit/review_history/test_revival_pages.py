"""The revival kit has the pages of each owner's site apart, as they stood while it did."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from afterdrop.review.history.domain_history import REVIVAL_PAGES, plain_address, review
from afterdrop.review.history.life import years
from afterdrop.review.history.owners import last_change, longest_first, owners
from afterdrop.review.history.samples import Sample
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.cdx_index import Index
from tests.support.histories import DOMAIN, NOW, day, page, parked, sample, spam, stranger

# Home captures, each with a digest of its own, and other pages by path.
Captures = dict[str, Sequence[str]]


def index_of(
    captures: Captures, scheme: str = "http", host: str = DOMAIN, digests: dict[str, str] | None = None
) -> Index:
    lines = sorted(
        f"com,oldmill-bakery){path.lower()} {day(when):%Y%m%d%H%M%S} {scheme}://{host}{path} text/html 200"
        f" {digests.get(path, path + when) if digests else path + when} 900"
        for path, times in captures.items()
        for when in times
    )
    return read_index("\n".join(lines).encode(), DOMAIN)


def kit(
    captures: Captures, samples: Sequence[Sample], era: int = 1, digests: dict[str, str] | None = None
) -> list[tuple[str, int, str]]:
    found = review(index_of(captures, digests=digests), samples, NOW)
    return [(each.path, each.captures, each.last_capture) for each in found.pages if each.era == era]


OWNERS = [
    *(sample(when, page(), digest=f"/{when}") for when in ("2008-01", "2009-01", "2012-01")),
    *(sample(when, stranger(), digest=f"/{when}") for when in ("2015-01", "2016-01", "2019-01")),
]
HOMES = ("2008-01", "2009-01", "2012-01", "2015-01", "2016-01", "2019-01")


def test_each_owner_has_a_kit_and_an_address_of_two_is_in_both_as_it_was() -> None:
    captures: Captures = {
        "/": HOMES,
        "/bread": ("2009-05", "2011-05", "2016-05", "2018-05", "2019-05"),
        "/cakes": ("2010-05",),
        "/yachts": ("2015-05", "2016-05", "2017-05", "2018-05", "2019-05"),
    }
    found = review(index_of(captures), OWNERS, NOW)
    assert ("topic_change",) in {finding.changed for finding in found.findings}
    assert [(each.path, each.captures, each.last_capture) for each in found.pages if each.era == 1] == [
        ("/", 3, "2012-01-01"),
        ("/bread", 2, "2011-05-01"),
        ("/cakes", 1, "2010-05-01"),
    ]
    assert next(each for each in found.pages if each.path == "/bread").timestamp == "20190501000000"
    assert [(each.path, each.captures, each.last_capture) for each in found.pages if each.era == 2] == [
        ("/yachts", 5, "2019-05-01"),
        ("/", 3, "2019-01-01"),
        ("/bread", 3, "2019-05-01"),
    ]
    assert [(each.path, each.era) for each in found.pages if each.overall] == [
        ("/yachts", 2),
        ("/", 1),
        ("/bread", 2),
        ("/cakes", 1),
    ]
    first, second = found.owners
    assert (years(first.start, first.end), years(second.start, second.end)) == ("2008–2012", "2015–2019")
    assert longest_first((second, first))[0] is first
    assert longest_first(()) == []


@pytest.mark.parametrize("after", [parked(), spam(), page(verdict="error", error_kind="not_found")])
def test_what_stood_there_when_the_site_was_gone_is_left_out(after: object) -> None:
    samples = [
        *(sample(when, page(), digest=f"/{when}") for when in ("2008-01", "2010-01")),
        sample("2011-01", after, digest="/2011-01"),  # type: ignore[arg-type]
        sample("2013-01", page(), digest="/2013-01"),
    ]
    captures: Captures = {
        "/": ("2008-01", "2010-01", "2011-01", "2013-01"),
        "/bread": ("2009-05", "2011-05", "2012-05", "2014-05"),
        "/lander": ("2011-03", "2011-06", "2012-05"),
    }
    assert kit(captures, samples) == [("/", 3, "2013-01-01"), ("/bread", 2, "2014-05-01")]


def test_a_capture_speaks_for_two_years_before_the_first_and_after_the_last() -> None:
    samples = [sample("2010-01", page(), digest="/2010-01")]
    captures: Captures = {"/": ("2010-01",), "/bread": ("2006-05", "2008-05", "2011-05", "2013-05")}
    assert kit(captures, samples) == [("/bread", 2, "2011-05-01"), ("/", 1, "2010-01-01")]


def test_without_an_honest_page_there_is_nothing_to_revive() -> None:
    captures: Captures = {"/": ("2010-01",), "/x": ("2010-02",)}
    assert kit(captures, [sample("2010-01", spam(), digest="/2010-01")]) == []
    assert kit(captures, [sample("2010-01", failure="timeout")]) == []
    assert owners((), ()) == ()
    assert last_change(()) is None


def test_addresses_look_alike() -> None:
    one = review(
        index_of({"/": ("2010-01",)}, host=f"www.{DOMAIN}:80"), [sample("2010-01", digest="/2010-01")], NOW
    )
    assert [each.url for each in one.pages] == [f"http://www.{DOMAIN}/"]
    both = index_of({"/": ("2010-01",)}).pages, index_of({"/a": ("2010-02",)}, scheme="https").pages
    assert [pages[0].url.partition(":")[0] for pages in both] == ["http", "https"]
    lines = [
        f"com,oldmill-bakery)/ 20100101000000 http://{DOMAIN}:80/ text/html 200 A 9",
        f"com,oldmill-bakery)/a 20100201000000 https://{DOMAIN}:443/a?b=:80 text/html 200 B 9",
    ]
    found = review(read_index("\n".join(lines).encode(), DOMAIN), [sample("2010-01", digest="A")], NOW)
    assert [each.url for each in found.pages] == [f"https://{DOMAIN}/", f"https://{DOMAIN}/a?b=:80"]


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://a.com:80", "http://a.com"),
        ("http://a.com:/x", "http://a.com/x"),
        ("https://a.com:8080/x:80", "http://a.com:8080/x:80"),
        ("http://a.com/x?u=http://b.com:80/", "http://a.com/x?u=http://b.com:80/"),
    ],
)
def test_only_a_default_port_goes(url: str, plain: str) -> None:
    assert plain_address(url, "http") == plain


def test_the_most_archived_pages_of_the_time_are_found_among_many_later_ones() -> None:
    later = [f"2016-0{month}" for month in range(1, 10)]
    captures: Captures = {
        "/": HOMES,
        **{f"/casino-{number:03}": later for number in range(300)},
        **{f"/bread-{number:02}": ("2009-05", "2010-05") for number in range(50)},
        "/rare": ("2009-05",),
    }
    found = kit(captures, OWNERS)
    assert len(found) == REVIVAL_PAGES
    assert found[:2] == [("/", 3, "2012-01-01"), ("/bread-00", 2, "2010-05-01")]


def test_years_without_a_capture_split_no_kit() -> None:
    samples = [
        sample(when, page(), digest=f"/{when}") for when in ("2008-01", "2009-01", "2016-01", "2017-01")
    ]
    captures: Captures = {"/": ("2008-01", "2009-01", "2016-01", "2017-01"), "/bread": ("2008-05", "2016-05")}
    found = review(index_of(captures), samples, NOW)
    assert "gap" in {finding.code for finding in found.findings}
    assert [(each.path, each.captures, each.era) for each in found.pages] == [("/", 4, 1), ("/bread", 2, 1)]


def test_what_was_archived_between_two_owners_is_in_no_kit() -> None:
    """Whose the page of 2016 is, nobody read: the first owner is last seen in 2015, the second first in 2017."""
    captures: Captures = {
        "/": ("2010-01", "2017-01", "2018-01"),
        "/old": ("2009-05",),
        "/whose": ("2011-06",),
    }
    later = [sample(when, stranger(), digest=f"/{when}") for when in ("2017-01", "2018-01")]
    samples = [sample("2010-01", digest="/2010-01"), *later]
    found = review(index_of(captures), samples, NOW).owners
    assert [owner.spans[0] for owner in found] == [
        (day("2008-01-02"), day("2010-01")),
        (day("2017-01"), day("2020-01-01")),
    ]
    assert [path for path, *_ in kit(captures, samples)] == ["/", "/old"]
    assert [path for path, *_ in kit(captures, samples, 2)] == ["/"]


ONE = [sample("2010-01", page(), digest="/2010-01")]


def test_a_page_with_several_addresses_is_one_row() -> None:
    captures: Captures = {
        "/": ("2010-01",),
        "/index.html": ("2010-02", "2010-03"),
        "/home.html": ("2010-04",),
        "/bread?replytocom=1": ("2010-02", "2010-03"),
        "/bread?replytocom=2": ("2010-04",),
        "/bread": ("2010-05",),
        "/cakes?print=1": ("2010-05",),
        **{f"/calendar?month={month}": ("2010-05", "2010-06") for month in range(1, 13)},
        "/?page_id=12": ("2010-05",),
        "/?page_id=13": ("2010-05",),
    }
    assert kit(captures, ONE) == [
        ("/", 4, "2010-01-01"),
        ("/bread", 4, "2010-05-01"),
        ("/?page_id=12", 1, "2010-05-01"),
        ("/?page_id=13", 1, "2010-05-01"),
        ("/cakes?print=1", 1, "2010-05-01"),
    ]


def test_a_page_is_one_at_every_port_of_the_web_and_a_calendars_days_are_none() -> None:
    rows = [
        ("/bread", "2010-02", f"http://{DOMAIN}:80/bread"),
        (":443/bread", "2010-03", f"https://{DOMAIN}:443/bread"),
        ("/bread", "2010-04", f"http://www.{DOMAIN}/bread"),
        ("/calendar", "2010-04", f"http://{DOMAIN}/calendar"),
        *(
            (f"/calendar/2010/0{n}", f"2010-0{month}", f"http://{DOMAIN}/calendar/2010/0{n}")
            for n in range(1, 10)
            for month in range(1, 10)
        ),
    ]
    lines = sorted(
        f"com,oldmill-bakery{')' if key.startswith('/') else ''}{key.replace('443/', '443)/')}"
        f" {day(when):%Y%m%d%H%M%S} {url} text/html 200 {when}{key} 900"
        for key, when, url in rows
    )
    found = review(read_index("\n".join(lines).encode(), DOMAIN), [sample("2010-02", digest="A")], NOW)
    assert [(each.url.partition(":")[2], each.captures) for each in found.pages] == [
        (f"//{DOMAIN}/bread", 3),
        (f"//{DOMAIN}/calendar", 1),
    ]


def test_a_server_that_answers_every_address_alike_has_one_page() -> None:
    many = [f"/missing-{number:02}" for number in range(30)]
    captures: Captures = {
        "/": ("2010-01", "2010-03"),
        "/bread": ("2010-02",),
        **dict.fromkeys(many, ("2010-05", "2010-06")),
    }
    assert kit(captures, ONE, digests=dict.fromkeys(many, "SOFT404")) == [
        ("/", 2, "2010-03-01"),
        ("/missing-00", 2, "2010-06-01"),
        ("/bread", 1, "2010-02-01"),
    ]
    everything = dict.fromkeys([*many, "/"], "SOFT404")
    assert kit(captures, ONE, digests=everything) == [("/", 2, "2010-03-01"), ("/bread", 1, "2010-02-01")]


def test_what_a_later_owner_answered_alike_says_nothing_of_the_pages_before() -> None:
    """All pages end as one lander; two of them were one page while the site stood, too."""
    later = [sample(when, parked(), digest=f"L{when}") for when in ("2012-01", "2014-01")]
    rows = {
        "/": {"2010-01": "/2010-01", "2011-01": "/2011-01", "2012-01": "L2012-01", "2014-01": "L2014-01"},
        "/bread": {"2010-05": "BREAD", "2013-05": "LANDER"},
        "/cakes": {"2010-05": "CAKES", "2013-05": "LANDER"},
        "/x": {"2010-06": "SOFT404", "2013-05": "LANDER"},
        "/y": {"2010-06": "SOFT404", "2013-05": "LANDER"},
        "/untold": {"2010-06": "-", "2013-05": "LANDER"},
    }
    lines = sorted(
        f"com,oldmill-bakery){path} {day(when):%Y%m%d%H%M%S} http://{DOMAIN}{path} text/html 200 {digest} 900"
        for path, captures in rows.items()
        for when, digest in captures.items()
    )
    found = review(
        read_index("\n".join(lines).encode(), DOMAIN),
        [*ONE, sample("2011-01", digest="/2011-01"), *later],
        NOW,
    )
    assert [each.path for each in found.pages] == ["/", "/bread", "/cakes", "/untold", "/x"]
