"""A mail server for tests (aiosmtpd): takes, defers or refuses, as the recipient's name or the test says."""

from __future__ import annotations

import asyncio
import re
import ssl
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

_FULL_NAME = re.compile(r"(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*|\[(?:IPv6:)?[0-9a-f.:]+\]")


@dataclass
class Taken:
    """One mail as it came in."""

    sender: str
    recipients: list[str]
    raw: bytes
    encrypted: bool

    @property
    def mail(self) -> EmailMessage:
        """The parsed mail."""
        parsed = message_from_bytes(self.raw, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed


@dataclass
class Server:
    """What the server heard and took; `replies` are its answers to single commands.

    `full_name_at` is the command at which it refuses clients whose name is neither full nor an address literal.
    """

    port: int = 0
    heard: list[str] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    full_name_at: str = ""

    def reply(self, command: str, name: str, usual: str) -> str:
        """What is answered to a command of the client that calls itself `name`."""
        if command == self.full_name_at and not _FULL_NAME.fullmatch(name):
            return f"504 5.5.2 <{name}>: Helo command rejected: need fully-qualified hostname"
        return self.replies.get(command, usual)

    async def handle_EHLO(
        self, server: SMTP, session: Any, envelope: Any, hostname: str, responses: list[str]
    ) -> list[str]:
        """Greet."""
        self.heard.append(f"EHLO {hostname}")
        reply = self.reply("EHLO", hostname, "")
        if reply:
            return [reply]
        session.host_name = hostname
        return responses

    async def handle_HELO(self, server: SMTP, session: Any, envelope: Any, hostname: str) -> str:
        """Greet, as it would an EHLO."""
        self.heard.append(f"HELO {hostname}")
        session.host_name = hostname
        return self.reply("EHLO", hostname, "250 mail.example")

    async def handle_MAIL(
        self, server: SMTP, session: Any, envelope: Any, address: str, mail_options: list[str]
    ) -> str:
        """Take any sender."""
        self.heard.append(f"MAIL {address}")
        reply = self.reply("MAIL", session.host_name, "250 ok")
        if reply.startswith("250"):
            envelope.mail_from = address
        return reply

    async def handle_RSET(self, server: SMTP, session: Any, envelope: Any) -> str:
        """Forget the mail."""
        self.heard.append("RSET")
        return "250 ok"

    async def handle_QUIT(self, server: SMTP, session: Any, envelope: Any) -> str:
        """Part."""
        self.heard.append("QUIT")
        return "221 bye"

    async def handle_RCPT(
        self, server: SMTP, session: Any, envelope: Any, address: str, rcpt_options: list[str]
    ) -> str:
        """`refused@…` never, `later@…` not now."""
        self.heard.append(f"RCPT {address}")
        if not (reply := self.reply("RCPT", session.host_name, "250 ok")).startswith("250"):
            return reply
        if address.startswith("refused"):
            return "550 5.1.1 no such user"
        if address.startswith("later"):
            return "451 4.3.0 busy"
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        """Keep it."""
        self.heard.append("DATA")
        if reply := self.reply("DATA", session.host_name, ""):
            return reply
        assert server.transport is not None
        encrypted = server.transport.get_extra_info("ssl_object") is not None
        self.taken.append(Taken(envelope.mail_from, envelope.rcpt_tos, envelope.original_content, encrypted))
        return "250 kept"


def _sign_in(server: SMTP, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
    good = isinstance(given, LoginPassword) and (given.login, given.password) == (b"user", b"secret")
    return AuthResult(success=good, handled=False)


@asynccontextmanager
async def mailserver(
    *, tls: ssl.SSLContext | None = None, starttls: ssl.SSLContext | None = None, sign_in: bool = False
) -> AsyncIterator[Server]:
    """A running server on a free port."""
    kept = Server()
    more: dict[str, Any] = {}
    if sign_in:
        more = {"authenticator": _sign_in, "auth_required": True, "auth_require_tls": False}
    loop = asyncio.get_running_loop()

    def made() -> SMTP:
        with warnings.catch_warnings():
            # It warns of asking for a password without encryption, which is what one of the tests is about.
            warnings.simplefilter("ignore", UserWarning)
            return SMTP(
                kept, hostname="mail.example", tls_context=starttls, require_starttls=starttls is not None,
                loop=loop, **more,
            )  # fmt: skip

    listening = await loop.create_server(made, "127.0.0.1", 0, ssl=tls)
    kept.port = listening.sockets[0].getsockname()[1]
    try:
        yield kept
    finally:
        listening.close()
