"""The captures form an index like the real one, with its gaps and repetitions."""

from __future__ import annotations

from collections import Counter

from afterdrop.sandbox.captures import surt
from afterdrop.sandbox.story import Story
from tests.unit.sandbox.worlds import world


def _years(story: Story) -> set[int]:
    home = surt(story.domain, "/")
    return {int(row.timestamp[:4]) for row in world().captures(story) if row.urlkey == home}


def test_an_honest_site_has_captures_every_year_and_a_gap_has_two_empty_ones() -> None:
    for scenario, gaps in (("live_bid", 0), ("ended_won", 0), ("flag_gap", 2)):
        for story in world().stories:
            if story.scenario == scenario:
                years = _years(story)
                assert len(set(range(min(years), max(years))) - years) >= gaps, story.domain
                assert gaps or years >= set(range(min(years), max(years))), story.domain


def test_addresses_statuses_and_revisits_are_as_mixed_as_in_the_archive() -> None:
    rows = [row for story in world().stories[:60] for row in world().captures(story)]
    assert set(Counter(row.status for row in rows)) == {"200", "301", "404", "-"}
    assert all((row.mimetype == "warc/revisit") == (row.status == "-") for row in rows)
    for mark in ("https://", "http://", ":80/", "//www."):
        assert any(mark in row.original for row in rows), mark


def test_a_world_finds_the_domain_of_a_host() -> None:
    story = world().stories[0]
    assert world().find(f"WWW.{story.domain}.") is story
    assert world().find("nobody.com") is None
