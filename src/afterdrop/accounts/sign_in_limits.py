"""Limits on attempts to sign in or to have a mail sent: the subjects they are counted under, and how many. Pure.

An attempt is counted under its account together with its network, so that a guesser uses up their own attempts and
not the owner's. Looser limits for the whole account and for the whole network bound guesses from many networks or at
many accounts. Nothing here depends on whether the account exists.
"""

from __future__ import annotations

import hashlib
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, Literal

Form = Literal["sign-in", "mail"]
# Attempts in a quarter of an hour: at one account from one network, and at one account from everywhere.
PER_PAIR: Final[dict[Form, int]] = {"sign-in": 5, "mail": 3}
PER_ACCOUNT: Final[dict[Form, int]] = {"sign-in": 100, "mail": 6}
PER_NETWORK: Final = 30
PER_SITE: Final = 4 * PER_NETWORK
PER_DEVICE: Final = 5


def networks(host: str | None) -> tuple[str, str]:
    """The networks of an address: the smallest and the largest that one customer has.

    One IPv6 customer has a /64 at least and often a /48, whose addresses cost nothing. Whatever is not an address
    counts as one network.
    """
    try:
        address = ip_address(host or "")
    except ValueError:
        return ("none", "none")
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if isinstance(address, IPv4Address):
        return (f"{address}/32", f"{address}/32")
    bits = int(address)
    return (f"{IPv6Address(bits >> 64 << 64)}/64", f"{IPv6Address(bits >> 80 << 80)}/48")


def pair(form: Form, email: str, host: str | None) -> str:
    """The subject of attempts at one account from one network."""
    return _subject(form, email, networks(host)[0])


def account(form: Form, email: str) -> str:
    """The subject of attempts at one account from anywhere."""
    return _subject(form, email)


def from_networks(form: Form, host: str | None) -> list[str]:
    """The subjects of all attempts from the networks of an address, the narrow and the wide one."""
    return [_subject(form, "from", network) for network in dict.fromkeys(networks(host))]


def limits(form: Form, email: str, host: str | None) -> dict[str, int]:
    """The subjects that an attempt from an unknown browser is counted under, each with its limit."""
    most = dict(zip(from_networks(form, host), (PER_NETWORK, PER_SITE), strict=False))
    return {pair(form, email, host): PER_PAIR[form], account(form, email): PER_ACCOUNT[form], **most}


def device(token: str) -> str:
    """The subject of a known browser: its attempts are counted apart from those of others."""
    return _subject("device", token)


def _subject(*parts: str) -> str:
    """A hash, so that an address somebody typed is not kept in clear text."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
