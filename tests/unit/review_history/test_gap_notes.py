"""Whose silence a gap is."""

from __future__ import annotations

import pytest

from afterdrop.review.history.findings import gap_note
from afterdrop.review.history.timeline import Gap
from afterdrop.sources.archive.cdx_index import COMMON_CRAWL, WAYBACK

PLAIN = "No page was archived in 2014–2016 (3 whole years), between captures of 2013 and 2017."


def gap(first: int, last: int) -> Gap:
    return Gap(tuple(range(first, last + 1)), first - 1, last + 1)


@pytest.mark.parametrize(
    ("archives", "said"),
    [
        ((), ""),
        ((WAYBACK,), " Only the Wayback Machine could be asked."),
        ((WAYBACK, COMMON_CRAWL), " Neither the Wayback Machine nor Common Crawl has one."),
        ((COMMON_CRAWL,), " Only Common Crawl could be asked."),
    ],
)
def test_the_archives_that_were_asked_are_named(archives: tuple[str, ...], said: str) -> None:
    assert gap_note(gap(2014, 2016), archives) == PLAIN + said


def test_times_in_which_an_archive_took_in_little_are_no_sign_of_the_site() -> None:
    thin = " The Wayback Machine captured few pages from 17 May to 1 October 2025."
    assert gap_note(gap(2024, 2026), (WAYBACK,)).endswith(thin)
    assert thin not in gap_note(gap(2021, 2024), (WAYBACK,))
    assert thin not in gap_note(gap(2024, 2026), (COMMON_CRAWL,))
    late = " Common Crawl was asked from 2013 on."
    assert gap_note(gap(2009, 2014), (WAYBACK, COMMON_CRAWL)).endswith(late)
