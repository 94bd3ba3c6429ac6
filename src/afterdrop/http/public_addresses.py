"""Which IP addresses are public, as `ssrf_guard` checks them before every outbound connection. Pure.

Python's `is_global` differs between patch releases and calls NAT64 and IPv4-compatible forms public. So the
special-purpose ranges of IANA's registries (RFC 6890 and successors) are listed here, and an IPv4 address that is
embedded in an IPv6 one is extracted and checked itself.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address

_DENIED_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_PUBLIC_V6 = IPv6Network("2000::/3")
_DENIED_V6 = tuple(
    IPv6Network(text)
    for text in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)
_NAT64 = (IPv6Network("64:ff9b::/96"),)


def is_public(text: str) -> bool:
    """True when `text` is an IP address on the public internet. Zone ids and malformed text are not."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return _public_v4(address)
    if address.scope_id:
        return False
    if address.ipv4_mapped is not None:
        return _public_v4(address.ipv4_mapped)
    if any(address in network for network in _NAT64):
        return _public_v4(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _PUBLIC_V6 and not any(address in network for network in _DENIED_V6)


def _public_v4(address: IPv4Address) -> bool:
    return not any(address in network for network in _DENIED_V4)
