"""Domain summaries as lines of CSV. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

# Where a spreadsheet may read the beginning of a formula: at the start, and after what separates cells where lists are
# separated by semicolons. The signs are OWASP's ("CSV Injection"); wide forms count, as some programs fold them.
_FORMULA: Final = re.compile(r"(^|[;\t]\s*)(?=[=+\-@\t\r\n＝＋－＠])")
_PLAIN: Final = ("domain", "tld", "status", "score", "verdict", "flags", "topic", "language", "title")
_METRICS: Final = (
    "domain_rating", "referring_domains", "archive_years", "archive_first_year", "archive_last_year",
    "trust_flow", "citation_flow",
)  # fmt: skip
_LISTING: Final = ("source", "source_title", "type", "price_usd", "bids", "ends_at", "certain", "url")
_FACTS: Final = ("valuation_usd", "search_volume", "cost_per_click_usd", "extensions_taken", "adult")
SUMMARY_COLUMNS: Final = (
    *_PLAIN,
    *_METRICS,
    *_LISTING,
    "found_at",
    "report_url",
    *_FACTS,
    "conclusion",
    "opens_at",
)


def cell(value: Any) -> str:
    """A value as text. An apostrophe keeps a spreadsheet from running what looks like a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        value = ", ".join(str(item) for item in value)
    return _FORMULA.sub(r"\1'", str(value))


def csv_lines(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = SUMMARY_COLUMNS) -> str:
    """Domain summaries, one a line, by the names the API gives the members.

    A row may lack members, where the reader may not see more.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        values = {**row, **row.get("metrics", {}), **row.get("listing", {}), **row.get("facts", {})}
        writer.writerow([cell(values.get(name)) for name in columns])
    return out.getvalue()


def head_line(columns: Sequence[str] = SUMMARY_COLUMNS) -> str:
    """The names of the columns."""
    return ",".join(columns) + "\r\n"
