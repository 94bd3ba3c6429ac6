"""An SMTP server that accepts and keeps every mail, with as much of RFC 5321 as real clients need.

Recipients whose local part begins with `reject` are refused for good (550), those with `defer` for now (451).
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from email import message_from_bytes, policy

from afterdrop.sandbox.state import SandboxState

_MOST_BYTES = 10_000_000
_MOST_LINE = 65_536
_ADDRESS = re.compile(r"<([^<>]*)>")


@dataclass
class Envelope:
    """One mail during its SMTP session."""

    sender: str = ""
    recipients: list[str] = field(default_factory=list)


async def serve(sandbox: SandboxState, host: str, port: int) -> asyncio.Server:
    """Listen for mail; received mails are in `sandbox.mails`."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _talk(sandbox, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass  # the client disconnected or sent something that is no mail: nothing is kept
        finally:
            writer.close()

    return await asyncio.start_server(talk, host, port, limit=_MOST_LINE)


async def _talk(sandbox: SandboxState, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    envelope = Envelope()
    writer.write(b"220 sandbox ESMTP\r\n")
    while line := await reader.readline():
        text = line.decode("utf-8", "replace").strip()
        verb = text[:4].upper()
        if verb == "QUIT":
            writer.write(b"221 2.0.0 bye\r\n")
            await writer.drain()
            return
        if verb == "DATA" and envelope.recipients:
            writer.write(b"354 go ahead\r\n")
            await writer.drain()
            data = await _data(reader)
            _keep(sandbox, envelope, data)
            envelope = Envelope()
            writer.write(b"250 2.0.0 kept\r\n")
        else:
            envelope, reply = _answer(verb, text, envelope)
            writer.write(reply)
        await writer.drain()


def _answer(verb: str, text: str, envelope: Envelope) -> tuple[Envelope, bytes]:
    address = _ADDRESS.search(text)
    if verb in ("EHLO", "HELO"):
        return Envelope(), b"250-sandbox\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 10000000\r\n"
    if verb == "MAIL" and address:
        return Envelope(sender=address[1]), b"250 2.1.0 ok\r\n"
    if verb == "RCPT" and address:
        return envelope, _recipient(envelope, address[1])
    if verb == "RSET":
        return Envelope(), b"250 2.0.0 ok\r\n"
    if verb in ("NOOP", "VRFY"):
        return envelope, b"250 2.0.0 ok\r\n"
    return envelope, b"503 5.5.1 not now\r\n" if verb in (
        "MAIL",
        "RCPT",
        "DATA",
    ) else b"502 5.5.2 not known\r\n"


def _recipient(envelope: Envelope, address: str) -> bytes:
    if address.startswith("reject"):
        return b"550 5.1.1 no such user\r\n"
    if address.startswith("defer"):
        return b"451 4.3.0 try again later\r\n"
    envelope.recipients.append(address)
    return b"250 2.1.5 ok\r\n"


async def _data(reader: asyncio.StreamReader) -> bytes:
    lines: list[bytes] = []
    size = 0
    while (line := await reader.readuntil(b"\n")) not in (b".\r\n", b".\n"):
        size += len(line)
        if size > _MOST_BYTES:
            raise ValueError("mail too large")
        lines.append(line[1:] if line.startswith(b".") else line)
    return b"".join(lines)


def _keep(sandbox: SandboxState, envelope: Envelope, data: bytes) -> None:
    mail = message_from_bytes(data, policy=policy.default)
    plain = mail.get_body(("plain",))
    sandbox.mails.append({
        "at": round(sandbox.epoch() * 1000), "from": envelope.sender, "to": envelope.recipients,
        "subject": str(mail["Subject"] or ""), "text": "" if plain is None else plain.get_content(),
        "data": data.decode("utf-8", "replace"),
    })  # fmt: skip
