"""Signatures as a receiver checks them."""

from __future__ import annotations

import hashlib
import hmac

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
