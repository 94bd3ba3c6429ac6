"""The rules for the spelling of webhook addresses."""

from __future__ import annotations

import pytest

from afterdrop.delivery.webhooks.address_rules import LONGEST, address_fault

GOOD = [
    "https://a.example.org",
    "https://a.example.org:443/x?y=1",
    "https://a.example.org:1024/",
    "https://a.example.org:65535",
    "https://bücher.de/",
    "HTTPS://A.ORG",
    "https://a.org/" + "x" * (LONGEST - 14),
]
BAD = {
    "http://a.org/": "https",
    "https://u@a.org/": "user name",
    "https://u:p@a.org/": "user name",
    "https://a.org/#f": "fragment",
    "https://a.org/#": "fragment",
    "https://1.2.3.4/": "public host",
    "https://[::1]/": "public host",
    "https://1.2.3.0x4/": "IP address",
    "https://a.0x/": "IP address",
    "https://2130706433/": "public host",
    "https://localhost/": "public host",
    "https://a.internal/": "public host",
    "https:///x": "public host",
    "https://.example.org/": "starts with a dot",
    "https://..example.org/": "starts with a dot",
    "https://\u3002a.org/": "starts with a dot",
    "https://[v1.x]/": "not an IP address",
    "https://[v1.example.org]:8443/": "not an IP address",
    "https://a.org:80/": "port",
    "https://a.org:1023/": "port",
    "https://a.org:0/": "port",
    "https://a.org:65536/": "not a URL",
    "https://[x/": "not a URL",
    "https://a.org/ x": "spaces",
    "https://a.org\\@b.org/": "backslash",
    "https://a.org/\x00": "control",
    "https://a.org/" + "x" * LONGEST: "longer",
}


@pytest.mark.parametrize("url", GOOD)
def test_public_https_addresses_are_accepted(url: str) -> None:
    assert address_fault(url) is None


@pytest.mark.parametrize(("url", "word"), BAD.items())
def test_other_addresses_are_refused_with_a_reason(url: str, word: str) -> None:
    assert word in (address_fault(url) or "")


def test_loopback_is_accepted_for_development_only_and_only_as_an_ip_address() -> None:
    for url in ("http://127.0.0.1:8080/x", "http://[::1]:80/"):
        assert address_fault(url) is not None
        assert address_fault(url, allow_loopback=True) is None
    for url in ("http://127.0.0.2/", "http://localhost:80/", "http://a.org/", "ftp://127.0.0.1/"):
        assert address_fault(url, allow_loopback=True) is not None
