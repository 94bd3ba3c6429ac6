"""Calendar entries of three kinds of ends, read by another program's parser for people in two zones."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar

from afterdrop.catalogue.drops import Drop, window_of
from afterdrop.sources.registry.release_hours import drop_end
from afterdrop.web.site.downloads import calendar_entry, drop_entry

NOW = datetime(2026, 11, 20, tzinfo=UTC)
ZONES = [ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")]


def listing(**values: Any) -> Any:
    shown = {"type": "pending_delete", "ends_at": None, "opens_at": None, "day": None, "certain": True}
    return {"domain": "a.pl", "report_url": "https://site.example/x", "listing": {**shown, **values}}


def event(text: str) -> Any:
    (found,) = Calendar.from_ical(text).walk("VEVENT")
    return found


def alarm_at(found: Any) -> datetime:
    """When the alarm rings: a moment, or counted from the begin."""
    (alarm,) = found.walk("VALARM")
    trigger = alarm.decoded("TRIGGER")
    if isinstance(trigger, timedelta):
        begin = found.decoded("DTSTART")
        assert isinstance(begin, datetime)
        return begin + trigger
    assert isinstance(trigger, datetime)
    return trigger


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_an_auction_is_a_moment(zone: ZoneInfo) -> None:
    found = event(calendar_entry(listing(type="auction", ends_at="2026-11-26T23:30:00Z"), "", NOW))
    begin = found.decoded("DTSTART").astimezone(zone)
    assert begin == datetime(2026, 11, 26, 23, 30, tzinfo=UTC)
    assert begin.day == (27 if zone.key == "Europe/Berlin" else 26), "the reader's own day"
    assert alarm_at(found) == begin - timedelta(hours=1)


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_an_opening_begins_at_its_hour_and_has_no_end_that_nobody_publishes(zone: ZoneInfo) -> None:
    window = window_of("a.se", drop_end(date(2026, 11, 26), "a.se"))
    names = ({"domain": "a.se", "tld": "se", "listing": {"certain": True}},)
    found = event(drop_entry(Drop(window, names), "https://site.example/drops", NOW))  # type: ignore[arg-type]
    assert found.decoded("DTSTART").astimezone(zone) == datetime(2026, 11, 26, 4, tzinfo=UTC)
    assert "DTEND" not in found
    assert alarm_at(found) == datetime(2026, 11, 26, 3, tzinfo=UTC)


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_a_day_without_an_hour_is_that_day_in_every_zone(zone: ZoneInfo) -> None:
    entry = listing(ends_at="2026-11-26T23:59:59Z", opens_at="2026-11-25T23:00:00Z", day="2026-11-26")
    window = window_of("a.pl", drop_end(date(2026, 11, 26), "a.pl"))
    names = ({"domain": "a.pl", "tld": "pl", "listing": {"certain": True}},)
    for text in (
        calendar_entry(entry, "", NOW),
        drop_entry(Drop(window, names), "https://site.example/drops", NOW),  # type: ignore[arg-type]
    ):
        found = event(text)
        begin = found.decoded("DTSTART")
        assert not isinstance(begin, datetime)
        assert begin == date(2026, 11, 26), zone
        assert "DTEND" not in found
        assert alarm_at(found).astimezone(zone) == datetime(2026, 11, 25, 22, tzinfo=UTC)
