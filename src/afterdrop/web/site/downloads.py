"""Files the site hands out: a list as CSV, and a revival kit as a zip of Markdown. Pure."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any, Final
from urllib.parse import unquote

from afterdrop.delivery.mail.message import one_line
from afterdrop.desk.rules import UNMARKED, Marks
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


def csv_text(rows: Iterable[Mapping[str, Any]], marks: Mapping[str, Marks]) -> str:
    """Domain summaries, one a line, under the names the API gives the members, with the reader's tags and notes.

    A row may lack all members but `domain`, where the reader may not see more.
    """
    marked = (
        {**row, "tags": list(own.tags), "note": own.note}
        for row in rows
        for own in [marks.get(row["domain"], UNMARKED)]
    )
    return head_line(CSV_COLUMNS) + csv_lines(marked, CSV_COLUMNS)


def kit_zip(domain: str, pages: Iterable[Mapping[str, Any]]) -> bytes:
    """`index.md`, and a file named after its path for each page whose text is stored.

    Only letters, digits and hyphens of the old site's paths become names, so that none leads out of the folder.
    """
    out = io.BytesIO()
    index, names = [f"# Old pages of {domain}", ""], {"index"}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for page in pages:
            has_text = page.get("content") is not None
            about = (
                f"{one_line(page['url'], 2000)} ({page['captures']} captures, last {page['last_capture']})"
            )
            name = f"{_unused(entry_name(page['path']), names)}.md" if has_text else "no text stored"
            index.append(f"- {name}: {about}")
            if has_text:
                head = f"Source: {one_line(page['url'], 2000)}\nArchived: {one_line(page['webarchive_url'], 2000)}\n\n"
                _add(archive, name, head + page["content"] + "\n")
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
