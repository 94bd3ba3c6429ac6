"""When an account's digest and weekly mail are due: at an hour of its own clock, also when clocks change. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Literal, NamedTuple

from afterdrop.core.time_zones import time_zone

Frequency = Literal["instant", "daily"]
_MONDAY: Final = 0


@dataclass(frozen=True, slots=True)
class PendingMatch:
    """A match that its account is to be mailed about; `rule` is the rule's name."""

    id: int
    account_id: int
    domain: str
    matched_at: datetime
    rule: str


class Due(NamedTuple):
    """A digest's moment (UTC) and the local date it is for."""

    moment: datetime
    day: date


def last_due(zone: str, hour: int, now: datetime) -> Due:
    """The newest moment at or before `now` at which the clock of `zone` strikes `hour`.

    An hour that a clock change skips is taken by the clock before the change, and of an hour that comes twice the
    first counts: so every local date has one moment.
    """
    clock = time_zone(zone)
    today = now.astimezone(clock).date()
    # Where a zone skipped a whole day, a date's moment lies in the date after it.
    days = [today + timedelta(days=offset) for offset in (-2, -1, 0, 1)]
    past = [due for day in days if (due := Due(_strike(clock, day, hour), day)).moment <= now]
    return max(past)


def last_weekly(zone: str, hour: int, now: datetime) -> Due:
    """The newest moment at or before `now` at which the clock of `zone` strikes `hour` on a Monday."""
    due = last_due(zone, hour, now)
    while due.day.weekday() != _MONDAY:
        due = last_due(zone, hour, due.moment - timedelta(seconds=1))
    return due


def _strike(clock: tzinfo, day: date, hour: int) -> datetime:
    # fold=0, the default, is the first of two and, in a gap, the offset before it.
    return datetime.combine(day, time(hour), clock).astimezone(UTC)
