"""The DNS resolver over UDP and TCP on one port; long answers are truncated over UDP (RFC 1035, RFC 6891)."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from dnslib import QTYPE, RCODE, DNSError, DNSRecord

from afterdrop.sandbox import zone
from afterdrop.sandbox.state import SandboxState

_PLAIN_UDP = 512
_MOST_UDP = 1232


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
        asked = DNSRecord.parse(packet)
    except DNSError:
        return None
    name, kind = str(asked.q.qname).rstrip("."), QTYPE.get(asked.q.qtype, "")
    transport = "tcp" if stream else "udp"
    rule = sandbox.faults.strike("dns", f"{name} {kind}")
    if rule:
        sandbox.note("dns", transport, kind, name, RCODE.SERVFAIL, "")
        return None if rule.kind in ("timeout", "reset", "cut") else _failed(asked, RCODE.SERVFAIL)
    found = zone.answer(sandbox.world, name, kind, sandbox.clock.now())
    sandbox.note("dns", transport, kind, name, found.code, "")
    if found.code == zone.SILENT:
        return None
    reply = asked.reply(aa=0, ra=1)
    reply.header.rcode = found.code
    for record in found.records:
        reply.add_answer(record)
    for record in found.authority:
        reply.add_auth(record)
    packed: bytes = reply.pack()
    if not stream and len(packed) > _limit(asked):
        cut = asked.reply(ra=1)
        cut.header.tc = 1
        packed = cut.pack()
    return packed


def _limit(asked: Any) -> int:
    sizes = [record.rclass for record in asked.ar if record.rtype == QTYPE.OPT]
    return min(max(sizes[0], _PLAIN_UDP), _MOST_UDP) if sizes else _PLAIN_UDP


def _failed(asked: Any, code: int) -> bytes:
    reply = asked.reply(ra=1)
    reply.header.rcode = code
    packed: bytes = reply.pack()
    return packed


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, sandbox: SandboxState) -> None:
        self.sandbox = sandbox
        self.transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        packed = _answer(self.sandbox, data, stream=False)
        if packed is not None and self.transport is not None:
            self.transport.sendto(packed, addr)


def _stream(sandbox: SandboxState) -> Any:
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
