"""Time zones of accounts: unknown names fall back to UTC instead of failing."""

from __future__ import annotations

from datetime import UTC

from afterdrop.core.time_zones import time_zone


def test_unknown_zones_fall_back_to_utc() -> None:
    assert str(time_zone("Europe/Berlin")) == "Europe/Berlin"
    assert time_zone("../etc/passwd") is UTC
    assert time_zone("") is UTC
    assert time_zone("Mars/Olympus") is UTC
