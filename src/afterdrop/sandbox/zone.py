"""The DNS records of the invented names at a moment.

Pure. Names without delegation do not exist. The zone `dns-faults.net` serves tests: it has the names `servfail`,
`timeout`, `big` (needs TCP), `nullmx`, `empty` and `loop`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from dnslib import AAAA, CAA, CNAME, MX, NS, QTYPE, RCODE, RD, RR, SOA, TXT, A

from afterdrop.sandbox.rdap_documents import nameservers_of
from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.texts import landers
from afterdrop.sandbox.world import World

FAULTS_ZONE = "dns-faults.net"
SILENT = -1
_TTL = 3600
# Hosts on which the world depends; they always exist.
_HOSTS = {"sandboxhost.net": "45.77.140.2", "renewyourname.net": "45.77.141.5"}


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """A response code (SILENT: no response at all) with answer and authority records."""

    code: int
    records: tuple[RR, ...] = ()
    authority: tuple[RR, ...] = ()


def answer(world: World, name: str, kind: str, moment: datetime) -> DnsAnswer:
    """The answer to one question; `name` without the last dot, `kind` as text (A, MX …)."""
    host = name.lower().rstrip(".")
    if host == FAULTS_ZONE or host.endswith(f".{FAULTS_ZONE}"):
        return _faults(host, kind)
    for base, address in _HOSTS.items():
        if host == base or host.endswith(f".{base}"):
            return _found(base, (RR(host, QTYPE.A, rdata=A(address), ttl=_TTL),), kind)
    story = world.find(host)
    phase = story.phase(moment) if story else None
    if story is None or phase is None:
        return DnsAnswer(RCODE.NXDOMAIN, authority=(_soa(host.rpartition(".")[2], "a.nic.host"),))
    servers = nameservers_of(story, phase)
    if not servers:
        return DnsAnswer(RCODE.NXDOMAIN, authority=(_soa(story.tld.rpartition(".")[2], "a.nic.host"),))
    if story.outcome == "below_filter" and story.index % 23 == 4:
        return DnsAnswer(RCODE.SERVFAIL)
    if story.outcome == "below_filter" and story.index % 23 == 9:
        return DnsAnswer(SILENT)
    return _of_story(story, phase, servers, host, kind)


def _of_story(story: Story, phase: Phase, servers: tuple[str, ...], host: str, kind: str) -> DnsAnswer:
    domain = story.domain
    apex = host == domain
    records: list[RR] = []
    if host == f"www.{domain}":
        records.append(RR(host, QTYPE.CNAME, rdata=CNAME(domain), ttl=_TTL))
        host, apex = domain, True
    parked = _parked(servers)
    if not apex and host != f"_dmarc.{domain}" and not host.startswith(("mail.", "ns")):
        return DnsAnswer(RCODE.NXDOMAIN, authority=(_soa(domain, servers[0]),))
    if host == f"_dmarc.{domain}":
        policy = () if parked else (RR(host, QTYPE.TXT, rdata=TXT("v=DMARC1; p=none"), ttl=_TTL),)
        return _found(domain, policy, kind)
    if kind in ("A", "AAAA") or not apex:
        records += _addresses(story, host, parked)
    else:
        records += _apex(story, servers, bool(parked))
    return _found(domain, records, kind)


def _found(zone: str, records: Iterable[RR], kind: str) -> DnsAnswer:
    wanted = tuple(rr for rr in records if kind == "ANY" or QTYPE[rr.rtype] in (kind, "CNAME"))
    return DnsAnswer(RCODE.NOERROR, wanted, () if wanted else (_soa(zone, f"ns1.{zone}"),))


def _parked(servers: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses of the parking provider that has these nameservers."""
    return next((item.addresses for item in landers().values() if item.nameservers == servers), ())


def _addresses(story: Story, host: str, parked: tuple[str, ...]) -> list[RR]:
    number = int(hashlib.md5(story.domain.encode(), usedforsecurity=False).hexdigest()[:4], 16)
    own = (f"45.77.{number >> 8}.{number & 255 or 7}",)
    found = [RR(host, QTYPE.A, rdata=A(address), ttl=300) for address in parked or own]
    if not parked and story.index % 2:
        found.append(RR(host, QTYPE.AAAA, rdata=AAAA(f"2a05:f480:1400::{number:x}"), ttl=300))
    return found


def _apex(story: Story, servers: tuple[str, ...], parked: bool) -> list[RR]:
    domain = story.domain
    found = [RR(domain, QTYPE.NS, rdata=NS(server), ttl=86400) for server in servers]
    found.append(_soa(domain, servers[0]))
    if parked:
        found.append(RR(domain, QTYPE.MX, rdata=MX(".", 0), ttl=_TTL))
        found.append(RR(domain, QTYPE.TXT, rdata=TXT("v=spf1 -all"), ttl=_TTL))
        return found
    if story.index % 4 != 3:
        found.append(RR(domain, QTYPE.MX, rdata=MX(f"mail.{domain}", 10), ttl=_TTL))
        found.append(RR(domain, QTYPE.TXT, rdata=TXT("v=spf1 mx include:sandboxhost.net ~all"), ttl=_TTL))
    if story.index % 5 == 0:
        found.append(RR(domain, QTYPE.CAA, rdata=CAA(0, "issue", "letsencrypt.org"), ttl=_TTL))
    if story.index % 6 == 0:
        texts = [f"verification-{number}={'x' * 180}" for number in range(6)]
        found += [RR(domain, QTYPE.TXT, rdata=TXT(text), ttl=_TTL) for text in texts]
    return found


def _soa(zone: str, server: str) -> RR:
    times = (2026112001, 7200, 900, 1209600, 300)
    return RR(zone or ".", QTYPE.SOA, rdata=SOA(server, f"hostmaster.{zone or 'root'}", times), ttl=300)


def _faults(host: str, kind: str) -> DnsAnswer:
    label = host.removesuffix(FAULTS_ZONE).rstrip(".")
    if label == "servfail":
        return DnsAnswer(RCODE.SERVFAIL)
    if label == "timeout":
        return DnsAnswer(SILENT)
    records: dict[str, tuple[RD, ...]] = {
        "big": tuple(TXT(f"part-{number}={'y' * 200}") for number in range(12)),
        "nullmx": (MX(".", 0),),
        "loop": (CNAME(f"loop.{FAULTS_ZONE}"),),
        "empty": (),
        "": (NS("ns1.sandboxhost.net"), NS("ns2.sandboxhost.net")),
    }
    if label not in records:
        return DnsAnswer(RCODE.NXDOMAIN, authority=(_soa(FAULTS_ZONE, "ns1.sandboxhost.net"),))
    found = [RR(host, getattr(QTYPE, type(rdata).__name__), rdata=rdata, ttl=60) for rdata in records[label]]
    return _found(FAULTS_ZONE, found, kind)
