"""What a mail server's reply means: this mail is refused, or every mail would be, so that it waits."""

from __future__ import annotations

import aiosmtplib
import pytest

from afterdrop.delivery.mail import smtp
from afterdrop.delivery.mail.smtp import SmtpResult


def _refusals(code: int, words: str) -> list[Exception]:
    """The reply, to each command of a mail."""
    recipient = aiosmtplib.SMTPRecipientRefused(code, words, "b@members.example")
    return [
        aiosmtplib.SMTPSenderRefused(code, words, "a@drops.example"),
        aiosmtplib.SMTPRecipientsRefused([recipient]),
        aiosmtplib.SMTPDataError(code, words),
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "530 5.7.0 Must issue a STARTTLS command first",
        "530 5.7.1 Authentication required",
        "530 Access denied",
        "538 5.7.11 Encryption required for requested authentication mechanism",
        "534 5.7.9 Authentication mechanism is too weak",
        "535 5.7.8 Authentication credentials invalid",
        "503 5.5.1 Error: send AUTH first",
        "550 5.7.8 Sign in first",
        "554 5.7.10 Encryption needed",
        "421 4.7.0 Too many connections",
        "454 4.7.0 TLS not available due to local problem",
    ],
)
def test_a_reply_about_the_session_refuses_no_mail(reply: str) -> None:
    for error in _refusals(int(reply[:3]), reply[4:]):
        result = smtp.failure_result(error)
        assert result == SmtpResult("later", f"the mail server answered {reply[:3]}: {reply[4:]}")


@pytest.mark.parametrize(
    "reply",
    [
        "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname",
        "504 5.5.2 <localhost>: not a full name",
        "501 5.5.4 Invalid domain name",
        "501 Syntactically invalid HELO argument(s)",
        "502 5.5.1 EHLO first",
        "550 5.7.1 <drops.example>: Helo command rejected: You are not me",
        "550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)",
        "554 EHLO name does not resolve to your address",
        "554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied",
        "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.example",
        "554 5.7.1 <b@members.example>: Relay access denied",
        "550 5.7.1 Unable to relay",
        "550 5.7.25 The address has no PTR record",
        "550 5.7.23 SPF check failed",
        "550 5.1.8 <a@drops.example>: Sender address rejected: Domain not found",
        "504 5.5.2 <a@localhost>: Sender address rejected: need fully-qualified address",
        "553 5.7.1 <a@drops.example>: Sender address rejected: not owned by user u",
    ],
)
def test_a_reply_about_us_refuses_no_mail_at_whatever_command(reply: str) -> None:
    for error in _refusals(int(reply[:3]), reply[4:]):
        assert smtp.failure_result(error).result == "later"


@pytest.mark.parametrize(
    "reply",
    [
        "550 5.1.1 no such user",
        "550 5.1.1 <helo@members.example>: Recipient address rejected: User unknown",
        "550 <ehlo@helo.example>: no such user",
        "550 5.1.2 helo: no such domain",
        "550 5.2.1 mailbox of ehlo disabled",
        "556 5.1.10 null MX",
        "501 5.1.3 Bad recipient address syntax",
        "501 <b@-members.example>: domain missing or malformed",
        "504 5.5.2 <b@members>: Recipient address rejected: need fully-qualified address",
        "550 No such user 530",
        "554 5.7.1 spam",
        "552 5.3.4 Message too big",
        "553 5.1.3 bad address 5.7.8",
        "550 5.7.80 policy",
    ],
)
def test_a_reply_about_the_mail_refuses_it(reply: str) -> None:
    for error in _refusals(int(reply[:3]), reply[4:])[1:]:
        assert smtp.failure_result(error).result == "refused"


def test_a_refused_sender_is_every_mails_unless_this_one_is_too_large() -> None:
    for reply in ("550 5.1.1 no such user", "501 5.1.7 Bad sender address syntax", "555 5.5.2 Syntax error"):
        assert smtp.failure_result(_refusals(int(reply[:3]), reply[4:])[0]).result == "later"
    assert smtp.failure_result(_refusals(552, "5.3.4 Message too big")[0]).result == "refused"
