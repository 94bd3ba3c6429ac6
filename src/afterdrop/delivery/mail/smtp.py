"""Hand one mail to the operator's mail server (SMTP, RFC 5321), and say what came of it in one word and a reason."""

from __future__ import annotations

import email.errors
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Any, Final, Literal

import aiosmtplib

from afterdrop.core.settings import Mail

_SECONDS: Final = 30
_POLICY: Final = SMTP.clone(cte_type="7bit")
# The standard library takes more than linear time and memory to fold a long value.
_LONGEST: Final = 1_000
_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class SmtpResult:
    """`sent`; `later`: the server was not there or said not now; `refused`: it never will (a 5xx)."""

    result: Literal["sent", "later", "refused"]
    error: str | None = None


def compose(row: Mapping[str, Any], sender: str, site_host: str) -> bytes:
    """The mail of a row of the table `mails`: text and HTML, each header on its line, 7 bit throughout.

    Raises ValueError where a row cannot be a mail.

    Its Message-ID is the row's own, so that a mail handed over twice is seen as one by those who care.
    """
    try:
        return _composed(row, sender, site_host)
    except (ValueError, LookupError, AttributeError, TypeError, email.errors.MessageError) as error:
        # The standard library's header parser fails in all these ways on values it does not expect.
        raise ValueError(f"the mail cannot be composed ({type(error).__name__}: {error})"[:300]) from error


def _composed(row: Mapping[str, Any], sender: str, site_host: str) -> bytes:
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
    # Written by hand: the standard library would fold an address too long for its line into encoded pieces.
    more = "".join(
        f"{_header_value(name)}: {_header_value(value)}\r\n" for name, value in row["headers"].items()
    )
    return more.encode("ascii", "replace") + made.as_bytes()


def _header_value(value: object) -> str:
    """A header's value that is one line and stays what it says.

    Readers, and the standard library before it writes the value, would decode `=?…?=`: to anything, line breaks too.
    """
    text = "".join(" " if unicodedata.category(char) in _CONTROLS else char for char in str(value))
    return text.replace("=?", "= ?")


async def send_mail(settings: Mail, recipient: str, mail: bytes) -> SmtpResult:
    """Give the mail to the configured server. Never raises: what went wrong is the answer."""
    server = aiosmtplib.SMTP(
        hostname=settings.host,
        port=settings.port,
        use_tls=settings.security == "tls",
        start_tls=settings.security == "starttls",
        username=settings.user or None,
        password=settings.password or None,
        timeout=_SECONDS,
    )
    taken = False
    try:
        async with server:
            await server.sendmail(parseaddr(settings.sender)[1], [recipient], mail)
            taken = True
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        # Once the server has said yes the mail is its own, however the goodbye goes.
        return SmtpResult("sent") if taken else failure_result(error)
    return SmtpResult("sent")


def failure_result(error: Exception) -> SmtpResult:
    """What a failure means: only an answer about this very mail can refuse it for good."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused) and error.recipients:
        first = error.recipients[0]
        return _refusal_result(first.code, first.message)
    if isinstance(error, aiosmtplib.SMTPAuthenticationError):
        return SmtpResult("later", f"the mail server refused user and password ({error.code})")
    about_mail = aiosmtplib.SMTPSenderRefused | aiosmtplib.SMTPDataError | aiosmtplib.SMTPRecipientRefused
    if isinstance(error, about_mail):
        return _refusal_result(error.code, error.message)
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return SmtpResult("later", f"the mail server answered {error.code}: {error.message}"[:300])
    if isinstance(error, aiosmtplib.SMTPNotSupported):
        return SmtpResult("refused", f"the mail server cannot take this mail: {error}"[:300])
    words = str(error) or type(error).__name__
    return SmtpResult("later", f"the mail server did not take it: {words}"[:300])


def _refusal_result(code: int, words: str) -> SmtpResult:
    result: Literal["later", "refused"] = "refused" if 500 <= code < 600 else "later"
    return SmtpResult(result, f"the mail server answered {code}: {words}"[:300])
