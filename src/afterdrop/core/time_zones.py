"""Time zones of accounts and feeds, and the beginning of a day. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones


def midnight(moment: datetime) -> datetime:
    """The beginning of the UTC day of a moment."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def time_zone(zone: str) -> tzinfo:
    """The time zone of an IANA name; UTC for a name that this machine's zone data does not have."""
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return UTC


def zone_place(zone: str) -> str:
    """The name people use for a zone: its city, `Berlin` of `Europe/Berlin`."""
    return zone.rpartition("/")[2].replace("_", " ")


def utc_offset(zone: str, now: datetime) -> str:
    """How far a zone's clocks are from UTC at a moment: `UTC+02:00`."""
    offset = f"{now.astimezone(time_zone(zone)):%z}"
    return f"UTC{offset[:3]}:{offset[3:5]}"


@lru_cache(maxsize=1)
def zones_to_choose() -> tuple[str, ...]:
    """The zones with a place in their name, and UTC; in order."""
    return tuple(sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC"))
