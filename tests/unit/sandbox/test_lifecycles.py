"""Life cycles: the phases of each ending, in order."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from random import Random

from afterdrop.sandbox import lifecycles
from afterdrop.sandbox.scenarios import Scenario
from afterdrop.sandbox.story import Phase, Story
from tests.unit.sandbox.worlds import moment, role, world


def _states(story: Story) -> list[str]:
    return [phase.state for phase in story.phases]


def test_phases_follow_one_another() -> None:
    for story in world(400).stories:
        starts = [phase.start for phase in story.phases]
        assert starts == sorted(starts), story.scenario
        assert story.phases[0].start <= story.eras[0].start


def test_a_drop_goes_through_every_stage() -> None:
    story = role("dropped_free")
    assert _states(story) == ["active", "auto_renew", "redemption", "pending_delete", "free"]
    redemption, deleted, free = story.phases[2:]
    assert deleted.start - redemption.start == timedelta(days=30)
    assert timedelta(days=5) < free.start - deleted.start < timedelta(days=6)
    assert not redemption.delegated


def test_com_drops_at_two_in_the_afternoon_in_new_york() -> None:
    assert lifecycles.release_time("com", date(2026, 11, 20), 5) == datetime(
        2026, 11, 20, 19, 0, 5, tzinfo=UTC
    )
    assert lifecycles.release_time("com", date(2026, 7, 1), 0).hour == 18
    assert lifecycles.release_time("xyz", date(2026, 7, 1), 0).hour == 16
    assert lifecycles.release_time("co.uk", date(2026, 7, 1), 0).hour == 16


def test_a_dropped_name_is_registered_again_within_seconds_or_a_day_later() -> None:
    quick, slow = role("ended_caught"), role("dropped_caught_later")
    assert timedelta(seconds=1) < quick.phases[-1].start - quick.phases[-2].start < timedelta(seconds=10)
    assert slow.phases[-1].start - slow.phases[-2].start == timedelta(hours=26)
    assert quick.phases[-1].registered_at == quick.phases[-1].start


def test_rare_endings() -> None:
    assert _states(role("odd_stuck"))[-1] == "pending_delete"
    assert _states(role("odd_blocked"))[-1] == "blocked"
    assert _states(role("odd_registry_404")) == ["registry_404"]
    assert _states(role("odd_no_rdap")) == ["active"]
    assert _states(role("odd_restored"))[-2:] == ["pending_restore", "active"]
    delegated = role("dropped_delegated").phases[-1]
    assert delegated.state == "free" and delegated.delegated


def test_a_won_auction_and_a_renewal_extend_the_expiry() -> None:
    for name in ("ended_won", "withdrawn_renewed"):
        before, after = role(name).phases[-2:]
        assert before.expires_at and after.expires_at
        assert after.expires_at - before.expires_at >= timedelta(days=365)
        assert after.registered_at == before.registered_at
    assert role("ended_won").phases[-1].registrar != role("ended_won").phases[-2].registrar


def test_there_is_no_phase_before_the_first_registration() -> None:
    story = role("live_bid")
    assert story.phase(story.phases[0].start - timedelta(days=1)) is None
    found = story.phase(moment(0))
    assert found is not None and found.state == "auto_renew"


def test_a_leap_day_expires_on_the_28th() -> None:
    part = Scenario("x", "auction", 0, 1, "kept", "honest", "good")
    phase: Phase = lifecycles.registry_phases(
        part, moment(1), datetime(2028, 2, 29, tzinfo=UTC), 5, Random(1)
    )[0]
    assert phase.registered_at == datetime(2023, 2, 28, tzinfo=UTC)
