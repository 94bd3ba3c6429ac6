"""Files the site hands out: domains as CSV, a revival kit as a zip of Markdown, ends and drops as iCalendar. Pure."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from itertools import count
from typing import Final, TypedDict
from urllib.parse import unquote

from afterdrop.catalogue.drops import Drop, does, when
from afterdrop.catalogue.kit_shapes import PageJson
from afterdrop.catalogue.shapes import BasicReport, FullReport
from afterdrop.core.safe_text import one_line
from afterdrop.watching.desk_rules import UNMARKED, Marks
from afterdrop.web.list_csv import SUMMARY_COLUMNS, csv_lines, head_line

CSV_COLUMNS: Final = (*SUMMARY_COLUMNS, "tags", "note")
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)
_ENDING: Final = re.compile(r"\.(?:html?|xhtml|php\d?|aspx?|jsp|cgi|cfm|md|txt)(\?|$)")
_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME: Final = 80
# Names that Windows keeps for devices.
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
_MOST_NAMED: Final = 30
_LINE_OCTETS: Final = 75
_HOUR: Final = timedelta(hours=1)
_STAMP: Final = "%Y%m%dT%H%M%SZ"


class NamedRow(TypedDict):
    """A summary, or as much of one as the reader may see: at least its name."""

    domain: str


def csv_text(rows: Iterable[NamedRow], marks: Mapping[str, Marks]) -> str:
    """Domain summaries, one a line, under the names the API gives the members, with the reader's tags and notes."""
    marked = (
        {**row, "tags": list(own.tags), "note": own.note}
        for row in rows
        for own in [marks.get(row["domain"], UNMARKED)]
    )
    return head_line(CSV_COLUMNS) + csv_lines(marked, CSV_COLUMNS)


def kit_zip(domain: str, pages: Iterable[PageJson]) -> bytes:
    """`index.md`, and a file named after its path for each page whose text is stored.

    Only letters, digits and hyphens of the old site's paths become names, so that none leads out of the folder.
    """
    out = io.BytesIO()
    index, names = [f"# Old pages of {domain}", ""], {"index"}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for page in pages:
            content = page.get("content")
            about = (
                f"{one_line(page['url'], 2000)} ({page['captures']} captures, last {page['last_capture']})"
            )
            name = (
                f"{_unused(entry_name(page['path']), names)}.md" if content is not None else "no text stored"
            )
            index.append(f"- {name}: {about}")
            if content is not None:
                head = f"Source: {one_line(page['url'], 2000)}\nArchived: {one_line(page['webarchive_url'], 2000)}\n\n"
                _add(archive, name, head + content + "\n")
        _add(archive, "index.md", "\n".join(index) + "\n")
    return out.getvalue()


def entry_name(path: str) -> str:
    """A file name, without its ending, from a path of the old site; `home` for `/`.

    >>> entry_name("/About%20us/team.html?lang=de")
    'about-us-team-lang-de'
    """
    plain = unicodedata.normalize("NFKD", unquote(path)).encode("ascii", "ignore").decode().lower()
    name = _ENDING.sub(r"\1", plain)
    name = _NO_NAME.sub("-", name).strip("-")[:_LONGEST_NAME].strip("-")
    return f"page-{name}" if name in _DEVICES else name or ("home" if path == "/" else "page")


def _unused(name: str, names: set[str]) -> str:
    """The name, with a number where it is taken; it is taken from now on."""
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    free = next(each for each in numbered if each not in names)
    names.add(free)
    return free


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, date_time=_ZIP_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, text)


def calendar_entry(report: FullReport | BasicReport, place: str, now: datetime) -> str:
    """One event at the end of a report's listing, with an alarm an hour before; `place` is the marketplace's name.

    A name about to drop has the opening of its drop, where it is known, until the end.
    """
    domain, listing, report_url = report["domain"], report["listing"], report["report_url"]
    ends = when(listing)
    assert ends is not None  # the route asks for listings with an end only
    what = f"{domain} {does(listing)}"
    return _calendar(
        f"UID:{domain}-{ends.ends.strftime(_STAMP)}@afterdrop",
        f"DTSTAMP:{now.strftime(_STAMP)}",
        *(_day(ends.day) if ends.day else _times(ends.begins, ends.ends)),
        f"SUMMARY:{_text(what + (f' at {place}' if place else ''))}",
        f"DESCRIPTION:{_text(report_url)}",
        f"URL:{report_url}",
        alarm=f"{what} during {ends.day.day} {ends.day:%b}" if ends.day else f"{what} in an hour",
        at=ends.begins - _HOUR if ends.day else None,
    )


def drop_entry(drop: Drop, url: str, now: datetime) -> str:
    """A drop window with its names.

    It takes the whole day where the hour is not known, and has no end where the registry publishes none.
    """
    window, names = drop.window, [item["domain"] for item in drop.domains]
    what = f"{' and '.join('.' + extension for extension in drop.extensions)}: {_counted(drop)}"
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    times = _day(window.day) if window.day else _times(window.opens or window.gone, window.closes)
    return _calendar(
        f"UID:drop-{window.gone.strftime(_STAMP)}-{'-'.join(drop.extensions)[:80]}@afterdrop",
        f"DTSTAMP:{now.strftime(_STAMP)}",
        *times,
        f"SUMMARY:{_text(what)}",
        f"DESCRIPTION:{_text(', '.join(names[:_MOST_NAMED]) + more)}",
        f"URL:{url}",
        alarm=f"Names {'drop' if drop.certain else 'may drop'} {'on this day' if window.day else 'in an hour'}",
        at=window.begins - _HOUR if window.day and window.begins else None,
    )


def _day(day: date) -> list[str]:
    """An event of a whole day (RFC 5545 section 3.6.1): it is that day in every calendar's zone."""
    return [f"DTSTART;VALUE=DATE:{day:%Y%m%d}"]


def _times(begin: datetime, end: datetime | None) -> list[str]:
    """Begin and end of an event. An end that is not later than its begin is left out (RFC 5545 section 3.8.2.2)."""
    ends = [f"DTEND:{end.strftime(_STAMP)}"] if end is not None and end > begin else []
    return [f"DTSTART:{begin.strftime(_STAMP)}", *ends]


def _counted(drop: Drop) -> str:
    number = len(drop.domains)
    if not drop.certain:
        return f"{number} name{'' if number == 1 else 's'} may drop"
    return "1 name drops" if number == 1 else f"{number} names drop"


def _calendar(*event: str, alarm: str, at: datetime | None = None) -> str:
    """A calendar with one event and an alarm: an hour before it, or at `at`.

    The day of a registry begins at a moment of its own zone, which a day in the reader's calendar does not tell.
    """
    trigger = f"TRIGGER;VALUE=DATE-TIME:{at.strftime(_STAMP)}" if at else "TRIGGER:-PT1H"
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Afterdrop//Listings//EN",
        "BEGIN:VEVENT",
        *event,
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"DESCRIPTION:{_text(alarm)}",
        trigger,
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
