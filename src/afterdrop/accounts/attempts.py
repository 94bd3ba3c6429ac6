"""What an attempt at a form anyone may send is counted under, and how many of each are let through. Pure.

Attempts are counted on the account together with the network they come from, so that whoever guesses uses up
their own attempts and not the owner's. The looser counts over the whole account and over the whole network bound
what many networks or many accounts give together. Nothing here depends on whether the account exists.
"""

from __future__ import annotations

import hashlib
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, Literal

What = Literal["sign-in", "mail"]
# How many a quarter of an hour: for one account from one network, and for one account from everywhere.
PER_PAIR: Final[dict[What, int]] = {"sign-in": 5, "mail": 3}
PER_ACCOUNT: Final[dict[What, int]] = {"sign-in": 100, "mail": 6}
PER_NETWORK: Final = 30
PER_SITE: Final = 4 * PER_NETWORK
PER_DEVICE: Final = 5


def networks(host: str | None) -> tuple[str, str]:
    """The networks an address speaks for: the smallest one customer has, and the largest.

    One IPv6 customer has a /64 at least and often a /48, whose addresses cost nothing. What is no address (a socket
    without one) is one network of its own.
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


def pair(what: What, email: str, host: str | None) -> str:
    """The account as tried from one network."""
    return _subject(what, email, networks(host)[0])


def account(what: What, email: str) -> str:
    """The account, wherever it is tried from."""
    return _subject(what, email)


def from_networks(what: What, host: str | None) -> list[str]:
    """Everything tried from the networks of an address, narrow and wide."""
    return [_subject(what, "from", network) for network in dict.fromkeys(networks(host))]


def limits(what: What, email: str, host: str | None) -> dict[str, int]:
    """What an attempt from a browser nobody knows is counted under, with how many are let through."""
    most = dict(zip(from_networks(what, host), (PER_NETWORK, PER_SITE), strict=False))
    return {pair(what, email, host): PER_PAIR[what], account(what, email): PER_ACCOUNT[what], **most}


def device(token: str) -> str:
    """A browser that the account was signed in with before: it is counted alone, whatever others try meanwhile."""
    return _subject("device", token)


def _subject(*parts: str) -> str:
    """Of one length and unreadable: no address is kept in clear text for having been typed."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
