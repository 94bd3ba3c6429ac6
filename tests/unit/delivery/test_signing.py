"""Signatures as a receiver checks them."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from afterdrop.delivery.webhooks.signing import sign, verify

SECRET, BODY, MOMENT = "whsec_abc", b'{"id":"evt_1"}', 1_800_000_000


def test_the_signature_is_hmac_sha256_over_moment_dot_body() -> None:
    header = sign(SECRET, MOMENT, BODY)
    expected = hmac.new(b"whsec_abc", b'1800000000.{"id":"evt_1"}', hashlib.sha256).hexdigest()
    assert header == f"t=1800000000,v1={expected}"
    assert verify(SECRET, header, BODY, MOMENT)


def test_a_wrong_secret_body_or_age_does_not_verify() -> None:
    header = sign(SECRET, MOMENT, BODY)
    assert not verify("whsec_other", header, BODY, MOMENT)
    assert not verify(SECRET, header, BODY + b" ", MOMENT)
    assert verify(SECRET, header, BODY, MOMENT + 300)
    assert verify(SECRET, header, BODY, MOMENT - 300)
    assert not verify(SECRET, header, BODY, MOMENT + 301)
    assert not verify(SECRET, "v1=abc", BODY, MOMENT)
    assert not verify(SECRET, "t=x,v1=abc", BODY, MOMENT)


@pytest.mark.parametrize(
    "moment", ["", "\u00b2", "1\u00b9", "\u2460", "\u0661", "+1", " 1", "1_0", "-1", "9" * 5000, "0" * 5000]
)
def test_what_is_no_time_verifies_nothing_and_raises_nothing(moment: str) -> None:
    assert not verify(SECRET, f"t={moment},v1=abc", BODY, 0)


def test_a_signature_of_other_letters_raises_nothing() -> None:
    for given in ("\u00e4", "\udc80", "a" * 100_000):
        assert not verify(SECRET, f"t={MOMENT},v1={given}", BODY, MOMENT)
