"""The DNS resolver over UDP and TCP on one port, and the records of the invented names at a moment.

Long answers are truncated over UDP (RFC 1035, RFC 6891). Names without delegation do not exist.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import cast

from dns import flags, message, rcode, rdata, rdataclass, rdatatype, rrset
from dns.exception import DNSException, TooBig
from dns.name import root

from afterdrop.sandbox import link_server
from afterdrop.sandbox.registry_server import nameservers_of
from afterdrop.sandbox.state import SandboxState
from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.texts import landers
from afterdrop.sandbox.world import World

SILENT = -1
_TTL = 3600
_PLAIN_UDP = 512
_MOST_UDP = 1232
# Hosts on which the world depends; they always exist.
_HOSTS = {"sandboxhost.net": "45.77.140.2", "renewyourname.net": "45.77.141.5"}


async def serve(
    sandbox: SandboxState, host: str, port: int
) -> tuple[asyncio.DatagramTransport, asyncio.Server]:
    """Listen on `host`; `port` 0 takes a port that is free for both UDP and TCP. Raises OSError when there is none."""
    loop = asyncio.get_running_loop()
    last: OSError | None = None
    for _ in range(1 if port else 20):
        stream = await asyncio.start_server(_stream(sandbox), host, port)
        bound = stream.sockets[0].getsockname()[1]
        try:
            datagram, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(sandbox), (host, bound))
        except OSError as error:
            last = error
            stream.close()
            continue
        sandbox.dns = (host, bound)
        return datagram, stream
    raise last or OSError("no port free for both UDP and TCP")


def _answer(sandbox: SandboxState, packet: bytes, stream: bool) -> bytes | None:
    """The packed answer; None when the server stays silent."""
    try:
        query = message.from_wire(packet)
        asked = query.question[0]
    except (DNSException, IndexError):
        return None
    name, kind = asked.name.to_text(omit_final_dot=True), rdatatype.to_text(asked.rdtype)
    transport = "tcp" if stream else "udp"
    found = answer(sandbox.world, name, kind, sandbox.clock.now())
    sandbox.note("dns", transport, kind, name, found.code, "")
    if found.code == SILENT:
        return None
    reply = _reply(query, found)
    try:
        return reply.to_wire(max_size=0 if stream else _limit(query))
    except TooBig:
        cut = _reply(query, DnsAnswer(rcode.NOERROR))
        cut.flags |= flags.TC
        return cut.to_wire()


def _limit(query: message.Message) -> int:
    return min(max(query.payload, _PLAIN_UDP), _MOST_UDP) if query.edns >= 0 else _PLAIN_UDP


def _reply(query: message.Message, found: DnsAnswer) -> message.Message:
    reply = message.make_response(query, recursion_available=True)
    reply.set_rcode(rcode.Rcode(found.code))
    for section, records in ((reply.answer, found.records), (reply.authority, found.authority)):
        for record in records:
            section.append(rrset.from_rdata(f"{record.host}.", record.ttl, record.rdata))
    return reply


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, sandbox: SandboxState) -> None:
        self.sandbox = sandbox
        self.transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str | int, ...]) -> None:
        packed = _answer(self.sandbox, data, stream=False)
        if packed is not None and self.transport is not None:
            self.transport.sendto(packed, addr)


def _stream(sandbox: SandboxState) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                length = int.from_bytes(await reader.readexactly(2), "big")
                packed = _answer(sandbox, await reader.readexactly(length), stream=True)
                if packed is not None:
                    writer.write(len(packed).to_bytes(2, "big") + packed)
                    await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has closed the connection
        finally:
            writer.close()

    return talk


@dataclass(frozen=True)
class DnsRecord:
    """One record; `text` is its data as zone files write it (RFC 1035), names in it without the last dot."""

    host: str
    kind: str
    text: str
    ttl: int = _TTL

    @property
    def rtype(self) -> rdatatype.RdataType:
        """The record type's number."""
        return rdatatype.from_text(self.kind)

    @cached_property
    def rdata(self) -> rdata.Rdata:
        """The record's data."""
        return rdata.from_text(rdataclass.IN, self.rtype, self.text, origin=root, relativize=False)


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """A response code (SILENT: no response at all) with answer and authority records."""

    code: int
    records: tuple[DnsRecord, ...] = ()
    authority: tuple[DnsRecord, ...] = ()


