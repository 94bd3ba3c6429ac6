"""The captures form an index like the real one, with its gaps and repetitions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from afterdrop.sandbox.captures import surt
from afterdrop.sandbox.story import Story
from tests.unit.sandbox.worlds import role, world


def _home(story: Story) -> list[str]:
    key = surt(story.domain, "/")
    return [row.timestamp for row in world().captures(story) if row.urlkey == key]


def test_rows_are_ordered_by_key_and_time_without_duplicates() -> None:
    for story in world().stories[:60]:
        rows = [(row.urlkey, row.timestamp) for row in world().captures(story)]
        assert rows == sorted(set(rows)), story.domain
        assert all(len(row.row()) == 7 for row in world().captures(story))


def test_a_gap_leaves_two_whole_years_empty() -> None:
    for story in world(400).stories:
        if story.scenario == "flag_gap":
            years = {int(stamp[:4]) for stamp in _stamps(story)}
            empty = set(range(min(years), max(years))) - years
            assert len(empty) >= 2, story.domain


def _stamps(story: Story) -> list[str]:
    return [row.timestamp for row in world(400).captures(story)]


def test_an_honest_site_has_captures_every_year() -> None:
    for story in world().stories:
        if story.scenario in ("live_bid", "ended_won"):
            years = {int(stamp[:4]) for stamp in _home(story)}
            assert not set(range(min(years), max(years))) - years, story.domain


def test_addresses_statuses_and_revisits_are_as_mixed_as_in_the_archive() -> None:
    rows = [row for story in world().stories for row in world().captures(story)]
    statuses = Counter(row.status for row in rows)
    assert {"200", "301", "404", "-"} == set(statuses)
    assert all((row.mimetype == "warc/revisit") == (row.status == "-") for row in rows)
    originals = [row.original for row in rows]
    for mark in ("https://", "http://", ":80/", "//www."):
        assert any(mark in original for original in originals), mark


def test_a_revisit_repeats_the_digest_before_it() -> None:
    rows = world().captures(role("live_bid"))
    for before, row in pairwise(rows):
        if row.mimetype == "warc/revisit":
            assert row.page.digest == before.page.digest
            assert row.row()[6] == "512"


def test_nothing_is_captured_before_the_first_page_or_after_the_last() -> None:
    for story in world().stories[:60]:
        stamps = _home(story)
        assert min(stamps) >= story.eras[0].start.strftime("%Y%m%d")
        assert max(stamps) <= story.eras[-1].end.strftime("%Y%m%d%H%M%S")


def test_doorway_pages_are_in_the_index() -> None:
    keys = {row.urlkey for row in world().captures(role("spam_doorway"))}
    assert (
        sum(
            "casino" in key or "slot" in key or "bahis" in key or "kaz" in key or "bonus" in key
            for key in keys
        )
        >= 3
    )


@pytest.mark.parametrize(
    ("host", "path", "key"),
    [("www.A.co.uk", "/X?y=1", "uk,co,a)/x?y=1"), ("a.com:80", "/", "com,a)/"), ("a.com", "", "com,a)/")],
)
def test_keys(host: str, path: str, key: str) -> None:
    assert surt(host, path) == key


def test_a_world_finds_the_domain_of_a_host() -> None:
    story = world().stories[0]
    assert world().find(f"WWW.{story.domain}.") is story
    assert world().find("nobody.com") is None
    assert world().find("") is None
