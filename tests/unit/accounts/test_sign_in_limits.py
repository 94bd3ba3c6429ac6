"""The subjects that attempts to sign in are counted under."""

from __future__ import annotations

import pytest

from afterdrop.accounts import sign_in_limits

OWNER = "owner@members.example"


@pytest.mark.parametrize(
    ("host", "narrow", "wide"),
    [
        ("203.0.113.7", "203.0.113.7/32", "203.0.113.7/32"),
        ("::ffff:203.0.113.7", "203.0.113.7/32", "203.0.113.7/32"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/48"),
        ("", "none", "none"),
        (None, "none", "none"),
        ("unix:", "none", "none"),
        ("203.0.113.7:80", "none", "none"),
    ],
)
def test_all_addresses_of_one_customer_are_one_network(host: str | None, narrow: str, wide: str) -> None:
    assert sign_in_limits.networks(host) == (narrow, wide)


def test_a_guesser_uses_up_their_own_attempts_and_not_the_owners() -> None:
    here = sign_in_limits.limits("sign-in", OWNER, "203.0.113.7")
    there = sign_in_limits.limits("sign-in", OWNER, "203.0.113.8")
    assert sorted(here.values()) == [5, 30, 100]
    assert set(here) & set(there) == {sign_in_limits.account("sign-in", OWNER)}
    assert not set(here) & set(sign_in_limits.limits("mail", OWNER, "203.0.113.7"))
    other = sign_in_limits.limits("sign-in", "b@members.example", "203.0.113.7")
    assert set(here) & set(other) == set(sign_in_limits.from_networks("sign-in", "203.0.113.7"))


def test_a_wide_network_is_bounded_beside_the_narrow_one() -> None:
    one = sign_in_limits.limits("sign-in", OWNER, "2001:db8:1:2::1")
    assert sorted(one.values()) == [5, 30, 100, 120]
    neighbour = sign_in_limits.limits("sign-in", "b@members.example", "2001:db8:1:3::1")
    [shared] = set(one) & set(neighbour)
    assert one[shared] == 120


def test_subjects_are_short_and_do_not_show_the_address() -> None:
    made = [*sign_in_limits.limits("mail", OWNER * 100, "x" * 9000), sign_in_limits.device("t" * 9000)]
    assert {len(subject) for subject in made} == {64}
    assert not any("members" in subject for subject in made)
