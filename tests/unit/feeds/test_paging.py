"""Pages of a list: their addresses and rows, and whole numbers with dots."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from afterdrop.core.errors import FeedError, SettingsError
from afterdrop.feeds.converters import chain
from afterdrop.feeds.paged_download import page_address, page_rows
from afterdrop.feeds.spec import read_spec

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
    assert page_rows(spec, b'{"reply": {"lots": [{"d": "a.com"}, 7]}}', 1) == b'{"d":"a.com"}\n7\n'
    assert page_rows(spec, b'{"reply": {"lots": []}}', 2) == b""
    for body, why in (
        (b"<html>", "is not JSON"),
        (b'{"reply": []}', "no list of rows"),
        (b"[]", "no list of rows"),
    ):
        with pytest.raises(FeedError, match=f"page 3 .*{why}"):
            page_rows(spec, body, 3)


@pytest.mark.parametrize(
    ("text", "number"), [("1.204", 1204), ("12", 12), ("1.234.567", 1234567), (1204, 1204)]
)
def test_dots_may_part_thousands(text: str | int, number: int) -> None:
    assert chain(("int_eu",))[0](text, ZoneInfo("UTC")) == number


def test_a_dot_that_parts_no_thousands_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.5"):
        chain(("int_eu",))[0]("1.5", ZoneInfo("UTC"))
