"""What the truth of a world relies on, and what a demo of it shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from afterdrop.core import domain_names
from afterdrop.sandbox.story import Story
from tests.unit.sandbox.worlds import moment, role, world


def test_names_and_owners_depend_on_the_seed_alone() -> None:
    today, later = world(60).stories, world(60, day=date(2027, 3, 1)).stories
    assert [story.domain for story in today] == [story.domain for story in later]
    unlinked = [[replace(story.metrics, links=()) for story in each] for each in (today, later)]
    assert unlinked[0] == unlinked[1]
    assert world(10).stories == today[:10]


def test_names_are_registrable_and_distinct() -> None:
    domains = [story.domain for story in world(400).stories]
    assert len(set(domains)) == 400
    assert [domain_names.registrable_domain(name) for name in domains] == domains
    assert any(name.startswith("xn--") for name in domains)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_outcomes_are_far_from_the_thresholds(seed: int) -> None:
    """Of the authority filter, and of the score: by the links of names that are published or score too low."""
    for story in world(400, seed).stories:
        told = story.metrics
        values = (told.domain_rating, told.trust_flow, told.authority_score, told.referring_domains // 2)
        if story.outcome == "below_filter":
            assert max(values) < 5 and told.pagerank < 2, story.domain
        elif story.outcome == "no_metrics":
            assert not told.known, story.domain
        elif story.outcome == "low_score":
            assert max(values) < 11, story.domain
        elif story.scenario != "flag_dr_inflated":
            assert min(values) > 15, story.domain


@pytest.mark.parametrize("hour", [0, 12, 23.99])
def test_a_demo_of_250_ends_with_something_in_every_list(hour: float) -> None:
    now = moment(hour / 24)
    days = [now - timedelta(days=back) for back in range(4)]
    published = [story for story in world().stories if story.outcome == "published"]
    seen = [story for story in published if any(map(story.listing.there, days))]
    live = [story for story in seen if story.listing.there(now) and not _over(story, now)]
    fresh = [story for story in live if story.listing.start == moment(0)]
    tomorrow = now + timedelta(days=1)
    assert len(live) >= 20
    assert sum(not story.listing.end or story.listing.end > tomorrow for story in fresh) >= 5
    assert sum(_free(story, now) for story in seen) >= 2
    assert sum(_over(story, now) for story in seen) >= 10


def test_few_enough_names_are_free_at_one_registry_to_be_believed() -> None:
    ended = [
        story
        for story in world().stories
        if story.outcome == "published" and story.tld in ("com", "net") and _over(story, moment(0))
    ]
    assert sum(_free(story, moment(0)) for story in ended) <= 0.2 * len(ended)


def _over(story: Story, now: datetime) -> bool:
    gone = story.listing.withdrawn or story.listing.end
    return gone is not None and gone <= now


def _free(story: Story, now: datetime) -> bool:
    phase = story.phase(now)
    return phase is not None and phase.state == "free" and not phase.delegated


def test_a_listing_is_in_its_feed_from_its_start_to_its_end() -> None:
    bid, drop, renewed = (role(name).listing for name in ("live_bid", "live_drop", "withdrawn_renewed"))
    assert bid.end and drop.end and renewed.withdrawn
    second = timedelta(seconds=1)
    there = [
        bid.there(bid.start - second),
        bid.there(bid.start),
        bid.there(bid.end),
        renewed.there(renewed.withdrawn),
    ]
    assert there == [False, True, False, False]
    # A drop list keeps a name to the end of its day.
    assert drop.there(drop.end) and not drop.there(drop.end + timedelta(days=1))
    assert (drop.price(drop.start), drop.bids(drop.start)) == (None, 0)
