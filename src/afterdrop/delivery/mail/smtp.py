"""Compose a mail and give it to the operator's mail server (SMTP, RFC 5321)."""

from __future__ import annotations

import email.errors
import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import aiosmtplib

from afterdrop.core.settings import Mail
from afterdrop.delivery.mail.message import MARK
from afterdrop.delivery.mail.store import MailContent

_SECONDS: Final = 30
_POLICY: Final = SMTP.clone(cte_type="7bit")
# The standard library takes more than linear time and memory to fold a long value.
_LONGEST: Final = 1_000
# A reply that every mail would get refuses none of them: it speaks of us, and the operator can mend that. Such are
# - any reply to the greeting, EHLO, STARTTLS or AUTH (RFC 5321, 4.3.2);
# - any reply to MAIL, whose only argument is our sender, except 552: this mail is too large (RFC 1870, 6.1);
# - to RCPT or DATA, codes of the session (RFC 3207, 4954; 503 asks for another command first), or the enhanced codes
#   (RFC 5248; 7372: SPF, reverse DNS) that some servers send with 550 or 554 instead;
# - 501, 502 and 504 (RFC 5321, 4.2.2: wrong parameters) to RCPT or DATA, unless they name the recipient;
# - replies in words about our name, our address or our sender: many servers judge EHLO and MAIL only at RCPT.
_ABOUT_SESSION: Final = frozenset({503, 530, 534, 535, 538})
_SESSION_CODE: Final = re.compile(r"5\.7\.(?:8|9|10|11|2[0-7])\b|5\.1\.[78]\b")
_ABOUT_PARAMETERS: Final = frozenset({501, 502, 504})
_ABOUT_US: Final = re.compile(
    r"\b(?:helo|ehlo|client host|sender address|relay access|relaying|to relay|relay not)\b", re.IGNORECASE
)
# The recipient's address (RFC 3463, 3.2; RFC 7505) and mailbox (3.3).
_RECIPIENT_CODE: Final = re.compile(r"5\.(?:1\.(?:[12346]|10)|2\.[0-4])\b")
_TOO_LARGE: Final = 552
_LINE_BREAKING: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class SmtpResult:
    """`sent`; `later`: the server is away, or refuses the session or for now; `refused`: it refuses this mail."""

    result: Literal["sent", "later", "refused"]
    error: str | None = None


def compose(row: MailContent, sender: str, site_host: str) -> bytes:
    """The mail of a row: text and HTML, each header on one line, 7 bit throughout.

    The Message-ID follows from the row, so that receivers can recognise a mail that was sent twice. Raises ValueError
    when the row cannot be a mail.
    """
    try:
        return _composed(row, sender, site_host)
    except (ValueError, LookupError, AttributeError, TypeError, email.errors.MessageError) as error:
        # The standard library's header parser raises all of these on unexpected values.
        raise ValueError(f"the mail cannot be composed ({type(error).__name__}: {error})"[:300]) from error


def _composed(row: MailContent, sender: str, site_host: str) -> bytes:
    if "=?" in row["recipient"]:
        raise ValueError("the recipient's address is an encoded word, which mail servers decode")
    made = EmailMessage(policy=_POLICY)
    created: datetime = row["created_at"]
    headers = {
        "From": sender,
        "To": row["recipient"],
        "Subject": row["subject"],
        "Date": format_datetime(created),
        "Message-ID": f"<{row['id']}.{int(created.timestamp())}@{site_host}>",
        "Auto-Submitted": "auto-generated",
    }
    for name, value in headers.items():
        made[name] = _header_value(value)[:_LONGEST]
    made.set_content(row["text"])
    if row["html"] is not None:
        made.add_alternative(row["html"], subtype="html")
        if f"cid:{MARK}" in row["html"]:
            *_, page = made.iter_parts()
            page.add_related(_mark(), "image", "png", cid=f"<{MARK}>", disposition="inline")
    # Written by hand: the standard library would fold a long address into encoded pieces.
    more = "".join(
        f"{_header_value(name)}: {_header_value(value)}\r\n" for name, value in row["headers"].items()
    )
    return more.encode("ascii", "replace") + made.as_bytes()


