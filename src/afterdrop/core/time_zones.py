"""Time zones of accounts and feeds. Pure."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo


def clock_of(zone: str) -> tzinfo:
    """The clock of an IANA zone; UTC for a name that this machine's zone data does not know (any more)."""
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return UTC
