"""The names that a complete file does not withdraw, because they stand in rows that could not be read."""

from __future__ import annotations

import io

import pytest

from afterdrop.feeds import unread_rows
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.unread_rows import SparedNames, Unread, names_in
from tests.support.feed_inputs import BOUNDS, spec


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('alpine-hut.com,"110,USD', {"alpine-hut.com"}),
        ('"WWW.Alpine-Hut.COM.";17', {"alpine-hut.com"}),
        ("https://market.net/lot/a.co.uk?x=1", {"market.net", "a.co.uk"}),
        ("bücher.de and xn--bcher-kva.de", {"xn--bcher-kva.de"}),
        ('na"me.com', {"me.com", "name.com"}),
        ("17.50, 2026-12-01T10:00:00.000Z, co.uk, -", set()),
        ("", set()),
    ],
)
def test_the_names_in_a_text(text: str, names: set[str]) -> None:
    assert set(names_in(text)) == names


def spared(*rows: Unread) -> SparedNames:
    found = SparedNames()
    found.add(rows)
    return found


def test_sale_zones_count() -> None:
    found = SparedNames(("uk.com",))
    found.add([Unread("shop.uk.com,1", True)])
    assert found.names == {"shop.uk.com"}


def test_a_row_that_tells_no_name_spares_everything() -> None:
    for text in ("Total: 300", "", "caf\ufffd.com,1", "x" * (unread_rows.TEXT_MOST + 1) + " a.com"):
        assert spared(Unread(text, True)).everything
    assert not spared(Unread("a.com,x", True), Unread("-", False), Unread("1.2.3.4", False)).everything
    assert spared(Unread("caf\ufffd.com", False)).everything


def test_very_many_rows_or_names_spare_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread_rows, "ROWS_MOST", 3)
    rows = [Unread("a.com", True)] * 3
    found = spared(*rows)
    assert not found.everything
    found.add([*rows, Unread("b.com", True)])
    assert found.everything and found.names == {"a.com"}
    monkeypatch.setattr(unread_rows, "NAMES_MOST", 1)
    assert spared(Unread("a.com b.com", True)).everything


def test_every_reader_tells_the_rows_that_it_cannot_use() -> None:
    kept = {"ends_at": {"from": "end", "convert": ["iso"]}, "domain": "name", "type": {"const": "bid"}}
    files: dict[str, str] = {
        "csv": 'name,end\na.com\nb.com,"x\nc.com,soon\nd.com,2026-12-01T10:00:00Z\n,2026-12-01T10:00:00Z',
        "json": '[{"name": "a.com", }, "b.com", {"name": "c.com", "end": "soon"}, {}]',
        "ndjson": '{"name": "a.com"\n"b.com"\n{"name": "c.com", "end": "soon"}\n{"name": null}',
    }
    for format_, text in files.items():
        feed = spec(format=format_, fields=kept)
        found = SparedNames()
        for batch in read_feed(feed, io.BytesIO(text.encode()), BOUNDS):
            found.add(batch.unread)
        assert (found.names, found.everything) == ({"a.com", "b.com", "c.com"}, False), format_