@lru_cache(maxsize=1)
def _mark() -> bytes:
    return Path(__file__).with_name("mark.png").read_bytes()


def _header_value(value: object) -> str:
    """A header's value on one line, without encoded words.

    Mail readers would decode `=?…?=` to anything, line breaks too; so does the standard library when it writes one.
    """
    text = "".join(" " if unicodedata.category(char) in _LINE_BREAKING else char for char in str(value))
    return text.replace("=?", "= ?")


def _server(settings: Mail, ehlo_name: str) -> aiosmtplib.SMTP:
    """The configured server, not yet connected to. Without a name the library would say this machine's own."""
    return aiosmtplib.SMTP(
        hostname=settings.host,
        local_hostname=ehlo_name,
        port=settings.port,
        use_tls=settings.security == "tls",
        start_tls=settings.security == "starttls",
        username=settings.user or None,
        password=settings.password or None,
        timeout=_SECONDS,
    )


async def rehearse_mail(settings: Mail, ehlo_name: str, recipient: str) -> SmtpResult:
    """Go as far as a mail to `recipient` would, up to its text, and send none. A failure names the command refused."""
    sender = parseaddr(settings.sender)[1]
    try:
        async with _server(settings, ehlo_name) as server:
            await server.mail(sender)
            await server.rcpt(recipient)
            await server.rset()
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        refused = {
            aiosmtplib.SMTPHeloError: f"EHLO {ehlo_name}: ",
            aiosmtplib.SMTPSenderRefused: f"MAIL FROM:<{sender}>: ",
            aiosmtplib.SMTPRecipientRefused: f"RCPT TO:<{recipient}>: ",
        }.get(type(error), "")
        result = failure_result(error)
        return replace(result, error=f"{refused}{result.error}")
    return SmtpResult("sent")


async def send_mail(settings: Mail, ehlo_name: str, recipient: str, mail: bytes) -> SmtpResult:
    """Send the mail through the configured server. Never raises: a failure is in the result."""
    server = _server(settings, ehlo_name)
    taken = False
    try:
        async with server:
            await server.sendmail(parseaddr(settings.sender)[1], [recipient], mail)
            taken = True
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        # Once the server has accepted the mail it is responsible for it, also when closing the connection fails.
        return SmtpResult("sent") if taken else failure_result(error)
    return SmtpResult("sent")


def failure_result(error: Exception) -> SmtpResult:
    """The result of a failure: only an answer about this mail can refuse it for good."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused) and error.recipients:
        error = error.recipients[0]
    if isinstance(error, aiosmtplib.SMTPAuthenticationError):
        return SmtpResult("later", f"the mail server refused user and password ({error.code})")
    if isinstance(error, aiosmtplib.SMTPResponseException):
        result: Literal["later", "refused"] = "refused" if _refuses_mail(error) else "later"
        return SmtpResult(result, f"the mail server answered {error.code}: {error.message}"[:300])
    if isinstance(error, aiosmtplib.SMTPNotSupported):
        return SmtpResult("refused", f"the mail server cannot take this mail: {error}"[:300])
    words = str(error) or type(error).__name__
    return SmtpResult("later", f"the mail server did not take it: {words}"[:300])


def _refuses_mail(error: aiosmtplib.SMTPResponseException) -> bool:
    """Whether a reply is for good, and about this mail or its recipient: not about us, as every mail would get it."""
    code, words = error.code, error.message
    if not 500 <= code < 600 or code in _ABOUT_SESSION or _SESSION_CODE.match(words):
        return False
    if isinstance(error, aiosmtplib.SMTPSenderRefused):
        return code == _TOO_LARGE
    if not isinstance(error, aiosmtplib.SMTPRecipientRefused | aiosmtplib.SMTPDataError):
        return False
    if _RECIPIENT_CODE.match(words):
        return True
    # Servers repeat the recipient, which may hold any of the words.
    if _ABOUT_US.search(" ".join(word for word in words.split() if "@" not in word)):
        return False
    return code not in _ABOUT_PARAMETERS or "@" in words or "recipient" in words.lower()
