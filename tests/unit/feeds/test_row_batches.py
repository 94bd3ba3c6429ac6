"""Rows read many at once are those read one by one, bad ones with reason and sample included."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterdrop.core.domain_names import plain_domains, registrable_domain
from afterdrop.core.errors import BadName, FeedError
from afterdrop.core.json_values import Json
from afterdrop.feeds import csv_rows, parse, row_batches
from afterdrop.feeds.mapping import BadRow, Row
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.row_batches import FeedColumn
from afterdrop.feeds.spec import FeedSpec
from tests.support.feed_inputs import BOUNDS, spec

FIELDS: dict[str, Any] = {
    "domain": "name",
    "type": {"from": "kind", "map": {"B": "bid", "D": "pending_delete", "N": "buy_now"}},
    "external_id": {"from": "link", "convert": [r"regex:/(\d++)(?:[?#].*)?$"]},
    "url": "link",
    "price": {"from": ["price", "bid.now"], "convert": ["dash_is_null", "money"], "optional": True},
    "currency": {"from": "cur", "optional": True},
    "bids": {"from": "bids", "convert": ["int"], "optional": True},
    "ends_at": {"from": "end", "convert": ["iso"]},
}
METRICS: dict[str, Any] = {
    "trust_flow": "tf",
    "backlinks": {"from": ["bl", "bl2"], "optional": True},
    "domain_rating": "absent",
}
NAMES = st.one_of(
    st.sampled_from(
        [
            "a.com",
            "B.Com",
            " c.co.uk ",
            "www.d.com",
            "e.uk.com",
            "co.uk",
            "f.xn--p1ai",
            "XN--N3H.net",
            "xn---n3h.net",
            "bücher.de",
            "-g.com",
            "",
        ]
    ),
    st.text("ab-.0K ", max_size=9).map("{}.com".format),
)
LINKS = st.one_of(
    st.integers(0, 9).map("https://x.com/{}?a=b".format),
    st.sampled_from(
        ["", "HTTP://x.com/7", "ftp://x.com/8", "https://x.com/a b", "https://x.com/é/5", "x" * 600]
    ),
    st.sampled_from(
        ["https://x.com/\u200b1", "https://x.com/" + "9" * 520, "http://", "https://x.com/" + "y" * 2100]
    ),
)
CELLS: dict[str, st.SearchStrategy[str]] = {
    "name": NAMES,
    "kind": st.sampled_from(["B", "D", "N", "N", "?", ""]),
    "link": LINKS,
    "price": st.sampled_from(["$1,234", "5.00", "€7", "-", "", "1.234", "USD 3", "much"]),
    "cur": st.sampled_from(["USD", "eur", "", "$"]),
    "bids": st.sampled_from(["0", "7", "", "1,000", "-1", "x", "3000000000"]),
    "end": st.sampled_from(["2026-12-01T10:00:00Z", "2026-12-01T10:00:00", "", "soon", "2026-12-01"]),
    "tf": st.sampled_from(["12", "", "-1", "x", "101", "7.6"]),
    "bl": st.sampled_from(["5", "", "many"]),
    "bl2": st.sampled_from(["6", ""]),
}
ROWS = st.lists(st.fixed_dictionaries(CELLS), max_size=12)
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.lists(st.integers(), max_size=2),
    st.just({"now": "$3"}),
)


def feed(kind: str, **more: Any) -> FeedSpec:
    return spec(format=kind, fields=FIELDS, metrics=METRICS, **more)


def both(described: FeedSpec, data: bytes) -> tuple[list[Row | BadRow | str], list[Row | BadRow | str]]:
    """The rows one by one and many at once, with the fault that ends the file."""
    single: list[Row | BadRow | str] = []
    together: list[Row | BadRow | str] = []
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_rows, "BATCH", 1)
            patch.setattr(parse, "BATCH", 1)
            for batch in read_feed(described, io.BytesIO(data), BOUNDS):
                single.extend(batch.rows())
    except FeedError as fault:
        single.append(str(fault))
    try:
        for batch in read_feed(described, io.BytesIO(data), BOUNDS):
            found = [batch.row(place) for place in range(len(batch))]
            together.extend(found)
            plain = [one for place, one in enumerate(found) if place not in batch.alone]
            assert all(isinstance(one, Row) and one.notes == batch.missing for one in plain)
            usable = [place for place in range(len(batch)) if isinstance(batch.row(place), Row)]
            rows = [row for place in usable if isinstance(row := batch.row(place), Row)]
            assert [(batch.domains[place], batch.keys[place]) for place in usable] == [
                (row.domain, row.key) for row in rows
            ]
            ends = [row.ends_at for row in rows]
            assert batch.ends_of(usable) == {end: ends.count(end) for end in ends}
    except FeedError as fault:
        together.append(str(fault))
    return single, together


@settings(max_examples=150, deadline=None)
@given(ROWS, st.booleans(), st.sampled_from([1, 3, 1000]), st.lists(st.integers(0, 11), max_size=2))
def test_lines(rows: list[dict[str, str]], quote: bool, size: int, odd: list[int]) -> None:
    written = [
        ";".join(f'"{cell}"' if quote and ";" in cell else cell for cell in row.values()) for row in rows
    ]
    for place in odd:
        written[place:place] = ["", "  ", "too;few", ";" * 12, '"open;' + ";" * 8]
    columns = [name for name in CELLS]
    data = "\r\n".join([";".join([*columns, "more"]), *written]).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "BATCH", size)
        single, together = both(feed("csv", csv={"delimiter": ";", "quote": quote}), data)
    assert single == together


@settings(max_examples=150, deadline=None)
@given(
    ROWS,
    st.lists(st.tuples(st.sampled_from([*CELLS, "bid", "more"]), ODD), max_size=3),
    st.sampled_from(["]", ""]),
)
def test_objects(rows: list[dict[str, Any]], odd: list[tuple[str, Any]], end: str) -> None:
    objects: list[Any] = [dict(row) for row in rows]
    for row, (name, value) in zip(objects, odd, strict=False):
        row[name] = value
    for row, (name, _) in zip(reversed(objects), odd, strict=False):
        row.pop(name, None)
    texts = [json.dumps(one) for one in objects]
    texts[2:2] = ["7", "[1]", '{"a": }'] if len(odd) > 2 else []
    data = ("[" + ",".join(texts) + end).encode()
    single, together = both(feed("json"), data)
    assert single == together


@given(ROWS)
def test_lines_of_objects_and_files_without_some_columns(rows: list[dict[str, str]]) -> None:
    data = "\n\n".join(json.dumps(row) for row in rows).encode()
    single, together = both(feed("ndjson"), data)
    assert single == together
    header = ["kind", "name", "link", "end"]
    text = "\n".join([",".join(header), *(",".join(row[name] for name in header) for row in rows)])
    single, together = both(feed("csv", csv={"quote": False}), text.encode())
    assert single == together


def test_a_preamble_a_day_without_an_hour_and_an_address_made_of_the_name() -> None:
    described = spec(
        format="csv",
        csv={"preamble": 1, "capture": {"day": r"for (\S+)"}},
        fields={
            "domain": "name",
            "type": {"const": "pending_delete"},
            "url": {"template": "https://x.com/{domain}"},
            "ends_at": {"from": "@day", "convert": ["date_only"]},
        },
    )
    single, together = both(
        described, b"list for 2026-12-01\nname\na.com\nb.de\nwww.c.com\n\nd.xn--p1ai\n-\n"
    )
    assert single == together
    assert len({row.ends_at for row in together if isinstance(row, Row)}) > 1


@given(
    st.lists(
        NAMES | st.sampled_from(["x.kobe.jp", "city.kobe.jp", "a.b.ck", "www.ck", "local.test"]) | st.none()
    )
)
def test_plain_names_are_spelled_as_single_ones(names: list[str | None]) -> None:
    for name, plain in zip(names, plain_domains(names), strict=True):
        try:
            single = registrable_domain(name or "")
        except BadName:
            single = None
        assert plain is None or (plain == single and len(plain) == len(name or ""))


def test_rows_before_the_fault_of_a_file_are_read() -> None:
    described = feed("csv", csv={"quote": True})
    header, row = ",".join(CELLS), "a.com,B,https://x.com/1,5,USD,0,2026-12-01T10:00:00Z,1,,"
    single, together = both(described, f"{header}\n{row}\n{'x' * (3 << 20)}".encode())
    assert single == together
    assert len(together) == 2
    blank = f'{header}\n{row}\n""\n{row}\n{" " * (1 << 19)}\n{row}\n'
    single, together = both(described, blank.encode())
    assert single == together
    assert len(together) == 3


def test_many_blank_lines_end_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "BATCH_CHARS", 50)
    single, together = both(spec(), ("name\n" + " \n" * 200 + "a.com\n").encode())
    assert single == together
    assert len(together) == 1


def test_what_is_remembered_of_a_column_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_batches, "REMEMBERED", 3)
    described = spec(
        fields={"domain": "name", "type": {"const": "bid"}, "price": {"from": "p", "convert": ["money"]}}
    )
    rows = [f"a{number}.com,{number}" for number in range(9)] + [f"b.com,{'0' * 100}7"] * 2
    single, together = both(described, "\n".join(["name,p", *rows]).encode())
    assert single == together
    monkeypatch.undo()
    single, together = both(described, "\n".join(["name,p", *rows]).encode())
    assert single == together


def test_each_different_cell_of_json_is_read_once_and_true_is_not_one() -> None:
    asked: list[Json] = []

    def read(cells: Sequence[Json]) -> str:
        asked.append(cells[0])
        return repr(cells[0])

    column = FeedColumn(read, ["c"], texts=False)
    batches: list[list[Json]] = [
        [True, False, None],
        [1, 0, None],
        [1.0, 0.5, "x"],
        [True, 1, 1.0],
        [[1], {}],
    ]
    for batch in batches:
        cells = {"c": [*batch, *batch]}
        assert column.read(cells.__getitem__, 2 * len(batch)) == list(map(repr, cells["c"]))
    remembered, alone = batches[:3], batches[3:]
    told = [cell for batch in [*remembered, *alone, *alone] for cell in batch]
    assert sorted(map(repr, asked)) == sorted(map(repr, told))
