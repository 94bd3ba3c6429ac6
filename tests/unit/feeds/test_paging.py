"""Pages of a list: their addresses and rows, and whole numbers with dots."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from afterdrop.core.errors import FeedError, SettingsError
from afterdrop.feeds.converters import chain
from afterdrop.feeds.mapping import Row
from afterdrop.feeds.pages import Page, page_address, read_page
from afterdrop.feeds.spec import read_spec
from tests.support.feed_inputs import read

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FEED: dict[str, Any] = {
    "name": "own", "url": "https://market.example/lots", "format": "json", "complete": True, "licence": "open",
    "json": {"path": "reply.lots"}, "paging": {}, "fields": {"domain": "d", "type": {"const": "auction"}},
}  # fmt: skip


def test_own_feeds_need_no_evidence_and_count_pages_from_one() -> None:
    spec = read_spec(FEED, "own.toml")
    assert spec.paging is not None
    assert (spec.evidence, spec.paging.query, spec.paging.first, spec.paging.step) == ("own", "page", 1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "ndjson"},
        {"container": "gzip"},
        {"url": None, "path": "x.json"},
        {"paging": {"query": "a b"}},
    ],
)
def test_only_json_over_the_web_pages(change: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=r"own\.toml.*(paging|query)"):
        read_spec({**FEED, **change}, "own.toml")


def test_the_address_of_a_page_keeps_the_other_parameters() -> None:
    assert page_address("https://a.example/x?k=1&page=9&e=", "page", 3) == "https://a.example/x?k=1&e=&page=3"


def test_rows_are_lines_and_what_is_no_list_fails() -> None:
    spec = read_spec(FEED, "own.toml")
    page = read_page(spec, b'{"reply": {"lots": [{"d": "a.com"}, 7]}}', 1, NOW)
    assert page == Page(b'{"d":"a.com"}\n7\n', more=True, running=True)
    assert read_page(spec, b'{"reply": {"lots": []}}', 2, NOW) == Page(b"")
    for body, why in (
        (b"<html>", "is not JSON"),
        (b'{"reply": []}', "no list of rows"),
        (b"[]", "no list of rows"),
    ):
        with pytest.raises(FeedError, match=f"page 3 .*{why}"):
            read_page(spec, body, 3, NOW)


@pytest.mark.parametrize(
    ("rows", "running"),
    [
        ('{"d": "a.com", "e": "2026-11-20T12:00:00Z"}, {"d": "b.com", "e": "2026-11-20T12:00:01Z"}', True),
        ('{"d": "a.com", "e": "2026-11-20T12:00:00Z"}', False),
        ('{"d": "a.com"}, 7, {"d": "a b", "e": "2027-01-01T00:00:00Z"}', False),
        ("", False),
    ],
)
def test_a_page_says_whether_it_is_the_last_and_whether_anything_on_it_runs(rows: str, running: bool) -> None:
    fields = {**FEED["fields"], "ends_at": {"from": "e", "convert": ["iso"]}}
    paging = {"more": "reply.next", "until_ended": True}
    spec = read_spec({**FEED, "fields": fields, "paging": paging}, "own.toml")
    for told, more in (("true", True), ("false", False), ("null", False)):
        page = read_page(spec, f'{{"reply": {{"next": {told}, "lots": [{rows}]}}}}'.encode(), 1, NOW)
        assert (page.more, page.running) == (more, running)


@pytest.mark.parametrize(
    ("text", "number"), [("1.204", 1204), ("12", 12), ("1.234.567", 1234567), (1204, 1204)]
)
def test_dots_may_part_thousands(text: str | int, number: int) -> None:
    assert chain(("int_eu",))[0](text, ZoneInfo("UTC")) == number


def test_a_dot_that_parts_no_thousands_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.5"):
        chain(("int_eu",))[0]("1.5", ZoneInfo("UTC"))


def test_ids_of_pages_keep_their_digits_and_odd_numbers_cost_their_row() -> None:
    spec = read_spec({**FEED, "fields": {**FEED["fields"], "external_id": "id"}}, "own.toml")
    big = 73786976294838206465
    body = f'{{"reply": {{"lots": [{{"d": "a.com", "id": {big}}}, {{"d": "b.com", "id": 7}}, 7]}}}}'
    assert read_page(spec, body.encode(), 1, NOW).lines == (
        f'{{"d":"a.com","id":"{big}"}}\n{{"d":"b.com","id":7}}\n7\n'.encode()
    )
    odd = f'{{"d": "a.com", "p": NaN}}, {{"d": "b.com", "id": {big}, "p": -Infinity}}'
    body = f'{{"reply": {{"lots": [{odd}, {{"d": "c.com", "id": {big}}}]}}}}'
    lines = read_page(spec, body.encode(), 1, NOW).lines.splitlines()
    assert [
        row.domain if isinstance(row, Row) else row.reason
        for row in read(spec.model_copy(update={"format": "ndjson"}), b"\n".join(lines))
    ] == ["unreadable", "unreadable", "c.com"]
    with pytest.raises(FeedError, match="is not JSON"):
        read_page(spec, b'{"reply": {"lots": ' + b"[" * 100_000, 1, NOW)
