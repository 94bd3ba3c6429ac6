"""Which addresses from outside may become links."""

from __future__ import annotations

import pytest

from afterdrop.core.web_addresses import MOST_CHARS, site_name, web_address


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.market.example/lot/1?a=b#c", "market.example"),
        ("http://market.example:8080", "market.example"),
        ("HTTPS://Market.Example/", "market.example"),
        ("https://market.example/é", "market.example"),
        ("https://[2001:db8::1]/", "2001:db8::1"),
    ],
)
def test_web_addresses_have_a_name(url: str, name: str) -> None:
    assert web_address(url) is not None
    assert site_name(url) == name


@pytest.mark.parametrize(
    "url",
    [
        *(
            None,
            "",
            "market.example",
            "//market.example/",
            "https://",
            "https:///lot",
            "https:market.example",
        ),
        *("javascript:alert(1)", "data:text/html,x", "ftp://market.example/", "mailto:a@b.example"),
        *("https://market.example@evil.example/", "https://u:p@evil.example/"),
        *("https://market.example/a b", "https://market.example/\u202egpj", "java\nscript:alert(1)"),
        *("https://market.example:99999/", "https://market.example:0/", "https://[broken/"),
        "https://market.example/" + "a" * MOST_CHARS,
    ],
)
def test_what_is_no_web_address_becomes_no_link(url: str | None) -> None:
    assert web_address(url) is None
    assert site_name(url) is None
