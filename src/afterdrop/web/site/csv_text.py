"""A list as CSV that no spreadsheet takes for formulas. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, Final

_DANGEROUS: Final = ("=", "+", "-", "@", "\t", "\r")
_PLAIN: Final = ("domain", "tld", "status", "score", "verdict", "flags", "topic", "language", "title")
_METRICS: Final = (
    *("domain_rating", "referring_domains", "archive_years", "archive_first_year", "archive_last_year"),
    *("trust_flow", "citation_flow"),
)
_LISTING: Final = ("source", "type", "price_usd", "bids", "ends_at", "url")
COLUMNS: Final = (*_PLAIN, *_METRICS, *_LISTING, "found_at", "report_url")


def cell(value: Any) -> str:
    """A value as text; what a spreadsheet would run is quoted with an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, list):
        value = ", ".join(str(item) for item in value)
    text = str(value)
    return f"'{text}" if text.startswith(_DANGEROUS) else text


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Summaries, one a line, under the names the API gives the members."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = {**row, **row["metrics"], **row["listing"]}
        writer.writerow([cell(values.get(name)) for name in COLUMNS])
    return out.getvalue()
