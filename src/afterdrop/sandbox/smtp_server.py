"""An SMTP server that accepts and keeps every mail, with as much of RFC 5321 as the service's client needs."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from email import message_from_bytes, policy

from afterdrop.sandbox.state import SandboxState

_MOST_LINE = 65_536
_ADDRESS = re.compile(r"<([^<>]*)>")
_HELLO = b"250-sandbox\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 10000000\r\n"


async def serve(sandbox: SandboxState, host: str, port: int) -> asyncio.Server:
    """Listen for mail; received mails are in `sandbox.mails`."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A client that disconnects, or sends something that is no mail: nothing is kept.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            await _talk(sandbox, reader, writer)
        writer.close()

    return await asyncio.start_server(talk, host, port, limit=_MOST_LINE)


async def _talk(sandbox: SandboxState, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    sender, recipients = "", list[str]()
    writer.write(b"220 sandbox ESMTP\r\n")
    while line := await reader.readline():
        verb, address = line[:4].upper(), _ADDRESS.search(line.decode("utf-8", "replace"))
        reply = b"250 2.0.0 ok\r\n"
        if verb == b"QUIT":
            break
        if verb == b"EHLO":
            reply = _HELLO
        elif verb == b"MAIL" and address:
            sender, recipients = address[1], []
        elif verb == b"RCPT" and address:
            recipients.append(address[1])
        elif verb == b"DATA":
            writer.write(b"354 go ahead\r\n")
            await writer.drain()
            _keep(sandbox, sender, recipients, await _data(reader))
        writer.write(reply)
        await writer.drain()
    writer.write(b"221 2.0.0 bye\r\n")
    await writer.drain()


async def _data(reader: asyncio.StreamReader) -> bytes:
    lines: list[bytes] = []
    while (line := await reader.readuntil(b"\n")) != b".\r\n":
        lines.append(line[1:] if line.startswith(b".") else line)
    return b"".join(lines)


def _keep(sandbox: SandboxState, sender: str, recipients: list[str], data: bytes) -> None:
    mail = message_from_bytes(data, policy=policy.default)
    plain = mail.get_body(("plain",))
    sandbox.mails.append({
        "at": round(sandbox.epoch() * 1000), "from": sender, "to": recipients,
        "subject": str(mail["Subject"] or ""), "text": "" if plain is None else plain.get_content(),
        "data": data.decode("utf-8", "replace"),
    })  # fmt: skip
