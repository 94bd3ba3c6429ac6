"""E-mail addresses."""

from __future__ import annotations

import pytest

from afterdrop.accounts.account import normal_email

GOOD = {
    "A.B+c@Example.ORG": "a.b+c@example.org",
    "  me@b.co.uk ": "me@b.co.uk",
    "me@bücher.de": "me@xn--bcher-kva.de",
    "o'neil@x-y.com": "o'neil@x-y.com",
}
BAD = [
    *("", "me", "@a.com", "me@", "me@localhost", "a b@c.com", "a@b@c.com", "a..b@c.com", ".a@c.com"),
    *('"a b"@c.com', "a@[1.2.3.4]", "a@1.2.3.4", "a@-b.com", "a@b_.com", "a\n@b.com", "a@b.com\nBcc: x@y.z"),
    *("a" * 65 + "@b.com", "a@" + "b" * 64 + ".com", "é@b.com", "a@\ud800.com", "a@xn--\u2603.com."),
    *("=?utf-8?q?a=0d=0abcc:x?=@b.com", "a=?b@c.com"),
    "a@" + ".".join(["b" * 60] * 5) + ".com",
]


@pytest.mark.parametrize(("given", "normal"), GOOD.items())
def test_addresses_are_normalised_to_one_spelling(given: str, normal: str) -> None:
    assert normal_email(given) == normal


@pytest.mark.parametrize("given", BAD)
def test_other_texts_are_not_addresses(given: str) -> None:
    assert normal_email(given) is None
