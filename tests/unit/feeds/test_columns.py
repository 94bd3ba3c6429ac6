"""A feed file that lacks a column of its description: refused if an offer needs the column, else noted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from afterdrop.core.errors import FeedError
from tests.support.feed_inputs import good, read, spec

FIELDS: dict[str, Any] = {
    "domain": "name",
    "type": {"const": "buy_now"},
    "external_id": "id",
    "url": "link",
    "price": {"from": ["price", "bid.now"], "convert": ["money"]},
    "currency": "cur",
    "bids": "bids",
    "ends_at": {"from": "end", "convert": ["iso"]},
}
ROW: dict[str, Any] = {
    "name": "a.com",
    "id": "1",
    "link": "https://x.com/1",
    "price": "$1",
    "cur": "USD",
    "bids": 0,
    "end": None,
    "tf": 7,
}
METRICS = {"trust_flow": "tf"}


def document(kind: str, rows: list[dict[str, Any]]) -> str:
    if kind == "csv":
        columns = list(dict.fromkeys(name for row in rows for name in row))
        return "\n".join(
            [",".join(columns), *(",".join(str(row.get(c) or "") for c in columns) for row in rows)]
        )
    if kind == "ndjson":
        return "\n\n".join(json.dumps(row) for row in rows)
    if kind == "json":
        return json.dumps(rows)
    cells = ("".join(f"<{name}>{value}</{name}>" for name, value in row.items()) for row in rows)
    return f"<l>{''.join(f'<r>{row}</r>' for row in cells)}</l>"


def feed(kind: str, fields: dict[str, Any] = FIELDS) -> Any:
    return spec(
        format=kind, fields=fields, metrics=METRICS, **({"xml": {"row": "r"}} if kind == "xml" else {})
    )


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in ROW.items() if name not in names}


@pytest.mark.parametrize("kind", ["csv", "json", "ndjson"])
@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("name", "no column name for the domain"),
        ("id", "no column id for the id"),
        ("link", "no column link for the address"),
        ("price", r"no column price or bid\.now for the price"),
        ("cur", "no column cur for the currency"),
        ("end", "no column end for the end"),
    ],
)
def test_a_file_that_lacks_a_column_of_offers_is_refused(kind: str, column: str, told: str) -> None:
    assert len(good(feed(kind), document(kind, [ROW, ROW]))) == 2
    with pytest.raises(FeedError, match=f"has {told}; it has .*tf.*optional = true"):
        read(feed(kind), document(kind, [without(column)] * 3))
    allowed = {name: {**(to if isinstance(to, dict) else {"from": to})} for name, to in FIELDS.items()}
    for source in allowed.values():
        source.update({"optional": True} if "from" in source else {})
    if column != "name":
        assert len(good(feed(kind, allowed), document(kind, [without(column)] * 3))) == 3


def test_every_missing_column_is_named_at_once() -> None:
    with pytest.raises(
        FeedError, match=r"no column price or bid\.now for the price and no column end for the end; it"
    ):
        read(feed("csv"), document("csv", [without("price", "end")]))


def test_a_member_in_one_record_is_enough() -> None:
    rows = [without("price", "end")] * 3 + [{**without("price"), "bid": {"now": "$5"}}]
    assert [row.price for row in good(feed("json"), document("json", rows))][2:] == [None, 5]
    with pytest.raises(FeedError, match="no column price"):
        read(feed("json"), document("json", [{**without("price"), "bid": {"then": "$5"}}]))
    with pytest.raises(FeedError, match="no column price"):
        read(feed("json"), document("json", [{**without("price"), "bid": 5}]))


def test_xml_rows_are_checked_too() -> None:
    rows = [{**ROW, "end": "2026-12-01T16:00:00Z"}]
    assert len(good(feed("xml"), document("xml", rows))) == 1
    with pytest.raises(FeedError, match="no column end for the end"):
        read(feed("xml"), document("xml", [without("end")]))


@pytest.mark.parametrize(("kind", "text"), [("json", "[]"), ("ndjson", "x\n")])
def test_a_file_without_records_lacks_nothing(kind: str, text: str) -> None:
    assert all(row[0] == "unreadable" for row in read(feed(kind), text))


def test_the_message_about_a_very_wide_file_is_short() -> None:
    with pytest.raises(FeedError) as told:
        read(feed("json"), document("json", [{f"c{n}": 1} for n in range(500)]))
    assert len(str(told.value)) < 900


def test_an_offer_needs_no_bids_or_metrics_but_their_absence_is_noted() -> None:
    (row,) = good(feed("csv"), document("csv", [without("bids", "tf")]))
    assert (row.bids, row.metrics, row.notes) == (0, {}, ("no_bids", "no_trust_flow"))
    (row,) = good(feed("csv"), document("csv", [ROW]))
    assert row.notes == ()
