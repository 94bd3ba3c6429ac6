"""An authoritative DNS server of the tests' own (dnslib, UDP and TCP), with failures on demand."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dnslib import QTYPE, RCODE, RR, DNSRecord
from dnslib.server import BaseResolver, DNSLogger, DNSServer

from tests.support.ports import free_port

ZONE = """
parked-name.com. 300 IN NS ns1.sedoparking.com.
parked-name.com. 300 IN A 93.184.216.40
name.com. 300 IN SOA ns1.name.com. hostmaster.name.com. 2026112001 3600 600 86400 300
name.com. 300 IN NS ns2.name.com.
name.com. 300 IN NS ns1.name.com.
name.com. 120 IN A 93.184.216.34
name.com. 120 IN A 10.0.0.7
name.com. 120 IN AAAA 2606:2800:220:1:248:1893:25c8:1946
name.com. 120 IN AAAA fd00::7
name.com. 300 IN MX 20 mx2.name.com.
name.com. 300 IN MX 5 mx1.name.com.
name.com. 300 IN TXT "v=spf1 include:_spf.name.com -all"
name.com. 300 IN CAA 0 issue "letsencrypt.org"
_dmarc.name.com. 300 IN TXT "v=DMARC1; p=reject"
www.name.com. 300 IN CNAME name.com.
no-mail.com. 300 IN MX 0 .
no-mail.com. 300 IN A 93.184.216.35
alias.com. 300 IN CNAME gone.com.
unused.com. 300 IN A 93.184.216.41
com. 300 IN SOA a.com. hostmaster.com. 2026112001 3600 600 86400 300
plain.com. 300 IN A 93.184.216.36
plain.com. 300 IN TXT "v=spf1 -all"
plain.com. 300 IN TXT "v=spf1 mx -all"
_dmarc.plain.com. 300 IN TXT "v=DMARC1; p=none"
_dmarc.plain.com. 300 IN TXT "v=DMARC1; p=reject"
below.plain.com. 300 IN A 10.0.0.8
"""


@dataclass
class Zone(BaseResolver):  # type: ignore[misc]  # dnslib is untyped
    """Answers from records; `failing` names get SERVFAIL, `silent` ones no answer, `long` ones 40 TXT records."""

    records: list[Any] = field(default_factory=lambda: RR.fromZone(ZONE))
    failing: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    long: set[str] = field(default_factory=set)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def calm(self) -> None:
        """Reset every failure and recorded query."""
        for held in (self.failing, self.silent, self.long, self.asked):
            held.clear()

    def resolve(self, request: DNSRecord, handler: Any) -> DNSRecord:
        """Answer one query."""
        name, kind = str(request.q.qname).lower().rstrip("."), QTYPE[request.q.qtype]
        self.asked.append((name, kind, handler.protocol))
        reply = request.reply()
        if name in self.silent:
            time.sleep(1.5)
        if name in self.failing:
            reply.header.rcode = RCODE.SERVFAIL
            return reply
        if name in self.long and kind == "TXT" and handler.protocol == "udp":
            reply.header.tc = 1
            return reply
        if name in self.long and kind == "TXT":
            for number in range(40):
                reply.add_answer(*RR.fromZone(f'{name}. 60 IN TXT "{number:03} {"x" * 200}"'))
            return reply
        self._fill(reply, name, kind)
        return reply

    def _fill(self, reply: DNSRecord, name: str, kind: str) -> None:
        mine = [record for record in self.records if str(record.rname).lower().rstrip(".") == name]
        if not mine and name not in self.long:
            reply.header.rcode = RCODE.NXDOMAIN
        for record in mine:
            if QTYPE[record.rtype] == kind:
                reply.add_answer(record)
            elif QTYPE[record.rtype] == "CNAME":
                reply.add_answer(record)
                self._fill(reply, str(record.rdata).lower().rstrip("."), kind)


@contextmanager
def serving(zone: Zone) -> Iterator[str]:
    """Serve `zone` on one free port of 127.0.0.1, UDP and TCP; yields `address:port`."""
    port = free_port()
    quiet = DNSLogger("-request,-reply,-truncated,-error")
    servers = [DNSServer(zone, "127.0.0.1", port, tcp=tcp, logger=quiet) for tcp in (False, True)]
    for server in servers:
        server.start_thread()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        for server in servers:
            server.stop()
            server.server.server_close()
