"""JSON arrays as streams: the same rows however the bytes are cut, and every kind of damage."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterdrop.core.errors import FeedError
from afterdrop.core.safe_text import storable
from afterdrop.feeds import json_xml_rows
from afterdrop.feeds.containers import CHUNK
from afterdrop.feeds.json_xml_rows import Unreadable, array_slices
from afterdrop.feeds.mapping import Row
from afterdrop.feeds.spec import FeedSpec
from tests.support.feed_inputs import Pieces, in_pieces, read, spec


def taken(data: bytes, path: str = "", size: int = 1 << 18) -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_xml_rows, "CHUNK", size)
        return [
            item.text if isinstance(item, Unreadable) else item
            for item in chain.from_iterable(array_slices(in_pieces(data, size), path, "sample"))
        ]


HARD = [
    {"a": 'brace } in "text" {', "b": [1, {"c": "]"}]},
    {"a": "end\\", "b": '\\"}'},
    {},
    {"é": "ü", "n": None, "x": 1.5e3},
]


@pytest.mark.parametrize("size", [1, 2, 7, 64, 100_000])
@pytest.mark.parametrize(
    ("document", "path"),
    [
        (HARD, ""),
        ({"data": HARD}, "data"),
        ({"meta": {"data": [{"no": 1}], "s": "data"}, "data": HARD, "after": [1]}, "data"),
        ({"reply": {"code": 300, "body": HARD}}, "reply.body"),
    ],
)
def test_the_rows_of_the_array(document: Any, path: str, size: int) -> None:
    assert taken(json.dumps(document).encode(), path, size) == HARD
    assert taken(json.dumps(document, indent=3, ensure_ascii=False).encode(), path, size) == HARD


@given(st.lists(st.dictionaries(st.text(max_size=8), st.text() | st.integers(-9, 9) | st.booleans())))
@settings(max_examples=60, deadline=None)
def test_any_rows_in_any_pieces(rows: list[dict[str, Any]]) -> None:
    data = json.dumps({"x": "]", "data": rows}).encode()
    for size in (3, 50):
        assert taken(data, "data", size) == storable(rows)


def test_blanks_and_a_byte_order_mark() -> None:
    assert taken(b'\xef\xbb\xbf { "data"  :\n [ \n] }', "data") == []
    assert taken(b'{"data" : [{"a": 1} , {"a": 2}\n]}', "data") == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("size", [1, 5, 100_000])
def test_broken_rows_are_counted_apart_from_good_ones(size: int) -> None:
    data = b'[{"a": 1}, {bad}, {"a": 2}, 7, "text", null, [1, 2], {"a": 3}]'
    rows = taken(data, "", size)
    assert [row for row in rows if isinstance(row, dict)] == [{"a": 1}, {"a": 2}, {"a": 3}]
    rest = b" ".join(row for row in rows if isinstance(row, bytes)).replace(b" ", b"")
    assert all(part in rest for part in (b"{bad}", b"7", b"text", b"null", b"[1,2]"))


@pytest.mark.parametrize("end", [b"", b'{"a": 1}', b'{"a": 1},', b'{"a": "tex', b'{"a": "te\\'])
def test_cut_off(end: bytes) -> None:
    with pytest.raises(FeedError, match="cut off"):
        taken(b'{"data":[' + end, "data", 4)


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"<html>not json</html>",
        b'{"data": {"rows": []}}',
        b'{"other": []}',
        b'{"data": 5}',
        b'}{"data": []',
        b'{"a": "unclosed',
        b"[[" * 200,
        b'{"data',
    ],
)
def test_a_missing_array_is_an_error(document: bytes) -> None:
    with pytest.raises(FeedError, match="no JSON array at data"):
        taken(document, "data")
    with pytest.raises(FeedError, match="no JSON array at its top"):
        taken(b'{"x": 1}')


def test_an_endless_preamble_and_an_endless_row_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_xml_rows, "MAX_PREAMBLE", 1 << 19)
    with pytest.raises(FeedError, match="no JSON array"):
        taken(b'{"x": "' + b"y" * (1 << 20) + b'", "data": []}', "data", 1 << 16)
    monkeypatch.setattr(json_xml_rows, "MAX_OBJECT", 1 << 10)
    with pytest.raises(FeedError, match="broken beyond repair"):
        taken(b'[{"a": "' + b"y" * (1 << 20), "", 1 << 16)


def test_a_preamble_longer_than_one_read() -> None:
    data = b'{"x": "' + b"y" * (1 << 19) + b'", "data": [{"a": 1}]}'
    assert taken(data, "data", 1 << 16) == [{"a": 1}]


def test_the_document_is_read_to_its_end() -> None:
    stream = Pieces(b'[{"a": 1}]' + b" " * CHUNK, b" ", b" ")
    assert list(chain.from_iterable(array_slices(stream, "", "f"))) == [{"a": 1}]
    assert stream.read() == b""


BIG = ("73786976294838206465", "73786976294838206466")


def keys(feed: FeedSpec, text: str) -> list[Any]:
    """The keys of the rows of a feed file."""
    return [row.key if isinstance(row, Row) else row.reason for row in read(feed, text)]


def keyed(fmt: str, name: str = "id", **more: Any) -> FeedSpec:
    """A feed of JSON rows with ids."""
    fields = {"domain": "name", "type": {"const": "bid"}, "external_id": {"from": name, **more}}
    return spec(format=fmt, fields=fields)


@pytest.mark.parametrize("fmt", ["json", "ndjson"])
@pytest.mark.parametrize(
    ("written", "key"),
    [
        (BIG[0], BIG[0]),
        (f"-{BIG[0]}", f"-{BIG[0]}"),
        ("9007199254740993.0", "9007199254740993.0"),
        ("9.00719925474099312E+15", "9.00719925474099312E+15"),
        ("0.1000000000000000000001", "0.1000000000000000000001"),
        # as ever
        ("18446744073709551615", "18446744073709551615"),
        ("12.0", "12.0"),
        ("1.5", "1.5"),
        (f'"{BIG[1]}"', BIG[1]),
        ('"12.0"', "12.0"),
        ("true", "True"),
        ("null", "a.com"),
    ],
)
def test_an_id_has_the_digits_of_the_file(fmt: str, written: str, key: str) -> None:
    row = f'{{"name": "a.com", "id": {written}}}'
    assert keys(keyed(fmt), f"[{row}]" if fmt == "json" else row) == [key]


def test_ids_in_members_of_members_and_behind_broken_rows() -> None:
    rows = [f'{{"name": "a.com", "lot": {{"id": {big}}}}}' for big in BIG]
    assert keys(keyed("json", "lot.id"), f"[{', '.join(rows)}]") == [*BIG]
    broken = f'[{rows[0]}, 7, {{"name": "b.com", "lot": {{"id": NaN}}}}, {{"name": "c.com"}}, {rows[1]}]'
    assert keys(keyed("json", "lot.id"), broken) == [BIG[0], "unreadable", "unreadable", "c.com", BIG[1]]
    assert keys(keyed("json", "lot.id"), f"[{rows[0]}, 7, {rows[1]}]") == [BIG[0], "unreadable", BIG[1]]
    odd = f'{{"name": "a.com", "lot": [1]}}, {rows[1]}'
    assert keys(keyed("json", "lot.id"), f"[{odd}]") == ["a.com", BIG[1]]


def test_a_row_that_nests_too_deep_for_its_digits_keeps_the_number() -> None:
    deep = "[" * 1000 + "]" * 1000
    (key,) = keys(keyed("ndjson"), f'{{"name": "a.com", "id": {BIG[0]}, "deep": {deep}}}')
    assert key == str(float(BIG[0]))


@pytest.mark.parametrize("fmt", ["json", "ndjson", "csv"])
def test_ids_read_as_numbers_keep_their_digits(fmt: str) -> None:
    for step, wanted in (("number", BIG[0]), ("int", BIG[0])):
        feed = keyed(fmt, convert=[step])
        row = f'{{"name": "a.com", "id": {BIG[0]}}}'
        texts = {"json": f"[{row}]", "ndjson": row, "csv": f"name,id\na.com,{BIG[0]}"}
        assert keys(feed, texts[fmt]) == [wanted]


def test_a_small_id_read_as_a_number_is_as_ever() -> None:
    assert keys(keyed("csv", convert=["number"]), "name,id\na.com,12") == ["12.0"]


def test_other_numbers_are_as_ever() -> None:
    feed = spec(
        format="json",
        fields={
            "domain": "name", "type": {"const": "bid"}, "external_id": "id",
            "price": {"from": "p", "convert": ["number"]}, "bids": {"from": "b", "convert": ["int"]},
        },
    )  # fmt: skip
    (row,) = read(feed, f'[{{"name": "a.com", "id": {BIG[0]}, "p": 1.50, "b": 3.0}}]')
    assert isinstance(row, Row)
    assert (row.key, row.price, row.bids) == (BIG[0], Decimal("1.5"), 3)


@pytest.mark.parametrize("fmt", ["json", "ndjson"])
def test_texts_can_be_stored(fmt: str) -> None:
    row = r'{"name": "a.com", "id": "l\u00002", "x": ["\\u0000"]}'
    (found,) = read(keyed(fmt), f"[{row}]" if fmt == "json" else row)
    assert isinstance(found, Row)
    assert found.key == "l\ufffd2"
