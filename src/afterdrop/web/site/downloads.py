"""Files the site hands out: a list as CSV, and a revival kit as a zip of Markdown. Pure."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any, Final

from afterdrop.delivery.mail.message import one_line

_DANGEROUS: Final = ("=", "+", "-", "@", "\t", "\r")
_PLAIN: Final = ("domain", "tld", "status", "score", "verdict", "flags", "topic", "language", "title")
_METRICS: Final = (
    *("domain_rating", "referring_domains", "archive_years", "archive_first_year", "archive_last_year"),
    *("trust_flow", "citation_flow"),
)
_LISTING: Final = ("source", "source_title", "type", "price_usd", "bids", "ends_at", "url")
CSV_COLUMNS: Final = (*_PLAIN, *_METRICS, *_LISTING, "found_at", "report_url")
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


def cell(value: Any) -> str:
    """A value as text. An apostrophe keeps a spreadsheet from running what looks like a formula."""
    if value is None:
        return ""
    if isinstance(value, list):
        value = ", ".join(str(item) for item in value)
    text = str(value)
    return f"'{text}" if text.startswith(_DANGEROUS) else text


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Domain summaries, one a line, under the names the API gives the members."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    for row in rows:
        values = {**row, **row["metrics"], **row["listing"]}
        writer.writerow([cell(values.get(name)) for name in CSV_COLUMNS])
    return out.getvalue()


def kit_zip(domain: str, pages: Iterable[Mapping[str, Any]]) -> bytes:
    """`index.md`, and `page-01.md` … for the pages whose text is stored.

    The names of entries are ours: nothing of the old site becomes a path.
    """
    out = io.BytesIO()
    index = [f"# Old pages of {domain}", ""]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, page in enumerate(pages, 1):
            name = f"page-{number:02}.md"
            has_text = page.get("content") is not None
            about = (
                f"{one_line(page['url'], 2000)} ({page['captures']} captures, last {page['last_capture']})"
            )
            index.append(f"- {name if has_text else 'no text stored'}: {about}")
            if has_text:
                head = f"Source: {one_line(page['url'], 2000)}\nArchived: {one_line(page['webarchive_url'], 2000)}\n\n"
                _add(archive, name, head + page["content"] + "\n")
        _add(archive, "index.md", "\n".join(index) + "\n")
    return out.getvalue()


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, date_time=_ZIP_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, text)
