"""Parking providers by DNS: who parks a domain, by its nameservers and addresses. Pure.

Only nameservers and networks are listed that serve nothing but parking and for-sale pages: the default nameservers of
a registrar also serve honest sites and prove nothing. How parked pages look is in `review/data/parked.toml`.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, ip_address

_NAMESERVERS = {
    "above.com": "Above.com",
    "abovedomains.com": "Above.com",
    "afternic.com": "Afternic",
    # noisyfish.com (April 2026, redirected to its page at Atom) and aloapp.com (October) had ns1 and ns2.atom.com.
    "atom.com": "Atom",
    "bodis.com": "Bodis",
    # onedocket.com and iuvox.com, on sale there in 2026, had ns1.brandbucket.com.
    "brandbucket.com": "BrandBucket",
    "buydomains.com": "BuyDomains",
    "this-domain-for-sale.com": "BuyDomains",
    "cashparking.com": "CashParking",
    "dan.com": "Dan.com",
    "undeveloped.com": "Dan.com",
    "dnparking.com": "DNParking",
    "park1.dynadot.com": "Dynadot Parking",
    "park2.dynadot.com": "Dynadot Parking",
    # In October 2026 sumanda.com had ns1 and ns2.domainrecover.com in RDAP, and elrecado.com in the DNS.
    "domainrecover.com": "DomainRecover",
    "eftydns.com": "Efty",
    "giantpanda.com": "GiantPanda",
    "hugedomains.com": "HugeDomains",
    "nsg1.namebrightdns.com": "HugeDomains",
    "nsg2.namebrightdns.com": "HugeDomains",
    "expired1.namebrightdns.com": "NameBright (expired)",
    "expired2.namebrightdns.com": "NameBright (expired)",
    "namefind.com": "NameFind",
    "pendingrenewaldeletion.com": "Network Solutions (expired)",
    "onamae-expired.com": "Onamae (expired)",
    "parkingcrew.net": "ParkingCrew",
    "parklogic.com": "ParkLogic",
    "parktons.com": "Parktons",
    "perfectdomain.com": "PerfectDomain",
    "renewyourname.net": "Tucows (expired)",
    "rookdns.com": "RookMedia",
    "sedoparking.com": "Sedo",
    "smartname.com": "SmartName",
    "sslparking.com": "SSLParking",
    "uniregistrymarket.link": "Uniregistry",
    "voodoo.com": "Voodoo",
    "ztomy.com": "Ztomy",
}
_NETWORKS = tuple(
    (IPv4Network(network), provider)
    for network, provider in (
        ("64.190.62.0/23", "Sedo"),
        ("91.195.240.0/23", "Sedo"),
        ("103.224.182.0/24", "Above.com"),
        ("103.224.212.0/24", "Above.com"),
        ("185.53.176.0/22", "ParkingCrew"),
        ("199.59.242.0/23", "Bodis"),
        ("208.91.197.0/24", "Confluence"),
        ("34.102.136.180/32", "GoDaddy Parking"),
    )
)


def parking_nameserver(host: str) -> str | None:
    """The parking provider that owns the nameserver `host` (lowercase), else None."""
    suffix = host.rstrip(".")
    while suffix:
        if (provider := _NAMESERVERS.get(suffix)) is not None:
            return provider
        suffix = suffix.partition(".")[2]
    return None


def parking_address(address: str) -> str | None:
    """The parking provider in whose network `address` lies, else None."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return next((provider for network, provider in _NETWORKS if parsed in network), None)


def parked_at(nameservers: Iterable[str], addresses: Iterable[str]) -> str | None:
    """The provider that parks a domain with these nameservers and addresses. Nameservers come before addresses."""
    by_name = (parking_nameserver(host) for host in nameservers)
    by_address = (parking_address(address) for address in addresses)
    return next((hint for hints in (by_name, by_address) for hint in hints if hint), None)
