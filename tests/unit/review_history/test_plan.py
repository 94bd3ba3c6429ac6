"""Which captures are read: corners first, then what could still change the verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from afterdrop.review.history.capture_plan import differ, distinct, next_captures
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.cdx_index import IndexedCapture
from tests.support.histories import DOMAIN, INHERITED, day, index_of, page, parked, sample, spam, stranger


def years(*found: IndexedCapture) -> list[int]:
    return [capture.at.year for capture in found]


def test_the_corners_come_first() -> None:
    homes = [(f"{year}-01", f"D{year}") for year in range(2000, 2013)]
    homes += [(f"{year}-01", "SAME") for year in range(2014, 2018)] + [("2021-01", "X"), ("2022-01", "Y")]
    chosen = years(*next_captures(index_of(*homes)))
    assert chosen == [2022, 2000, 2017]  # last, first, before the longest silence


def test_the_last_before_a_known_drop_is_read() -> None:
    index = index_of(*((f"{year}-01", f"D{year}") for year in range(2000, 2020)))
    assert 2013 in years(*next_captures(index, drop=day("2013-06")))
    assert years(*next_captures(index_of(("2010-01", "A")), drop=day("2009-01"))) == [2010]


def test_a_drop_after_the_last_capture_leaves_the_longest_silence() -> None:
    homes = [(f"{year}-01", f"D{year}") for year in (*range(2000, 2007), *range(2011, 2020))]
    for drop in (None, day("2026-11"), day("1999-01")):
        assert 2006 in years(*next_captures(index_of(*homes), drop=drop))
    assert 2006 not in years(*next_captures(index_of(*homes), drop=day("2013-06")))


def test_runs_of_one_digest_are_known_by_their_ends() -> None:
    index = index_of(("2001-01", "A"), ("2002-01", "A"), ("2003-01", "A"), ("2004-01", "B"))
    assert years(*distinct(index)) == [2001, 2003, 2004]


def test_a_page_with_a_telling_address_is_read_with_the_corners() -> None:
    index = index_of(("2010-01", "A"), deep=["/casino-bonus", "/slots"])
    deep = [page for page in map(index.page_at, index.paths) if page and page.path != "/"]
    first = next_captures(index, deep=[deep])
    assert [capture.url for capture in first][-1] == f"http://{DOMAIN}/casino-bonus"
    assert next_captures(index, [sample("2010-01", digest="A")], deep=[deep]) == ()


def test_a_suspect_deep_page_asks_for_a_second_one() -> None:
    index = index_of(("2010-01", "A"), deep=["/casino-bonus", "/slots"])
    deep = [page for page in map(index.page_at, index.paths) if page and page.path != "/"]
    asked = replace(sample("2015-01", page(verdict="suspect"), home=False), url=deep[0].url)
    assert [c.url for c in next_captures(index, [sample("2010-01", digest="A"), asked], deep=[deep])] == [
        deep[1].url
    ]


def test_one_page_of_each_kind_is_read_and_another_of_the_doubtful_one() -> None:
    index = index_of(("2010-01", "A"), deep=["/a-1", "/a-2", "/a-3", "/b-1", "/b-2"])
    deep = [page for page in map(index.page_at, index.paths) if page and page.path != "/"]
    kinds = [deep[:3], deep[3:]]
    assert [capture.url for capture in next_captures(index, deep=kinds)[-2:]] == [deep[0].url, deep[3].url]
    home = sample("2010-01", digest="A")
    plain = replace(sample("2015-01", digest="P0", home=False), url=deep[0].url)
    doubtful = replace(sample("2015-01", page(spam_chance=0.15), digest="P3", home=False), url=deep[3].url)
    second = replace(doubtful, url=deep[4].url, digest="P4")
    assert [c.url for c in next_captures(index, [home, plain, doubtful], deep=kinds)] == [deep[4].url]
    assert next_captures(index, [home, plain, doubtful, second], deep=kinds) == ()


def test_where_the_home_page_only_moved_its_redirect_is_read_beside_another_page() -> None:
    lines = [
        f"com,oldmill-bakery)/ 20110101000000 http://{DOMAIN}/ text/html 301 A 300",
        f"com,oldmill-bakery)/rye 20120101000000 http://{DOMAIN}/rye text/html 200 B 900",
    ]
    index = read_index("\n".join(lines).encode(), DOMAIN)
    rye = index.page_at("/rye")
    assert rye is not None
    chosen = next_captures(index, deep=[[rye]])
    assert [capture.url for capture in chosen] == [f"http://{DOMAIN}/", f"http://{DOMAIN}/rye"]


def test_the_budget_ends_it() -> None:
    index = index_of(*((f"{year}-01", f"D{year}") for year in range(2000, 2020)))
    read = [sample(f"{year}-01", digest=f"D{year}") for year in range(2000, 2008)]
    assert next_captures(index, read) == ()
    assert len(next_captures(index, read, most=9)) == 1


def test_neighbours_that_differ_are_bisected() -> None:
    index = index_of(*((f"{year}-01", f"D{year}") for year in range(2000, 2021)))
    read = [
        sample("2000-01", digest="D2000"),
        sample("2010-01", digest="D2010"),
        sample("2020-01", stranger(), digest="D2020"),
    ]
    assert years(*next_captures(index, read))[0] == 2015


def test_a_size_out_of_line_is_read_before_the_middle() -> None:
    sizes = [(f"{year}-01", f"D{year}", 400 if year == 2007 else 5000) for year in range(2000, 2011)]
    read = [sample("2000-01", digest="D2000", length=5000), sample("2010-01", digest="D2010", length=5000)]
    assert years(*next_captures(index_of(*sizes), read))[0] == 2007


def test_a_finding_on_one_digest_asks_for_the_nearest_other() -> None:
    index = index_of(*((f"{year}-01", f"D{year}") for year in range(2000, 2011)))
    for bad in (spam(), parked(), page(verdict="suspect")):
        read = [
            sample("2000-01", digest="D2000"),
            sample("2006-01", bad, digest="D2006"),
            sample("2010-01", digest="D2010"),
        ]
        assert years(*next_captures(index, read))[0] in (2005, 2007)


def test_a_far_capture_confirms_nothing_and_comes_by_its_own_worth() -> None:
    index = index_of(("2000-01", "A"), ("2010-01", "B"))
    assert years(*next_captures(index, [sample("2010-01", spam(), digest="B")])) == [2000]


def test_short_stretches_without_surprise_are_left_unread() -> None:
    index = index_of(("2010-01", "A", 5000), ("2010-03", "B", 5000), ("2010-06", "C", 5000))
    read = [sample("2010-01", digest="A", length=5000), sample("2010-06", digest="C", length=5000)]
    assert next_captures(index, read) == ()


def test_failed_captures_are_not_asked_again() -> None:
    index = index_of(("2010-01", "A"), ("2012-01", "B"))
    read = [
        sample("2010-01", digest="A", failure="timeout"),
        sample("2011-01", digest="", asked=day("2012-01")),
    ]
    assert next_captures(index, read) == ()


def test_where_nothing_was_archived_well_the_latest_redirect_tells() -> None:
    lines = "\n".join(
        f"com,oldmill-bakery)/ {year}0101000000 http://{DOMAIN}/ text/html {status} D{year} 9"
        for year, status in ((2010, 301), (2011, 302), (2012, 404))
    )
    assert years(*next_captures(read_index(lines.encode(), DOMAIN))) == [2011]
    assert next_captures(index_of()) == ()


def test_neighbours_differ_in_kind_or_owner() -> None:
    ours = sample("2010-01", length=1000)
    assert differ(ours, sample("2011-01", spam(title=page().title)), INHERITED)
    assert differ(ours, sample("2011-01", stranger()), INHERITED)
    assert not differ(ours, sample("2011-01", page(title="Something else entirely"), length=9000), INHERITED)
    assert not differ(sample("2010-01", page(title=None)), sample("2011-01", page(title="Home")), INHERITED)


def turned(*sizes: int | None) -> list[int]:
    """The year that is read next between the bakery of 2000 and the charter of 2020, given the sizes since 2001."""
    homes = [("2000-01", "D2000", 5000), ("2020-01", "D2020", 9000)]
    homes += [(f"{2001 + place}-01", f"D{2001 + place}", size or 0) for place, size in enumerate(sizes)]
    read = [
        sample("2000-01", digest="D2000", length=5000),
        sample("2020-01", stranger(), digest="D2020", length=9000),
    ]
    return years(*next_captures(index_of(*sorted(homes)), read))


def test_sizes_tell_where_the_other_page_begins() -> None:
    assert turned(*[5100] * 3, *[8900] * 15) == [2004]
    assert turned(*[5100] * 18) == [2018]
    assert turned(*[8900] * 18) == [2001]


def test_sizes_that_tell_nothing_leave_the_middle() -> None:
    assert turned(*[5100, 8900] * 9) == [2010]
    index = index_of(*((f"{year}-01", f"D{year}", 5000) for year in range(2000, 2021)))
    same = [
        sample("2000-01", digest="D2000", length=5000),
        sample("2020-01", stranger(), digest="D2020", length=5100),
    ]
    assert years(*next_captures(index, same)) == [2010]


def test_a_change_dated_well_is_left_alone() -> None:
    index = index_of(("2010-01-01", "A"), ("2010-01-20", "B"), ("2010-02-01", "C"))
    read = [sample("2010-01-01", digest="A"), sample("2010-02-01", stranger(), digest="C")]
    assert next_captures(index, read) == ()


@pytest.mark.parametrize("untold", ["-", ""])
def test_without_digests_no_capture_is_another_ones_content(untold: str) -> None:
    lines = [
        f"com,oldmill-bakery){path} {year}0101000000 http://{DOMAIN}{path} text/html 200 {untold} 900"
        for path in ("/", "/a", "/b", "/c")
        for year in range(2000, 2021)
    ]
    index = read_index("\n".join(lines).encode(), DOMAIN)
    assert index.wide_digests == {}
    assert {page.digest for page in index.pages} == {""}
    assert years(*distinct(index)) == list(range(2000, 2021))
    first = next_captures(index)
    assert years(*first) == [2020, 2000]
    read = [sample(f"{year}-01", digest="", length=900) for year in (2000, 2020)]
    assert years(*next_captures(index, read)) == [2010]
    bad = [*read, sample("2010-01", spam(), digest="", length=900)]
    assert years(*next_captures(index, bad)) in ([2009], [2011])
    assert years(*next_captures(index, [*bad, sample("2011-01", spam(), digest="", length=900)]))[0] in (
        2005,
        2015,
    )
