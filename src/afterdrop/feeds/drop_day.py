"""When a drop that is announced by its date only is over.

Pure. A list that names a day but no hour ends at the zone's release hour plus two hours where that hour is
known, else at the last second of that day in UTC, so that no name is given up before it can have dropped.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

DROP_LASTS = timedelta(hours=2)


class ReleaseTime(NamedTuple):
    """The local hour at which a registry starts to release names."""

    zone: str
    hour: int


# .com and .net have long dropped in the hours from 14:00 in New York; .cc and .tv share their registry.
# .se and .nu: "at 04:00 UTC at the earliest" (The Swedish Internet Foundation, its page on these lists).
RELEASES: dict[str, ReleaseTime] = {
    "com": ReleaseTime("America/New_York", 14),
    "net": ReleaseTime("America/New_York", 14),
    "cc": ReleaseTime("America/New_York", 14),
    "tv": ReleaseTime("America/New_York", 14),
    "se": ReleaseTime("UTC", 4),
    "nu": ReleaseTime("UTC", 4),
}


def drop_end(day: date, tld: str) -> datetime:
    """The moment (UTC) by which a name of `tld` whose drop day is `day` has dropped."""
    release = RELEASES.get(tld)
    if release is None:
        return datetime.combine(day, time(23, 59, 59), UTC)
    start = datetime.combine(day, time(release.hour), ZoneInfo(release.zone))
    return start.astimezone(UTC) + DROP_LASTS
