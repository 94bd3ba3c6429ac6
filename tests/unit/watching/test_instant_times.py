"""When matches of instant rules wait for more, and which names never do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from afterdrop.watching.mail_times import PendingMatch, is_held, is_urgent
from tests.support.mail_texts import DOMAIN

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


def match(minutes_ago: float) -> PendingMatch:
    """A match of some minutes ago."""
    return PendingMatch(1, 1, "one.com", NOW - timedelta(minutes=minutes_ago), "Huts")


@pytest.mark.parametrize(
    ("waited", "mailed", "held"),
    [
        ([0], None, False),
        ([0, 9], None, False),
        ([0], 0, True),
        ([0, 4], 5, True),
        ([0], 9.9, True),
        ([0], 10, False),
        ([0], 600, False),
        ([0, 9.9], 1, True),
        ([0, 10], 1, False),
        ([600], 1, False),
    ],
)
def test_matches_wait_ten_minutes_after_a_mail_and_no_longer(
    waited: list[float], mailed: float | None, held: bool
) -> None:
    mailed_at = None if mailed is None else NOW - timedelta(minutes=mailed)
    assert is_held([match(minutes) for minutes in waited], mailed_at, NOW) is held


@pytest.mark.parametrize(
    ("listing", "urgent"),
    [
        ({"ends_at": "2026-11-20T18:00:01Z"}, True),
        ({"ends_at": "2026-11-20T19:00:00Z"}, True),
        ({"ends_at": "2026-11-20T19:00:01Z"}, False),
        ({"ends_at": "2026-11-20T18:00:00Z"}, False),
        ({"ends_at": None}, False),
        ({"opens_at": "2026-11-20T18:30:00Z", "ends_at": "2026-11-20T20:30:00Z"}, True),
        ({"opens_at": "2026-11-20T17:30:00Z", "ends_at": "2026-11-20T18:30:00Z"}, True),
        ({"opens_at": "2026-11-20T17:30:00Z", "ends_at": "2026-11-20T20:30:00Z"}, False),
        ({"opens_at": "2026-11-20T19:30:00Z", "ends_at": "2026-11-20T21:30:00Z"}, False),
        ({"ends_at": "2026-11-20T18:30:00Z", "certain": False}, False),
    ],
)
def test_names_that_end_or_drop_within_the_hour_are_urgent(listing: dict[str, Any], urgent: bool) -> None:
    assert is_urgent(cast(Any, {**DOMAIN["listing"], **listing}), NOW) is urgent
