"""Requests made from a provider's template."""

from __future__ import annotations

import base64
from datetime import date
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from afterdrop.sources.metrics.provider_files import load_file
from afterdrop.sources.metrics.provider_request import build_request, redact
from afterdrop.sources.metrics.provider_spec import Budget, ProviderFile, ProviderSpec, read_provider

TODAY = date(2026, 11, 20)
NAMES = ["a.com", "b.org"]


def spec_of(preset: str, **keys: str) -> ProviderSpec:
    file = load_file(preset)
    return ProviderSpec(file, file.request.url, Budget(), None, keys)


def own(request: dict[str, Any], **more: Any) -> ProviderFile:
    return read_provider(
        {
            "name": "own",
            "title": "Own",
            "kind": "bulk",
            "tier": "free",
            "licence": "open",
            "evidence": "code",
            "request": request,
            "metrics": {"trust_flow": "tf"},
            **more,
        },
        "own.toml",
    )


def test_numbered_query_items() -> None:
    request = build_request(spec_of("majestic", MAJESTIC_API_KEY="k&y"), NAMES, TODAY)
    assert request.method == "GET" and request.json is None and request.headers == {}
    assert parse_qsl(urlsplit(request.url).query) == [
        ("cmd", "GetIndexItemInfo"),
        ("datasource", "fresh"),
        ("items", "2"),
        ("item0", "a.com"),
        ("item1", "b.org"),
        ("DesiredTopics", "3"),
        ("app_api_key", "k&y"),
    ]


def test_a_list_in_the_body_and_a_bearer_header() -> None:
    request = build_request(spec_of("ahrefs_free", AHREFS_API_KEY="k"), NAMES, TODAY)
    assert (request.method, request.json) == ("POST", {"targets": NAMES})
    assert request.headers == {"Authorization": "Bearer k"}


def test_one_table_for_each_name() -> None:
    request = build_request(spec_of("moz_jsonrpc", MOZ_TOKEN="k"), NAMES, TODAY)
    body: Any = request.json
    assert body["params"]["data"]["site_queries"] == [
        {"query": "a.com", "scope": "domain"},
        {"query": "b.org", "scope": "domain"},
    ]
    assert body["jsonrpc"] == "2.0"


def test_a_list_as_body_and_basic_authentication() -> None:
    request = build_request(
        spec_of("dataforseo", DATAFORSEO_LOGIN="me", DATAFORSEO_PASSWORD="p:w"), NAMES, TODAY
    )
    assert request.json == [{"targets": NAMES}]
    assert request.headers["Authorization"] == "Basic " + base64.b64encode(b"me:p:w").decode()


def test_a_repeated_query_key() -> None:
    request = build_request(spec_of("open_pagerank_old", OPEN_PAGERANK_OLD_KEY="k"), NAMES, TODAY)
    assert parse_qsl(urlsplit(request.url).query) == [("domains[]", "a.com"), ("domains[]", "b.org")]


def test_one_name_and_a_date() -> None:
    request = build_request(spec_of("ahrefs_paid", AHREFS_API_KEY="k"), NAMES[:1], TODAY)
    assert dict(parse_qsl(urlsplit(request.url).query)) == {
        "target": "a.com",
        "mode": "subdomains",
        "date": "2026-11-20",
    }


def test_counts_lists_and_flags_in_a_body_keep_their_types() -> None:
    file = own(
        {
            "method": "POST",
            "url": "https://v.example/x?v=2",
            "query": {"full": True, "names": "x,{{domains}}"},
            "body": {"n": "{{n}}", "on": "{{today}}", "list": ["{{domain}}", 3], "flag": False},
        }
    )
    spec = ProviderSpec(file, file.request.url, Budget(), None)
    request = build_request(spec, NAMES, TODAY)
    assert request.json == {"n": 2, "on": "2026-11-20", "list": ["a.com", 3], "flag": False}
    assert request.url == "https://v.example/x?v=2&full=true&names=x%2Ca.com%2Cb.org"
    assert request.headers == {}


def test_a_name_in_the_path_and_no_query() -> None:
    file = own({"url": "https://v.example/of/{{domain}}", "headers": {"X-Name": "{{domain}}"}})
    request = build_request(ProviderSpec(file, file.request.url, Budget(), None), NAMES[:1], TODAY)
    assert request.url == "https://v.example/of/a.com"
    assert request.headers == {"X-Name": "a.com"}


def test_keys_are_redacted_from_every_text() -> None:
    spec = spec_of("majestic", MAJESTIC_API_KEY="s3cret/+ key")
    text = "GET https://x/?app_api_key=s3cret%2F%2B%20key or s3cret%2F%2B+key: s3cret/+ key refused"
    assert redact(text, spec) == "GET https://x/?app_api_key=*** or ***: *** refused"
    basic = spec_of("moz_links", MOZ_ACCESS_ID="me", MOZ_SECRET_KEY="pw")
    header = build_request(basic, NAMES, TODAY).headers["Authorization"]
    assert redact(f"sent {header}", basic) == "sent Basic ***"
    assert redact("plain", spec_of("majestic")) == "plain"
    assert "s3cret" not in repr(build_request(spec, NAMES, TODAY))
