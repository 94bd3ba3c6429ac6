"""Unsubscribe links: signed, valid for 400 days, and harmless to follow twice (RFC 8058)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.accounts.store import change_account
from afterdrop.delivery.mail.message import Topic

VALID: Final = timedelta(days=400)
_PURPOSE: Final = "unsubscribe from mails"
# The columns of an account that unsubscribing from a topic sets to false.
SWITCHES: Final[dict[Topic, tuple[str, ...]]] = {
    "alerts": ("mail_alerts",),
    "watches": ("mail_watches", "mail_rule_reminders"),
    "weekly": ("mail_weekly",),
    "checks": ("mail_checks",),
}


def unsubscribe_token(secret_box: SecretBox, account_id: int, topic: Topic, now: datetime) -> str:
    """A URL-safe token to unsubscribe an account from `topic`. It survives signing out and a new password."""
    return secret_box.sign(_PURPOSE, [account_id, topic, int((now + VALID).timestamp())])


def read_token(secret_box: SecretBox, token: str, now: datetime) -> tuple[int, Topic] | None:
    """The account and topic of a token; None when it is forged or too old."""
    match secret_box.verify(_PURPOSE, token):
        case [int(account_id), "alerts" | "watches" | "checks" | "weekly" as topic, int(ends)] if (
            now.timestamp() < ends
        ):
            return account_id, topic
    return None


async def unsubscribe(conn: AsyncConnection, account_id: int, topic: Topic) -> bool:
    """Stop mails about `topic` to an account; False when the account is gone."""
    off: dict[str, Any] = dict.fromkeys(SWITCHES[topic], False)
    return await change_account(conn, account_id, **off)
