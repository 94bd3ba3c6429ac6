"""The hour of a digest: on the account's clock, once a date, also when summer time begins or ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.watching.mail_times import last_due, last_weekly

ZONES = (
    *(
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "Asia/Kathmandu",
        "Australia/Lord_Howe",
        "America/St_Johns",
    ),
    *("Pacific/Apia", "Pacific/Kiritimati", "Africa/Casablanca", "America/Havana"),
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "hour", "now", "moment", "day"),
    [
        ("UTC", 8, "2026-11-20 08:00", "2026-11-20 08:00", (2026, 11, 20)),
        ("UTC", 8, "2026-11-20 07:59", "2026-11-19 08:00", (2026, 11, 19)),
        ("Europe/Berlin", 8, "2026-11-20 07:00", "2026-11-20 07:00", (2026, 11, 20)),
        ("America/New_York", 22, "2026-11-20 03:30", "2026-11-20 03:00", (2026, 11, 19)),
        # 02:00 does not exist in Berlin on 29 March 2026: the moment of the change, 01:00Z, takes its place.
        ("Europe/Berlin", 2, "2026-03-29 00:59", "2026-03-28 01:00", (2026, 3, 28)),
        ("Europe/Berlin", 2, "2026-03-29 01:00", "2026-03-29 01:00", (2026, 3, 29)),
        ("Europe/Berlin", 2, "2026-03-29 23:00", "2026-03-29 01:00", (2026, 3, 29)),
        # 02:00 comes twice on 25 October 2026, at 00:00Z and 01:00Z: the first counts.
        ("Europe/Berlin", 2, "2026-10-25 00:00", "2026-10-25 00:00", (2026, 10, 25)),
        ("Europe/Berlin", 2, "2026-10-25 01:30", "2026-10-25 00:00", (2026, 10, 25)),
        # 00:00 does not exist in Havana on 8 March 2026.
        ("America/Havana", 0, "2026-03-08 05:00", "2026-03-08 05:00", (2026, 3, 8)),
        # Apia had no 30 December 2011.
        ("Pacific/Apia", 8, "2011-12-30 18:00", "2011-12-30 18:00", (2011, 12, 31)),
        ("Nowhere/At_All", 8, "2026-11-20 09:00", "2026-11-20 08:00", (2026, 11, 20)),
    ],
)
def test_the_last_time_the_clock_struck(
    zone: str, hour: int, now: str, moment: str, day: tuple[int, int, int]
) -> None:
    assert last_due(zone, hour, at(now)) == (at(moment), date(*day))


@given(
    st.sampled_from(ZONES),
    st.integers(0, 23),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 30), timezones=st.just(UTC)),
)
def test_one_moment_a_date_however_often_one_looks(zone: str, hour: int, start: datetime) -> None:
    seen: dict[date, datetime] = {}
    for step in range(0, 4 * 96):
        now = start + timedelta(minutes=15 * step)
        moment, day = last_due(zone, hour, now)
        assert moment <= now
        assert now - moment <= timedelta(hours=25, minutes=15)
        assert seen.setdefault(day, moment) == moment, "a date has one moment"
    assert len(seen) in (4, 5)
    assert sorted(seen) == list(seen)


@pytest.mark.parametrize(
    ("zone", "now", "moment"),
    [
        ("UTC", "2026-11-23 08:00", "2026-11-23 08:00"),
        ("UTC", "2026-11-23 07:59", "2026-11-16 08:00"),
        ("UTC", "2026-11-29 23:59", "2026-11-23 08:00"),
        ("Asia/Kathmandu", "2026-11-23 02:15", "2026-11-23 02:15"),
        ("America/New_York", "2026-11-23 12:59", "2026-11-16 13:00"),
        # Apia had no 30 December 2011, a Friday.
        ("Pacific/Apia", "2012-01-01 18:00", "2012-01-01 18:00"),
    ],
)
def test_a_weekly_mail_is_due_on_mondays(zone: str, now: str, moment: str) -> None:
    due = last_weekly(zone, 8, at(now))
    assert due.moment == at(moment)
    assert due.day.weekday() == 0
