"""Whole small files through every format, with the rows that cannot be used."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from afterdrop.core.errors import FeedError
from afterdrop.feeds.mapping import BadRow, Row
from afterdrop.feeds.parse import SeenColumns, read_feed
from tests.support.feed_inputs import BOUNDS, good, read, rows_of, spec

FIELDS = {"domain": "name", "type": {"const": "bid"}, "ends_at": {"from": "end", "convert": ["iso"]}}
END = datetime(2026, 12, 1, 16, tzinfo=UTC)


def domains(found: Any) -> list[str]:
    return [row.domain if not isinstance(row, BadRow) else f"{row.line}:{row.reason}" for row in found]


def test_csv_with_header_quotes_and_short_or_long_rows() -> None:
    text = (
        '\ufeff Name ,End\r\n"a.com",2026-12-01T16:00:00Z\r\n\r\nb.com\r\nc.com,2026-12-01T16:00:00Z,\r\n'
        "d.com,2026-12-01T16:00:00Z,extra\r\ne.com,later\r\n"
    )
    found = read(spec(fields=FIELDS), text)
    assert domains(found) == ["a.com", "4:columns", "c.com", "6:columns", "7:ends_at"]
    assert found[0].line == 2
    assert [row.ends_at for row in found if not isinstance(row, BadRow)] == [END, END]


def test_csv_without_header_pads_short_rows_and_cuts_long_ones() -> None:
    layout = {"delimiter": ";", "columns": ["name", "end"], "quote": False}
    text = 'a.com;2026-12-01T16:00:00Z;more;\nb.com\n"c.com";\n'
    fields = {**FIELDS, "type": {"const": "buy_now"}}
    assert domains(read(spec(fields=fields, csv=layout), text)) == ["a.com", "b.com", "3:domain_characters"]


def test_csv_comments_replacements_and_preamble() -> None:
    layout = {
        "comment": "#",
        "replace": {"&#163;": "GBP"},
        "preamble": 2,
        "capture": {"day": r"^as of (\d{4}-\d{2}-\d{2})", "no": r"(never)"},
        "columns": ["name", "currency"],
    }
    fields = {
        "domain": "name",
        "type": {"const": "pending_delete"},
        "currency": "currency",
        "ends_at": {"from": ["@no", "@day"], "convert": ["date_only"]},
    }
    feed = spec(fields=fields, csv=layout)
    found = good(feed, "as of 2026-11-20\nas of 2026-11-19\n# a.com,x\nb.org,&#163;\n")
    assert [(row.domain, row.currency, row.ends_at) for row in found] == [
        ("b.org", "GBP", datetime(2026, 11, 20, 23, 59, 59, tzinfo=UTC))
    ]
    assert read(feed, "as of 2026-11-20") == []
    with pytest.raises(
        FeedError, match=r"no @day or @no in its first lines; it begins with 'Resource load error\.'"
    ):
        read(feed, "Resource load error.")


def test_csv_preamble_up_to_the_header() -> None:
    feed = spec(csv={"header_starts": "name"})
    assert domains(read(feed, "List of today\n\nNAME,x\na.com,1\n")) == ["a.com"]
    with pytest.raises(FeedError, match="no header line starting with 'name'"):
        read(feed, "List of today\na.com\n")


def test_a_cell_too_large_is_one_bad_row() -> None:
    text = 'name\na.com\n"' + "x" * (csv.field_size_limit() + 10) + '"\nb.com\n'
    assert domains(read(spec(), text)) == ["a.com", "3:unreadable", "b.com"]
    with pytest.raises(FeedError, match="no readable header line"):
        read(spec(), '"' + "x" * (csv.field_size_limit() + 10) + '"\n')


def test_lines_of_separators_alone_are_no_header() -> None:
    with pytest.raises(FeedError, match="it has no header line"):
        read(spec(), ",,\n,\n")


def test_a_header_with_an_open_quote_is_no_header() -> None:
    with pytest.raises(FeedError, match=r"no readable header line \(open_quote\)"):
        read(spec(), 'name,"price\na.com,9\n')


def test_json_rows() -> None:
    feed = spec(format="json", json={"path": "reply.body"}, fields=FIELDS)
    rows_ = [{"name": "A.com", "end": "2026-12-01T16:00:00Z"}, {"name": None}, {"name": "b.com"}]
    found = read(feed, json.dumps({"reply": {"body": rows_}}))
    assert domains(found) == ["a.com", "2:domain_empty", "3:ends_at"]
    feed = spec(format="json", json={"path": "reply.body"})
    broken = read(feed, '{"reply":{"body":[{"name":"a.com"},{"name":}]}}')
    assert broken[1] == BadRow("unreadable", 2, '{"name":}')


def test_ndjson_rows() -> None:
    found = read(spec(format="ndjson"), '{"name":"a.com"}\n\n{"name"\n[1]\n{"name":"b.com"}')
    assert domains(found) == ["a.com", "3:unreadable", "4:unreadable", "b.com"]


@pytest.mark.parametrize(
    ("changes", "data"),
    [
        ({}, b"name,more\na.com,1\n"),
        ({"format": "ndjson"}, b'{"name":"a.com","more":1}'),
        ({"format": "json"}, b'[{"name":"a.com","more":1}]'),
        ({"format": "xml", "xml": {"row": "r"}}, b"<l><r><name>a.com</name><more>1</more></r></l>"),
    ],
)
def test_the_columns_of_the_file_are_seen(changes: dict[str, Any], data: bytes) -> None:
    seen = SeenColumns()
    assert domains(rows_of(read_feed(spec(**changes), io.BytesIO(data), BOUNDS, seen=seen))) == ["a.com"]
    assert list(seen.columns) == ["name", "more"]


def test_seen_columns_are_bounded() -> None:
    seen = SeenColumns()
    seen.add(f"c{number}" for number in range(1000))
    assert len(seen.columns) == 500


LOTS = "Domain,Price,Bids"


@pytest.mark.parametrize(
    "again",
    [
        LOTS,
        f"\ufeff{LOTS}",
        LOTS.lower(),
        LOTS.upper(),
        "Domain, Price ,Bids",
        '"Domain","Price","Bids"',
        'Domain,"Price",bids',
        f"{LOTS}\r",
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_header_lines_between_rows_are_no_rows(again: str, quoted: bool) -> None:
    feed = spec(fields={"domain": "Domain", "type": {"const": "bid"}})
    first = '"a.com",1,2' if quoted else "a.com,1,2"
    found = read(feed, f"{LOTS}\n{first}\n{again}\n{again}\nb.com,1,2\n{again}\n")
    assert [(row.line, row.domain) for row in found if isinstance(row, Row)] == [(2, "a.com"), (5, "b.com")]
    assert len(found) == 2


@pytest.mark.parametrize("row", ["Domain,5,6", "Domain,Price,Ends", "Domain,Price", "price,Domain,bids"])
def test_rows_like_a_header_are_rows(row: str) -> None:
    feed = spec(fields={"domain": "Domain", "type": {"const": "bid"}})
    found = read(feed, f"{LOTS}\na.com,1,2\n{row}\n")
    assert isinstance(found[1], BadRow)


def test_header_lines_where_the_feed_file_names_the_columns_or_none_names_the_domain() -> None:
    fields = {"domain": "domain", "type": {"const": "bid"}, "bids": "@count"}
    one = spec(csv={"columns": ["domain"]}, fields=fields)
    assert [row.line for row in read(one, "domain\na.com\n\nDomain\nb.com")] == [2, 5]
    captured = spec(csv={"preamble": 1, "capture": {"date": "(.*)"}}, fields={**fields, "domain": "@date"})
    assert [type(row) for row in read(captured, "a.com\nx,y\nx,y\n1,2\n")] == [Row, Row]
    with_date = spec(csv={"preamble": 1, "capture": {"date": "(.*)"}}, fields=fields | {"bids": "n"})
    assert [row.line for row in read(with_date, "5\ndomain,n\na.com,1\ndomain,n\nb.com,2\n")] == [3, 5]
