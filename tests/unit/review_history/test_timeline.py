"""Stretches, gaps and shares."""

from __future__ import annotations

from datetime import timedelta

from afterdrop.review.history.timeline import Gap, gaps, honest_years, share, stretches
from tests.support.histories import day, index_of, page, parked, sample, spam


def test_each_capture_is_explained_by_its_digest_else_by_the_nearest_sample() -> None:
    index = index_of(("2010-01", "A"), ("2011-01", "B"), ("2014-01", "C"), ("2015-01", "A"), ("2016-01", "Z"))
    early, late = sample("2010-01", digest="A"), sample("2016-01", parked(), digest="Z")
    parts = stretches(index, [late, early])
    assert [(part.sample, part.captures) for part in parts] == [(early, 2), (late, 1), (early, 1), (late, 1)]
    assert (parts[0].start, parts[0].end) == (day("2010-01"), day("2011-01"))


def test_a_capture_speaks_for_two_years_at_most_and_one_day_at_least() -> None:
    parts = stretches(
        index_of(("2000-01", "A"), ("2010-01", "B")),
        [sample("2000-01", digest="A"), sample("2010-01", digest="B")],
    )
    assert [part.covered for part in parts] == [timedelta(days=730), timedelta(days=1)]


def test_failures_and_deep_pages_explain_nothing() -> None:
    assert (
        stretches(
            index_of(("2010-01", "A")), [sample("2010-01", failure="timeout"), sample("2010-01", home=False)]
        )
        == ()
    )


def test_samples_stand_for_themselves_without_an_index() -> None:
    parts = stretches(index_of(), [sample("2010-01", digest=""), sample("2012-01", digest="-")])
    assert [part.captures for part in parts] == [1, 1]


def test_shares_of_the_time_covered() -> None:
    parts = stretches(index_of(), [sample("2010-01"), sample("2011-01", parked()), sample("2012-01")])
    assert share(parts, "parked") == 365 / 731
    assert share((), "parked") == 0


def test_a_year_is_honest_when_a_good_capture_of_it_lies_where_the_site_itself_stood() -> None:
    """2010-12: the site; 2013: sale page and, later, casino; 2016: a page that may be spam; 2018: the site again."""
    index = index_of(
        *(("2010-01", "A"), ("2012-03", "A"), ("2013-02", "P"), ("2013-09", "X"), ("2016-01", "S")),
        *(("2018-04", "A"), ("2018-09", "P")),
        deep=["/a"],  # archived in 2015, in the casino's time
    )
    told = [
        *(sample("2010-01", digest="A"), sample("2013-02", parked(), digest="P")),
        *(sample("2013-09", spam(), digest="X"), sample("2016-01", page(verdict="suspect"), digest="S")),
    ]
    parts = stretches(index, told)
    assert sorted(index.good_years) == [2010, 2012, 2013, 2015, 2016, 2018]
    assert honest_years(parts, index.good_years) == (2010, 2012, 2018)
    assert honest_years((), index.good_years) == ()


def test_other_pages_of_a_year_without_a_home_page_belong_to_the_stretch_before_for_two_years() -> None:
    homes = (("2010-01", "A"), ("2014-01", "P"), ("2014-06", "A"))
    told = [sample("2010-01", digest="A"), sample("2014-01", parked(), digest="P")]
    parts = stretches(index_of(*homes), told)
    assert honest_years(parts, [2010, 2011, 2012, 2013, 2014, 2015]) == (2010, 2011, 2012, 2014)
    beside = stretches(index_of(*homes[:2]), told)
    assert honest_years(beside, [2014, 2015]) == ()


def test_a_gap_is_two_whole_calendar_years_without_a_page() -> None:
    assert gaps(index_of(("2005-12", "A"), ("2008-01", "B"), ("2011-01", "C"))) == (
        Gap((2006, 2007), 2005, 2008),
        Gap((2009, 2010), 2008, 2011),
    )
    assert gaps(index_of(("2005-01", "A"), ("2007-12", "B"))) == ()
    assert gaps(index_of()) == ()
