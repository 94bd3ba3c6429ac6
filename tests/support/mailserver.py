"""A mail server for tests (aiosmtpd): takes, defers or refuses, as the recipient's name says."""

from __future__ import annotations

import asyncio
import ssl
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


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
    """What the server took; `refuse_data` is its answer to mails as such."""

    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    refuse_data: str | None = None

    async def handle_RCPT(
        self, server: SMTP, session: Any, envelope: Any, address: str, rcpt_options: list[str]
    ) -> str:
        """`refused@…` never, `later@…` not now."""
        if address.startswith("refused"):
            return "550 5.1.1 no such user"
        if address.startswith("later"):
            return "451 4.3.0 busy"
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        """Keep it."""
        if self.refuse_data is not None:
            return self.refuse_data
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
