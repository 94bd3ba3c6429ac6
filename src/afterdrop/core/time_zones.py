"""Time zones of accounts and feeds. Pure."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo


def time_zone(zone: str) -> tzinfo:
    """The time zone of an IANA name; UTC for a name that this machine's zone data does not have."""
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return UTC
