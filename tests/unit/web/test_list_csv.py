"""Summaries as lines of CSV."""

from __future__ import annotations

import csv
import io

from afterdrop.web.list_csv import SUMMARY_COLUMNS, csv_lines, head_line


def test_a_line_has_the_members_in_the_order_of_the_columns() -> None:
    row = {
        "domain": "a.com", "title": '=1,"x"', "flags": ["parked", "gap"], "score": 7,
        "metrics": {"domain_rating": None, "archive_years": 3}, "listing": {"price_usd": 0, "source": "market"},
    }  # fmt: skip
    (cells,) = csv.reader(io.StringIO(csv_lines([row])))
    shown = dict(zip(SUMMARY_COLUMNS, cells, strict=True))
    assert {name: text for name, text in shown.items() if text} == {
        "domain": "a.com", "title": '\'=1,"x"', "flags": "parked, gap", "score": "7", "archive_years": "3",
        "price_usd": "0", "source": "market",
    }  # fmt: skip


def test_a_row_may_be_a_name_alone() -> None:
    assert head_line(("domain", "tags")) + csv_lines(
        [{"domain": "a.com", "tags": []}], ("domain", "tags")
    ) == ("domain,tags\r\na.com,\r\n")
