"""When an account's daily digest is due: at its hour, on its clock, once a day whatever the clock does. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from afterdrop.core.time_zones import time_zone


class Due(NamedTuple):
    """A digest's moment (UTC) and the local date it is for."""

    moment: datetime
    day: date


def last_due(zone: str, hour: int, now: datetime) -> Due:
    """The newest moment at or before `now` at which the clock of `zone` strikes `hour`.

    An hour that a clock change leaves out counts by the clock before the change, one that comes twice counts the
    first time: so every local date has one moment.
    """
    clock = time_zone(zone)
    today = now.astimezone(clock).date()
    # Where a zone skipped a whole day, a date's moment lies in the date after it.
    days = [today + timedelta(days=offset) for offset in (-2, -1, 0, 1)]
    past = [due for day in days if (due := Due(_strike(clock, day, hour), day)).moment <= now]
    return max(past)


def _strike(clock: tzinfo, day: date, hour: int) -> datetime:
    # fold=0, the default, is the first of two and, in a gap, the offset before it.
    return datetime.combine(day, time(hour), clock).astimezone(UTC)
