"""Life cycles: the phases of each ending, in order."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from afterdrop.sandbox import lifecycles
from tests.unit.sandbox.worlds import role, world

DROPPED = ["active", "auto_renew", "redemption", "pending_delete"]


@pytest.mark.parametrize(
    ("scenario", "states"),
    [
        ("live_bid", ["active", "auto_renew", "active"]),
        ("withdrawn_renewed", ["active", "auto_renew", "active"]),
        ("dropped_free", [*DROPPED, "free"]),
        ("ended_caught", [*DROPPED, "free", "active"]),
        ("dropped_caught_later", [*DROPPED, "free", "active"]),
        ("odd_stuck", DROPPED),
        ("odd_blocked", [*DROPPED, "blocked"]),
        ("odd_restored", [*DROPPED, "pending_restore", "active"]),
        ("odd_registry_404", ["registry_404"]),
        ("odd_no_rdap", ["active"]),
    ],
)
def test_every_ending_has_its_phases(scenario: str, states: list[str]) -> None:
    assert [phase.state for phase in role(scenario).phases] == states


def test_phases_follow_one_another_and_last_as_long_as_at_real_registries() -> None:
    for story in world(400).stories:
        starts = [phase.start for phase in story.phases]
        assert starts == sorted(starts) and starts[0] <= story.eras[0].start, story.scenario
    redemption, deleted, free = role("dropped_free").phases[2:]
    assert deleted.start - redemption.start == timedelta(days=30)
    assert timedelta(days=5) < free.start - deleted.start < timedelta(days=6)


def test_com_drops_at_two_in_the_afternoon_in_new_york() -> None:
    for tld, day, hour in (
        ("com", date(2026, 11, 20), 19),
        ("com", date(2026, 7, 1), 18),
        ("xyz", date(2026, 7, 1), 16),
    ):
        assert lifecycles.release_time(tld, day, 5) == datetime(
            day.year, day.month, day.day, hour, 0, 5, tzinfo=UTC
        )
