"""The end of a listing, or a drop window, as an iCalendar file (RFC 5545). Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from afterdrop.catalogue.drops import Drop

_MOST_NAMED: Final = 30
_LINE_OCTETS: Final = 75
_STAMP: Final = "%Y%m%dT%H%M%SZ"


def calendar_entry(domain: str, ends_at: datetime, place: str, report_url: str, now: datetime) -> str:
    """One event at `ends_at` (UTC) with an alarm an hour before; `place` is the marketplace's name."""
    end = ends_at.strftime(_STAMP)
    return _calendar(
        f"UID:{domain}-{end}@afterdrop",
        f"DTSTAMP:{now.strftime(_STAMP)}",
        f"DTSTART:{end}",
        f"DTEND:{end}",
        f"SUMMARY:{_text(f'{domain} ends' + (f' at {place}' if place else ''))}",
        f"DESCRIPTION:{_text(report_url)}",
        f"URL:{report_url}",
        alarm=f"{domain} ends in an hour",
    )


def drop_entry(drop: Drop, url: str, now: datetime) -> str:
    """A drop window with its names; it takes the whole day where the registry publishes no hour."""
    window, names = drop.window, [item["domain"] for item in drop.domains]
    what = f"{' and '.join('.' + each for each in drop.extensions)}: {_counted(len(names))}"
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    if window.opens is None:
        day = window.closes - timedelta(seconds=1)
        times = [f"DTSTART;VALUE=DATE:{day:%Y%m%d}"]
    else:
        times = [f"DTSTART:{window.opens.strftime(_STAMP)}", f"DTEND:{window.closes.strftime(_STAMP)}"]
    return _calendar(
        f"UID:drop-{window.closes.strftime(_STAMP)}-{'-'.join(drop.extensions)[:80]}@afterdrop",
        f"DTSTAMP:{now.strftime(_STAMP)}",
        *times,
        f"SUMMARY:{_text(what)}",
        f"DESCRIPTION:{_text(', '.join(names[:_MOST_NAMED]) + more)}",
        f"URL:{url}",
        alarm="Names drop in an hour",
    )


def _counted(number: int) -> str:
    return "1 name drops" if number == 1 else f"{number} names drop"


def _calendar(*event: str, alarm: str) -> str:
    """A calendar with one event and an alarm an hour before it."""
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Afterdrop//Listings//EN",
        "BEGIN:VEVENT",
        *event,
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"DESCRIPTION:{_text(alarm)}",
        "TRIGGER:-PT1H",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
    )
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _text(value: str) -> str:
    """A text value: a stranger's line breaks, commas and semicolons do not end it."""
    line = " ".join(value.split())
    return line.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> str:
    """A line in pieces of at most 75 octets; no character is cut in two."""
    pieces, size = [""], 0
    for char in line:
        octets = len(char.encode())
        if size + octets > _LINE_OCTETS:
            pieces.append(" ")
            size = 1
        pieces[-1] += char
        size += octets
    return "\r\n".join(pieces)
