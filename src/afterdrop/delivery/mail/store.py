"""The SQL of mails: queued, claimed, settled, listed, and pruned of links that let their reader in.

Links to unsubscribe are signed, valid for 400 days, and harmless to follow twice (RFC 8058).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Account
from afterdrop.accounts.secret_box import SecretBox
from afterdrop.accounts.store import change_account
from afterdrop.accounts.tokens import VALID, make_token
from afterdrop.core.settings import Settings
from afterdrop.db import leases
from afterdrop.db.dialects import insert_each_once
from afterdrop.db.leases import Claim
from afterdrop.db.tables.delivery import mails
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MailFrame, MailMessage, Topic

# Mails with a link that lets its reader in, and how long it does: only the recipient should be able to read them.
LINK_VALID: Final = {"verification": VALID["verify"], "password_reset": VALID["reset"]}
REMOVED: Final = "This mail contained a link that gives access to an account. Its text is no longer kept."
_WITHOUT_LINK: Final[dict[str, object]] = {"text": REMOVED, "html": None}
_row = mails.c

MailStatus = Literal["pending", "sent", "failed", "kept"]


class MailHead(TypedDict):
    """A mail without its text, as `afterdrop outbox` lists it."""

    id: int
    created_at: datetime
    kind: str
    recipient: str
    status: MailStatus
    subject: str
    error: str | None


class MailContent(TypedDict):
    """The parts from which a mail is composed."""

    id: int
    created_at: datetime
    recipient: str
    subject: str
    text: str
    html: str | None
    headers: dict[str, str]


class MailRow(MailContent):
    """A row of the table `mails`; `occasion` is unique where it is set."""

    account_id: int | None
    kind: str
    occasion: str | None
    status: MailStatus
    error: str | None
    sent_at: datetime | None
    due_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int


@dataclass(frozen=True)
class MailContext:
    """The common values of all mails of the deployment: the site's name and address, and the keys that sign links."""

    site_name: str
    site_url: str
    secret_box: SecretBox

    @classmethod
    def of(cls, settings: Settings, secret_box: SecretBox) -> MailContext:
        """From the settings."""
        return cls(settings.site_name, settings.site_url, secret_box)

    def frame(self, zone: str = "UTC") -> MailFrame:
        """The frame of a mail that is not a notification."""
        return MailFrame(self.site_name, self.site_url, zone)

    def notification(self, account_id: int, topic: Topic, zone: str, now: datetime) -> MailFrame:
        """The frame of a notification, with its unsubscribe link."""
        token = unsubscribe_token(self.secret_box, account_id, topic, now)
        return MailFrame(self.site_name, self.site_url, zone, f"{self.site_url}/unsubscribe/{token}")


@dataclass(frozen=True, slots=True)
class MailDraft:
    """A mail to be queued, once per `occasion`; with None always a new one."""

    recipient: str
    message: MailMessage
    account_id: int | None
    occasion: str | None = None


async def known_occasions(conn: AsyncConnection, occasions: Sequence[str]) -> set[str]:
    """Those of the occasions that there was a mail for."""
    return set(await conn.scalars(sa.select(_row.occasion).where(_row.occasion.in_(occasions))))


async def queue_mails(conn: AsyncConnection, drafts: Sequence[MailDraft], now: datetime) -> set[str]:
    """Queue mails, due now, and give the occasions that were new. At most 500 a call."""
    rows = [
        {
            "account_id": draft.account_id,
            "recipient": draft.recipient,
            "kind": draft.message.kind,
            "occasion": draft.occasion,
            "subject": draft.message.subject,
            "text": draft.message.text,
            "html": draft.message.html,
            "headers": draft.message.headers,
            "status": "pending",
            "created_at": now,
            "due_at": now,
        }
        for draft in drafts
    ]
    made = await insert_each_once(conn, mails, rows, ["occasion"], [_row.occasion])
    return {occasion for (occasion,) in made if occasion is not None}


