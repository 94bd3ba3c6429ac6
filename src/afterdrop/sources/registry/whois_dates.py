"""The dates of WHOIS answers, as registries write them. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# `2001-Aug-23` (.tr)
_YEAR_MONTH = re.compile(r"(\d{4})[-. /]+([a-z]{3})[a-z]*+[-. /]+(\d{1,2})(?!\d)", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-./]\s?(\d{1,2})[-./]\s?(\d{1,2})|(\d\d)(\d\d))(?!\d)", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)", re.ASCII)
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[-. /]+([a-z]{3})[a-z]*[-., /]+(\d{4})", re.ASCII)
_MONTH_DAY = re.compile(
    r"(?<![a-z])([a-z]{3})[a-z]*+ ++(\d{1,2})(?:st|nd|rd|th)?\b.{0,40}?\b(\d{4})\b", re.ASCII
)
_CLOCK = re.compile(
    r"(?<![\d+:-])(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?(?: ?\(?(?:utc|gmt)? ?([+-]\d{1,2})(?::?(\d\d))?(?![\d:]))?",
    re.ASCII,
)


def has_clock(value: str) -> bool:
    """Whether a date has its time of day."""
    return _CLOCK.search(value.lower()) is not None


def whois_time(value: str, *, month_first: bool = False, zone: str = "UTC") -> datetime | None:
    """A date, or a date with its time, as aware UTC; None when it is no date.

    A time without an offset is one of `zone`; a date without a time is that day in UTC. A date of two numbers and a
    year is read day first, unless the server writes the month first.
    """
    text = value.lower()
    parts = _date(text, month_first=month_first)
    if parts is None:
        return None
    clock = _CLOCK.search(text)
    hours, minutes, seconds = (int(part or 0) for part in clock.group(1, 2, 3)) if clock else (0, 0, 0)
    try:
        moment = datetime(*parts, hours, minutes, min(seconds, 59), tzinfo=_zone(clock, zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment.year > 1970 else None


def _date(text: str, *, month_first: bool) -> tuple[int, int, int] | None:
    if found := _YEAR_FIRST.search(text):
        return int(found[1]), int(found[2] or found[4]), int(found[3] or found[5])
    if found := _DAY_FIRST.search(text):
        first, second = int(found[1]), int(found[2])
        return (int(found[3]), first, second) if month_first else (int(found[3]), second, first)
    for pattern, year, month, day in ((_DAY_MONTH, 3, 2, 1), (_YEAR_MONTH, 1, 2, 3), (_MONTH_DAY, 3, 1, 2)):
        if (found := pattern.search(text)) and found[month] in _MONTHS:
            return int(found[year]), _MONTHS.index(found[month]) + 1, int(found[day])
    return None


def _zone(clock: re.Match[str] | None, zone: str) -> tzinfo:
    if clock is None:
        return UTC
    if clock[4] is None:
        return ZoneInfo(zone)
    return timezone(timedelta(hours=int(clock[4]), minutes=int(clock[4][0] + (clock[5] or "0"))))
