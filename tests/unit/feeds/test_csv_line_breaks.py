"""Line breaks in quoted cells (RFC 4180 section 2.6), and quotes that are left open."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path

import pytest

from afterdrop.core.errors import FeedError
from afterdrop.feeds import csv_rows
from afterdrop.feeds.mapping import BadRow, Row
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.spec import read_spec
from tests.support.feed_inputs import BOUNDS, read, spec

FIELD = Path(__file__).resolve().parents[4] / "shared" / "real" / "field" / "20-csv"
HEADER = "name,price,note"


def told(text: str, header: str = HEADER, **layout: object) -> list[str]:
    """The domains of a file's rows; of a bad row its line and reason."""
    feed = spec(csv=layout) if layout else spec()
    found = read(feed, f"{header}\n{text}" if header else text)
    return [row.domain if isinstance(row, Row) else f"{row.line}:{row.reason}" for row in found]


@pytest.mark.parametrize("size", [1, 2, 500])
@pytest.mark.parametrize(
    "record",
    [
        'a.com,1,"two\nlines"',
        'a.com,1,"two\r\nlines"',
        'a.com,"1\n2","three ""quoted"" lines\n\n, with a comma"',
        '"a.com","x\n","\ny"',
        'a.com,"\n",',
    ],
)
def test_a_record_may_have_line_breaks_in_quoted_cells(
    record: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_rows, "BATCH", size)
    assert told(f"x.com,1,\n{record}\nb.com,2,\nc.com") == [
        "x.com",
        "a.com",
        "b.com",
        f"{_lines(record) + 5}:columns",
    ]
    assert told(f"{record}") == ["a.com"]


def _lines(record: str) -> int:
    return record.count("\n")


@pytest.mark.parametrize("size", [1, 2, 500])
@pytest.mark.parametrize(
    "stray",
    [
        'a.com,"1,x',
        '"a.com,1,x',
        'a.com,1,"x',
        'a.com,1,x"y,"',
        'a.com,1,"x\x00',
    ],
)
@pytest.mark.parametrize("after", ["b.com,2,y", 'b.com,2,"y"', 'b.com,2,y"', '"b.com",2,"y\nz"', 'b.com,2,"'])
def test_a_quote_left_open_costs_its_own_row_only(
    stray: str, after: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_rows, "BATCH", size)
    found = told(f"x.com,0,\n{stray}\n{after}\nc.com,3,z\nd.com,4,")
    assert found[:2] == ["x.com", "3:open_quote"]
    assert found[-2:] == ["c.com", "d.com"]
    assert found[2:-2] == (["4:open_quote"] if after.endswith(',"') else ["b.com"])


def test_other_widths_than_the_headers_are_not_joined() -> None:
    assert told('a.com,1,"x\ny",z\nb.com,2,') == ["2:open_quote", "3:columns", "b.com"]
    assert told('a.com,"x\ny"\nb.com,2,') == ["2:open_quote", "3:columns", "b.com"]
    assert told('"a.com\nb.com"\nc.com', "name") == ["2:open_quote", "3:domain_characters", "c.com"]


def test_a_record_has_so_many_lines_and_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "\n".join(["x"] * 98)
    assert told(f'a.com,1,"x\n{lines}"\nb.com,2,') == ["a.com", "b.com"]
    assert told(f'a.com,1,"x\n{lines}\n\n"\nb.com,2,')[0] == "2:open_quote"
    monkeypatch.setattr(csv_rows, "JOINED_CHARS", 20)
    assert told('a.com,1,"x\n12345678"\nb.com,2,') == ["a.com", "b.com"]
    assert told('a.com,1,"x\n1234567890123"\nb.com,2,') == ["2:open_quote", "3:columns", "b.com"]


def test_lines_that_were_looked_at_once_are_not_joined_again() -> None:
    """Each line goes on with the open quote of the one before, and opens one: a hundred times as much work."""
    found = told("\n".join(['x",y,"'] * 300))
    assert set(found) <= {f"{line}:open_quote" for line in range(2, 302)}
    assert len(found) == 300


def test_a_file_without_quotes_or_header_has_its_own_width() -> None:
    assert told('a.com;"x\nb.com;y', "", delimiter=";", columns=["name", "note"], quote=False) == [
        "a.com",
        "b.com",
    ]
    assert told('a.com;"x\ny"\nb.com;y', "", delimiter=";", columns=["name", "note"]) == ["a.com", "b.com"]


def test_what_the_preamble_says_is_no_place_of_a_name() -> None:
    layout = {"preamble": 1, "capture": {"day": r"for (\S+)"}}
    text = 'list for 2026-12-01\nname,note\na.com,"x\ny"\nb.com,z'
    assert told(text, "", **layout) == ["a.com", "b.com"]


def test_a_fault_of_the_file_comes_after_the_rows_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it is met while the second row is read on."""
    monkeypatch.setattr(csv_rows, "BATCH", 2)
    text = f'{HEADER}\na.com,1,\nb.com,2,"x\n{"y" * (2 << 20)}'
    rows: list[Row | BadRow] = []
    with pytest.raises(FeedError, match="longer than"):
        for batch in read_feed(spec(), io.BytesIO(text.encode()), BOUNDS):
            rows += batch.rows()
    assert [row.line for row in rows] == [2, 3]


@pytest.mark.skipif(not FIELD.is_dir(), reason="genuine documents are not on this machine")
def test_the_file_of_people_of_the_trade() -> None:
    feed = read_spec(tomllib.loads((FIELD / "two-lines-in-a-cell.toml").read_text("utf-8")), "field")
    found = read(feed, (FIELD / "two-lines-in-a-cell.csv").read_bytes())
    assert not [row for row in found if isinstance(row, BadRow)]
    assert [(row.domain, int(row.price or 0)) for row in found if isinstance(row, Row)] == [
        ("alpine-hut.com", 10),
        ("old-mill.org", 20),
    ]
