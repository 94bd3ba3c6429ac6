"""The format of feed files, and how a wrong one is refused."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.core.errors import SettingsError
from afterdrop.feeds.preset_files import check_sources
from afterdrop.feeds.spec import read_spec
from tests.support.feed_inputs import content, spec


def test_short_and_long_spelling_of_a_column_mean_the_same() -> None:
    short = spec(fields={"domain": "name", "type": {"const": "bid"}})
    long = spec(fields={"domain": {"from": ["name"]}, "type": {"const": "bid"}})
    assert short == long
    assert short.fields.currency.const == "USD"
    assert short.source == "market_a"
    assert short.provider == "feed:sample"


def test_a_feed_may_name_its_marketplace() -> None:
    assert spec().title is None
    assert spec(title="Häfen & Auktionen").title == "Häfen & Auktionen"


@pytest.mark.parametrize(
    ("licence", "permission", "own_use"),
    [("open", None, False), ("own_use", None, True), ("own_use", "the seller, 2026-11-01", False)],
)
def test_own_use_ends_with_a_permission(licence: str, permission: str | None, own_use: bool) -> None:
    assert spec(licence=licence, permission=permission).own_use is own_use


@pytest.mark.parametrize(
    ("changes", "key", "expectation"),
    [
        ({"colour": "red"}, "colour", "is not a key a feed file knows"),
        ({"name": "Bad Name"}, "name", "pattern"),
        ({"title": "a\nb"}, "title", "pattern"),
        ({"home": "javascript:alert(1)"}, "home", "https://"),
        ({"home": "https://x.com/", "registry": True}, "sample.toml", '"home" is where names are sold'),
        ({"format": "yaml"}, "format", "csv"),
        ({"url": "ftp://x.com/l"}, "url", "https://"),
        ({"url": "http://[::1"}, "url", "https://"),
        ({"evidence": "hearsay"}, "evidence", "sample"),
        ({"complete": "maybe"}, "complete", "boolean"),
        ({"zone": "PST8"}, "zone", "IANA time zone"),
        ({"zone": "Mars/Base"}, "zone", "IANA time zone"),
        ({"encoding": "utf-9"}, "encoding", "text encoding"),
        ({"url": None}, "sample.toml", 'exactly one of "url" and "path"'),
        ({"path": "/x.csv"}, "sample.toml", 'exactly one of "url" and "path"'),
        (
            {"url": None, "path": "/x", "indirection": {"url": "a"}},
            "sample.toml",
            '"indirection" needs "url"',
        ),
        ({"indirection": {"url": "result.["}}, "indirection.url", "JMESPath"),
        ({"format": "xml"}, "sample.toml", "[xml]"),
        ({"xml": {"row": "item"}}, "sample.toml", "[xml]"),
        ({"licence": "attribution"}, "sample.toml", "[attribution]"),
        ({"endless": ["bid"]}, "sample.toml", '"endless" cannot name bid: a running auction has an end'),
        (
            {
                "endless": ["buy_now"],
                "fields": {
                    "domain": "d",
                    "type": {"const": "buy_now"},
                    "ends_at": {"from": "e", "required": True},
                },
            },
            "sample.toml",
            '"ends_at" cannot be required',
        ),
        ({"csv": {"delimiter": ";;"}}, "csv.delimiter", "at most 1"),
        ({"csv": {"capture": {"day": "("}}}, "csv.capture", "regular expression"),
        ({"csv": {"capture": {"day": "a"}}}, "csv.capture", "exactly one group"),
        ({"metrics": {"page_rank": "pr"}}, "metrics.page_rank", "domain_rating"),
        ({"metrics": {"trust_flow": {"const": 3}}}, "sample.toml", 'a metric needs "from"'),
        ({"fields": {"domain": "name"}}, "fields.type", "is missing"),
        ({"fields": {"domain": "name", "type": "kind"}}, "fields.type", "pending_delete"),
        (
            {"fields": {"domain": "name", "type": {"from": "k", "map": {"A": "sale"}}}},
            "fields.type",
            "pending_delete",
        ),
        (
            {"fields": {"domain": {"from": "name", "const": "x"}, "type": {"const": "bid"}}},
            "fields.domain",
            "exactly one",
        ),
        (
            {"fields": {"domain": "name", "type": {"const": "bid"}, "url": {"template": "https://x/"}}},
            "fields.url",
            "{domain}",
        ),
        (
            {"fields": {"domain": "name", "type": {"const": "bid"}, "price": {"template": "{domain}"}}},
            "fields",
            'only "url" can have a template',
        ),
        (
            {"fields": {"domain": "name", "type": {"const": "bid"}, "price": {"const": "free"}}},
            "fields.price",
            "expected a number, not 'free'",
        ),
        (
            {"fields": {"domain": {"from": "name", "convert": ["rot13"]}, "type": {"const": "bid"}}},
            "fields.domain",
            "unknown converter 'rot13'",
        ),
    ],
)
def test_a_wrong_feed_file_names_file_key_and_expectation(
    changes: dict[str, Any], key: str, expectation: str
) -> None:
    values = {name: value for name, value in content(**changes).items() if value is not None}
    with pytest.raises(SettingsError) as caught:
        read_spec(values, "sample.toml")
    assert caught.value.subject.startswith("sample.toml")
    assert key in caught.value.subject
    assert expectation in caught.value.message


def test_seven_sources_are_enough_and_feeds_may_share_one() -> None:
    feeds = [spec(name=f"feed_{n}", source=f"market_{n % 7}") for n in range(14)]
    check_sources(feeds)
    with pytest.raises(SettingsError, match="'market_x' would be marketplace identifier number 8"):
        check_sources([*feeds, spec(name="one_more", source="market_x")])
