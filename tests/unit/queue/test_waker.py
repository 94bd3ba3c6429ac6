"""When the waker asks again: soon while something is due, at the time of what comes, and never later than that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.queue.waker import until_due

NOW = datetime(2026, 11, 20, 16, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("dues", "seconds"),
    [
        ([], float("inf")),
        # Due and not claimed: in hand, of a dead worker, or held up.
        ([0], 1.0),
        ([-86400], 1.0),
        ([-5, 600], 1.0),
        # `now` may be a second behind: what is due at the next second is asked for in steps.
        ([1], 0.1),
        ([600, 2], 1.0),
        ([600], 599.0),
        ([600, 1], 0.1),
        ([-5, 1], 0.1),
    ],
)
def test_seconds_until_the_next_question(dues: list[int], seconds: float) -> None:
    assert until_due([NOW + timedelta(seconds=due) for due in dues], NOW) == seconds
