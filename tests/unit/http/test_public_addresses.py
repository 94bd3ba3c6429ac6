"""Which addresses are public: every special range, mapped and embedded forms."""

from __future__ import annotations

import pytest

from afterdrop.http.public_addresses import is_public


@pytest.mark.parametrize(
    "text", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public(text: str) -> None:
    assert is_public(text)


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.0.1", "192.0.0.8", "192.0.2.1",
        "192.168.1.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "255.255.255.255", "192.88.99.1",
        "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1",
        "2001:db8::1", "2001::1", "2002:7f00:1::", "fc00::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
        "3fff::1",
        "", "localhost", "1.2.3", "0x7f000001",
    ],
)  # fmt: skip
def test_not_public(text: str) -> None:
    assert not is_public(text)
