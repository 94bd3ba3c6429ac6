"""The end of a listing as an iCalendar file (RFC 5545). Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Final

_LINE_OCTETS: Final = 75
_STAMP: Final = "%Y%m%dT%H%M%SZ"


def calendar_entry(domain: str, ends_at: datetime, place: str, report_url: str, now: datetime) -> str:
    """One event at `ends_at` (UTC) with an alarm an hour before; `place` is the marketplace's name."""
    end = ends_at.strftime(_STAMP)
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Afterdrop//Listings//EN",
        "BEGIN:VEVENT",
        f"UID:{domain}-{end}@afterdrop",
        f"DTSTAMP:{now.strftime(_STAMP)}",
        f"DTSTART:{end}",
        f"DTEND:{end}",
        f"SUMMARY:{_text(f'{domain} ends' + (f' at {place}' if place else ''))}",
        f"DESCRIPTION:{_text(report_url)}",
        f"URL:{report_url}",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"DESCRIPTION:{_text(f'{domain} ends in an hour')}",
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
