"""Queries to the index, as the Wayback CDX server's README describes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from afterdrop.sandbox import cdx

ROWS: list[cdx.Row] = [
    ("com,a)/", "20100105000000", "http://a.com:80/", "text/html", "200", "AAA", "100"),
    ("com,a)/", "20100701000000", "http://a.com/", "warc/revisit", "-", "AAA", "10"),
    ("com,a)/", "20120105000000", "http://www.a.com/", "text/html", "301", "BBB", "50"),
    ("com,a)/", "20150105000000", "https://a.com/", "text/html", "200", "CCC", "120"),
    ("com,a)/logo.png", "20150105000001", "https://a.com/logo.png", "image/png", "200", "DDD", "900"),
    ("com,a)/news/x", "20150105000002", "https://a.com/news/x", "text/html", "404", "EEE", "60"),
    ("com,a,shop)/", "20160105000000", "https://shop.a.com/", "text/html", "200", "FFF", "70"),
]


def _ask(many: dict[str, list[str]] | None = None, /, **query: str) -> bytes:
    asked, _ = cdx.parse_query({"url": "a.com", **query}, many or {})
    return cdx.answer_query(ROWS, asked)


def _stamps(many: dict[str, list[str]] | None = None, /, **query: str) -> list[str]:
    return [line.split(" ")[1] for line in _ask(many, **query).decode().splitlines()]


def test_exact_is_the_home_page_in_every_spelling() -> None:
    assert len(_stamps()) == 4
    assert _ask().startswith(b"com,a)/ 20100105000000 http://a.com:80/ text/html 200 AAA 100\n")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"matchType": "domain"}, 7),
        ({"url": "*.a.com"}, 7),
        ({"matchType": "host"}, 6),
        ({"url": "http://www.a.com/news/x"}, 1),
        ({"url": "a.com/news*"}, 1),
        ({"url": "a.com/new", "matchType": "prefix"}, 1),
        ({"url": "b.com"}, 0),
    ],
)
def test_match_types(query: dict[str, str], count: int) -> None:
    assert len(_stamps(**query)) == count


def test_the_host_is_part_of_the_query() -> None:
    assert cdx.parse_query({"url": "http://Shop.A.com/x?y=1"}, {})[1] == "shop.a.com"


def test_filters_match_whole_fields_and_can_be_negated() -> None:
    assert len(_stamps({"filter": ["statuscode:200"]})) == 2
    assert len(_stamps({"filter": ["!statuscode:200"]})) == 2
    assert len(_stamps({"filter": ["statuscode:20"]})) == 0
    assert len(_stamps({"filter": ["!mimetype:image.*", "!statuscode:[45].."]}, matchType="domain")) == 5


def test_collapsing_compares_neighbours_only() -> None:
    assert _stamps({"collapse": ["timestamp:4"]}) == ["20100105000000", "20120105000000", "20150105000000"]
    assert len(_stamps({"collapse": ["digest"]})) == 3
    assert len(_stamps({"collapse": ["mimetype"]}, matchType="host")) == 5


def test_from_and_to_include_their_ends() -> None:
    assert _stamps(**{"from": "2010", "to": "2012"}) == ["20100105000000", "20100701000000", "20120105000000"]
    assert _stamps(**{"from": "201501"}) == ["20150105000000"]


def test_limits_from_both_ends_and_backwards() -> None:
    assert _stamps(limit="1") == ["20100105000000"]
    assert _stamps(limit="-1") == ["20150105000000"]
    assert _stamps(limit="1", sort="reverse") == ["20150105000000"]


def test_resume_keys_lead_through_the_whole_list() -> None:
    seen: list[str] = []
    key = ""
    for _ in range(10):
        query = {"matchType": "domain", "limit": "3", "showResumeKey": "true"} | (
            {"resumeKey": key} if key else {}
        )
        head, _, tail = _ask(**query).decode().partition("\n\n")
        seen += [line.split(" ")[1] for line in head.strip().splitlines()]
        key = tail.strip()
        if not key:
            break
    assert len(seen) == len(set(seen)) == 7


def test_json_has_a_header_and_the_resume_key_last() -> None:
    found: list[Any] = json.loads(
        _ask(output="json", fl="timestamp,statuscode", limit="1", showResumeKey="true")
    )
    assert found[:2] == [["timestamp", "statuscode"], ["20100105000000", "200"]]
    assert found[2] == [] and found[3][0].startswith("com%2Ca")
    assert json.loads(_ask(output="json", url="b.com")) == []
    assert len(json.loads(_ask(output="json"))) == 5


def test_revisits_can_be_resolved() -> None:
    lines = _ask(resolveRevisits="true").decode().splitlines()
    assert lines[1].split(" ")[3:5] == ["text/html", "200"]


def test_pages() -> None:
    assert _ask(showNumPages="true") == b"1\n"
    assert _ask(page="1") == b""


@pytest.mark.parametrize(
    ("query", "many"),
    [
        ({"url": ""}, {}),
        ({"matchType": "fuzzy"}, {}),
        ({"fl": "timestamp,colour"}, {}),
        ({"from": "last year"}, {}),
        ({"limit": "many"}, {}),
        ({}, {"filter": ["statuscode"]}),
        ({}, {"filter": ["colour:red"]}),
        ({}, {"filter": ["statuscode:("]}),
        ({}, {"collapse": ["colour"]}),
        ({}, {"collapse": ["timestamp:four"]}),
    ],
)
def test_bad_queries_are_refused(query: dict[str, str], many: dict[str, list[str]]) -> None:
    with pytest.raises(cdx.BadQuery):
        _ask(many, **query)