async def queue_verification(
    conn: AsyncConnection, mail_context: MailContext, account: Account, now: datetime
) -> None:
    """Mail the link that confirms the account's address: {site}/verify/TOKEN (`accounts.tokens`, purpose verify)."""
    link = f"{mail_context.site_url}/verify/{make_token(mail_context.secret_box, 'verify', account, now)}"
    mail = message.verification(mail_context.frame(account.zone), link)
    await queue_mails(conn, [MailDraft(account.email, mail, account.id)], now)


async def queue_password_reset(
    conn: AsyncConnection, mail_context: MailContext, account: Account, now: datetime
) -> None:
    """Mail the link to choose a new password: {site}/reset/TOKEN (`accounts.tokens`, purpose reset)."""
    link = f"{mail_context.site_url}/reset/{make_token(mail_context.secret_box, 'reset', account, now)}"
    mail = message.password_reset(mail_context.frame(account.zone), link)
    await queue_mails(conn, [MailDraft(account.email, mail, account.id)], now)


async def claim_due(conn: AsyncConnection, claim: Claim) -> list[MailRow]:
    """Claim mails that are due, oldest first."""
    due = sa.and_(_row.status == "pending", _row.due_at <= claim.now)
    return await leases.claim(conn, mails, claim, due, [_row.due_at, _row.id])


async def keep_all(conn: AsyncConnection) -> int:
    """Keep all pending mails to be read with `afterdrop outbox`: there is no mail server. Gives how many."""
    done = await conn.execute(
        sa.update(mails)
        .where(_row.status == "pending")
        .values(status="kept", due_at=None, claimed_by=None, lease_until=None)
    )
    return int(done.rowcount)


async def settle(
    conn: AsyncConnection,
    row: MailRow,
    status: MailStatus,
    now: datetime,
    *,
    due_at: datetime | None = None,
    error: str | None = None,
) -> bool:
    """Write the result of sending a mail; False when the lease was lost. A sent mail loses a link that lets in."""
    sent = status == "sent"
    values = _WITHOUT_LINK if sent and row["kind"] in LINK_VALID else {}
    return await leases.settle(
        conn, mails, row, status=status, due_at=due_at, error=error, sent_at=now if sent else None, **values
    )


async def forget_links(conn: AsyncConnection, now: datetime, limit: int) -> int:
    """Remove the texts of up to `limit` mails with a link that lets its reader in; gives how many.

    Sent mails lose it at once, failed and kept ones when the link has expired.
    """
    dead = [
        sa.and_(_row.kind == kind, sa.or_(_row.status == "sent", _row.created_at <= now - valid))
        for kind, valid in LINK_VALID.items()
    ]
    some = (
        sa.select(_row.id).where(_row.status != "pending", _row.text != REMOVED, sa.or_(*dead)).limit(limit)
    )
    done = await conn.execute(sa.update(mails).where(_row.id.in_(some)).values(**_WITHOUT_LINK))
    return int(done.rowcount)


async def prune_mails(conn: AsyncConnection, before: datetime, limit: int) -> int:
    """Delete up to `limit` mails from `before` that are not pending; gives how many."""
    old = sa.select(_row.id).where(_row.status != "pending", _row.created_at <= before).limit(limit)
    return int((await conn.execute(sa.delete(mails).where(_row.id.in_(old)))).rowcount)


async def list_mails(conn: AsyncConnection, limit: int = 50) -> list[MailHead]:
    """The newest mails without their texts."""
    head = [_row[name] for name in MailHead.__annotations__]
    rows = await conn.execute(sa.select(*head).order_by(_row.id.desc()).limit(limit))
    return [cast("MailHead", dict(row)) for row in rows.mappings()]


async def get_mail(conn: AsyncConnection, mail_id: int) -> MailRow | None:
    """One mail with its text, or None."""
    row = (await conn.execute(sa.select(mails).where(_row.id == mail_id))).mappings().first()
    return cast("MailRow", dict(row)) if row else None


UNSUBSCRIBE_VALID: Final = timedelta(days=400)
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
    return secret_box.sign(_PURPOSE, [account_id, topic, int((now + UNSUBSCRIBE_VALID).timestamp())])


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
    off: dict[str, object] = dict.fromkeys(SWITCHES[topic], False)
    return await change_account(conn, account_id, **off)
