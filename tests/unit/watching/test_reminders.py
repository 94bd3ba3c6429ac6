"""Reminder hours: each once, the smallest overdue one, nothing that was past when following began."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.accounts.account import REMINDER_HOURS
from afterdrop.watching.mail_times import due_hour

ENDS = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LONG_AGO = ENDS - 100 * HOUR
SETS = st.sets(st.sampled_from(REMINDER_HOURS))


@pytest.mark.parametrize(
    ("left", "sent", "expected"),
    [
        (24.1, (), None), (24, (), 24), (23.9, (), 24), (23.9, (24,), None), (1, (24,), 1), (0.5, (24, 1), None),
        (0.5, (), 1), (0, (), None), (-1, (), None),
    ],
)  # fmt: skip
def test_the_default_hours(left: float, sent: tuple[int, ...], expected: int | None) -> None:
    assert due_hour((24, 1), ENDS, LONG_AGO, sent, ENDS - left * HOUR) == expected


def test_an_hour_past_when_following_began_is_left_out() -> None:
    began = ENDS - 5 * HOUR
    assert due_hour(REMINDER_HOURS, ENDS, began, (), began) is None
    assert due_hour(REMINDER_HOURS, ENDS, began, (), ENDS - 3 * HOUR) == 3
    assert due_hour((24, 1), ENDS, ENDS - 24 * HOUR, (), ENDS - 24 * HOUR) == 24, "reached is not past"


@given(SETS, st.integers(0, 60), st.integers(0, 60))
def test_whatever_was_slept_through_there_is_one_reminder_and_it_is_the_smallest_overdue(
    chosen: set[int], began_before: int, left: int
) -> None:
    now, began = ENDS - left * HOUR, ENDS - began_before * HOUR
    hour = due_hour(chosen, ENDS, began, (), now)
    overdue = [each for each in chosen if left <= each <= began_before]
    assert hour == (min(overdue, default=None) if left > 0 else None)
    if hour is not None:
        assert due_hour(chosen, ENDS, began, {hour}, now) is None


@given(SETS, st.lists(st.integers(0, 50), max_size=60))
def test_looking_whenever_you_like_sends_each_hour_at_most_once(chosen: set[int], looks: list[int]) -> None:
    sent: list[int] = []
    for left in sorted(looks, reverse=True):
        hour = due_hour(chosen, ENDS, LONG_AGO, sent, ENDS - left * HOUR)
        if hour is not None:
            sent.append(hour)
    assert len(sent) == len(set(sent))
    assert sent == sorted(sent, reverse=True)
    assert set(sent) <= chosen