def answer(world: World, name: str, kind: str, moment: datetime) -> DnsAnswer:
    """The answer to one question; `name` without the last dot, `kind` as text (A, MX …)."""
    host = name.lower().rstrip(".")
    for base, address in _HOSTS.items():
        if host == base or host.endswith(f".{base}"):
            return _found(base, (DnsRecord(host, "A", address),), kind)
    if (there := link_server.host_exists(world, host)) is not None:
        records = (DnsRecord(host, "A", _address(_number(host))),)
        return _found(host, records, kind) if there else DnsAnswer(rcode.NXDOMAIN)
    if host in world.extensions:
        return _found(host, (_soa(host, "a.nic.host"),), kind)
    story = world.find(host)
    phase = story.phase(moment) if story else None
    if story is None or phase is None:
        return DnsAnswer(rcode.NXDOMAIN, authority=(_soa(host.rpartition(".")[2], "a.nic.host"),))
    servers = nameservers_of(story, phase)
    if not servers:
        return DnsAnswer(rcode.NXDOMAIN, authority=(_soa(story.tld.rpartition(".")[2], "a.nic.host"),))
    if story.outcome == "below_filter" and story.index % 23 == 4:
        return DnsAnswer(rcode.SERVFAIL)
    if story.outcome == "below_filter" and story.index % 23 == 9:
        return DnsAnswer(SILENT)
    return _of_story(story, phase, servers, host, kind)


def _of_story(story: Story, phase: Phase, servers: tuple[str, ...], host: str, kind: str) -> DnsAnswer:
    domain = story.domain
    apex = host == domain
    records: list[DnsRecord] = []
    if host == f"www.{domain}":
        records.append(DnsRecord(host, "CNAME", domain))
        host, apex = domain, True
    # The addresses of the parking provider that has these nameservers.
    parked = next((item.addresses for item in landers().values() if item.nameservers == servers), ())
    if not apex and host != f"_dmarc.{domain}" and not host.startswith(("mail.", "ns")):
        return DnsAnswer(rcode.NXDOMAIN, authority=(_soa(domain, servers[0]),))
    if host == f"_dmarc.{domain}":
        return _found(domain, () if parked else (_text(host, "v=DMARC1; p=none"),), kind)
    if kind in ("A", "AAAA") or not apex:
        records += _addresses(story, host, parked)
    else:
        records += _apex(story, servers, bool(parked))
    return _found(domain, records, kind)


def _found(zone: str, records: Iterable[DnsRecord], kind: str) -> DnsAnswer:
    wanted = tuple(record for record in records if record.kind in (kind, "CNAME"))
    return DnsAnswer(rcode.NOERROR, wanted, () if wanted else (_soa(zone, f"ns1.{zone}"),))


def _number(name: str) -> int:
    return int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:4], 16)


def _address(number: int) -> str:
    """An address of a hoster with many networks."""
    return f"45.77.{number >> 8}.{number & 255 or 7}"


def _addresses(story: Story, host: str, parked: tuple[str, ...]) -> list[DnsRecord]:
    number = _number(story.domain)
    own = (_address(number),)
    found = [DnsRecord(host, "A", address, 300) for address in parked or own]
    if not parked and story.index % 2:
        found.append(DnsRecord(host, "AAAA", f"2a05:f480:1400::{number:x}", 300))
    return found


def _apex(story: Story, servers: tuple[str, ...], parked: bool) -> list[DnsRecord]:
    domain = story.domain
    found = [DnsRecord(domain, "NS", server, 86400) for server in servers]
    found.append(_soa(domain, servers[0]))
    if parked:
        return [*found, DnsRecord(domain, "MX", "0 ."), _text(domain, "v=spf1 -all")]
    if story.index % 4 != 3:
        found.append(DnsRecord(domain, "MX", f"10 mail.{domain}"))
        found.append(_text(domain, "v=spf1 mx include:sandboxhost.net ~all"))
    if story.index % 5 == 0:
        found.append(DnsRecord(domain, "CAA", '0 issue "letsencrypt.org"'))
    if story.index % 6 == 0:
        found += [_text(domain, f"verification-{number}={'x' * 180}") for number in range(6)]
    return found


def _text(host: str, text: str) -> DnsRecord:
    return DnsRecord(host, "TXT", f'"{text}"')


def _soa(zone: str, server: str) -> DnsRecord:
    return DnsRecord(
        zone, "SOA", f"{server} hostmaster.{zone or 'root'} 2026112001 7200 900 1209600 300", 300
    )
