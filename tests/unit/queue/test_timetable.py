"""The timetable: any worker finds the same due moments, and each is run once."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from afterdrop.queue.timetable import Job, due, jobs, last_moment, next_moment

TABLE = jobs(time(16, 30))
NOW = datetime(2026, 11, 20, 16, 29, 59, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(
    lambda moment: moment.replace(tzinfo=UTC, microsecond=0)
)


def _names(now: datetime, done: dict[str, datetime]) -> dict[str, datetime]:
    return {job.name: moment for job, moment in due(TABLE, now, done)}


def test_the_scan_is_due_at_its_hour_and_minute_and_not_before() -> None:
    yesterday = NOW.replace(day=19, minute=30, second=0)
    assert "scan" not in _names(NOW, {"scan": yesterday})
    assert _names(NOW + timedelta(seconds=1), {"scan": yesterday})["scan"] == yesterday + timedelta(days=1)


def test_a_moment_taken_is_not_due_again() -> None:
    everything = _names(NOW, {})
    assert set(everything) == {job.name for job in TABLE} - {"scan"}  # yesterday's scan is too late by now
    assert _names(NOW, everything) == {}


def test_a_deployment_started_late_runs_todays_scan_at_once() -> None:
    start = NOW.replace(hour=20)
    assert _names(start, {})["scan"] == NOW.replace(hour=16, minute=30, second=0)


@given(MOMENTS)
def test_the_last_moment_is_within_one_period(now: datetime) -> None:
    for job in TABLE:
        assert timedelta() <= now - last_moment(job, now) < job.every


@given(MOMENTS, st.integers(1, 7200))
def test_due_moments_do_not_depend_on_when_a_worker_looks(now: datetime, later: int) -> None:
    then = now + timedelta(seconds=later)
    for job in TABLE:
        first, second = last_moment(job, now), last_moment(job, then)
        assert (second - first) % job.every == timedelta() or job.every > timedelta(hours=2)
        assert second >= first


@given(MOMENTS, st.integers(1, 200), st.integers(0, 23))
def test_the_next_moment_is_the_first_that_comes(now: datetime, minutes: int, hours: int) -> None:
    """Also of a period that does not divide the day: midnight begins it anew."""
    odd = Job("odd", timedelta(minutes=minutes), timedelta(hours=hours), late=timedelta(hours=1))
    for job in (*TABLE, odd):
        coming = next_moment(job, now)
        assert now < coming == last_moment(job, coming)
        assert last_moment(job, coming - timedelta(seconds=1)) == last_moment(job, now)
