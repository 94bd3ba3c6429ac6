"""Time zones of accounts: unknown names fall back to UTC instead of failing."""

from __future__ import annotations

from datetime import UTC

from afterdrop.core.time_zones import time_zone, zone_place, zones_to_choose


def test_unknown_zones_fall_back_to_utc() -> None:
    assert str(time_zone("Europe/Berlin")) == "Europe/Berlin"
    assert time_zone("../etc/passwd") is UTC
    assert time_zone("") is UTC
    assert time_zone("Mars/Olympus") is UTC


def test_zones_are_called_by_their_place_and_chosen_among_those_that_have_one() -> None:
    assert zone_place("America/Argentina/Buenos_Aires") == "Buenos Aires"
    assert zone_place("UTC") == "UTC"
    chosen = zones_to_choose()
    assert {"UTC", "Europe/Berlin", "Asia/Kathmandu"} <= set(chosen)
    assert "EST" not in chosen and list(chosen) == sorted(chosen)
