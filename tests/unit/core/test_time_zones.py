"""Time zones of accounts: unknown names fall back to UTC instead of failing."""

from __future__ import annotations

from datetime import UTC

from afterdrop.core.time_zones import clock_of


def test_a_known_zone_and_names_that_are_none() -> None:
    assert str(clock_of("Europe/Berlin")) == "Europe/Berlin"
    assert clock_of("../etc/passwd") is UTC
    assert clock_of("") is UTC
    assert clock_of("Mars/Olympus") is UTC
