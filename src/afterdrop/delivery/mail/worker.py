"""The queue of mails: each is given to the mail server once, or kept when none is configured."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from prometheus_client import Counter
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core import clock
from afterdrop.core.log_lines import figures
from afterdrop.db.conflicts import repeated
from afterdrop.db.leases import Claim
from afterdrop.db.tables.delivery import mails
from afterdrop.delivery.mail import store
from afterdrop.delivery.mail.smtp import SmtpResult, compose, send_mail
from afterdrop.delivery.mail.store import MailRow, MailStatus
from afterdrop.queue.loop import Queue, QueueContext

_AT_ONCE: Final = 4
MAILS: Final = Counter(
    "afterdrop_mails_total", "Attempts at mails, by result (sent, later, refused).", ["result"]
)
log = logging.getLogger("afterdrop.delivery")


def mail_queue(context: QueueContext) -> Queue[MailRow]:
    """The queue of mails."""
    settings, ehlo_name, rng = context.settings.mail, context.settings.ehlo_name, clock.rng()
    host = urlsplit(context.settings.site_url).hostname or "localhost"

    async def claim(conn: AsyncConnection, claim: Claim) -> list[MailRow]:
        if not settings.host:
            await store.keep_all(conn)
            return []
        return await store.claim_due(conn, claim)

    async def work(row: MailRow) -> None:
        try:
            composed = compose(row, settings.sender, host)
        except ValueError as error:
            # The row will be no better tomorrow.
            await write(row, SmtpResult("refused", str(error)))
            return
        started = clock.monotonic()
        result = await send_mail(settings, ehlo_name, row["recipient"], composed)
        # Count and log an attempt. A refusal is not quoted: mail servers repeat the address in it.
        seconds = clock.monotonic() - started
        MAILS.labels(result.result).inc()
        told = logging.INFO if result.result == "sent" else logging.WARNING
        extra = figures(mail=row["id"], kind=row["kind"], result=result.result, seconds=round(seconds, 3))
        log.log(
            told, "mail %s (%s): %s after %.2f s", row["id"], row["kind"], result.result, seconds, extra=extra
        )
        await write(row, result)

    async def failed(row: MailRow, error: str) -> None:
        await write(row, SmtpResult("later", error))

    async def write(row: MailRow, result: SmtpResult) -> None:
        now = context.now()
        retry_at = mail_retry(row["attempts"], now, rng.random()) if result.result == "later" else None
        status: MailStatus = (
            "sent" if result.result == "sent" else "failed" if retry_at is None else "pending"
        )

        async def settle() -> None:
            async with context.database.write() as conn:
                await store.settle(conn, row, status, now, due_at=retry_at, error=result.error)

        await repeated(settle)  # here, not with the work as a whole: the mail may be sent

    waiting = mails.c.status == "pending"
    return Queue(
        name="mails",
        table=mails,
        claim=claim,
        work=work,
        failed=failed,
        at_once=_AT_ONCE,
        waiting=waiting,
    )


# Seconds between attempts: no mail is lost while a mail server is down for a day.
MAIL_WAITS = (60, 300, 900, 3600, 7200, 14400, 21600, 43200)
JITTER = 0.1


def mail_retry(attempts: int, now: datetime, jitter: float) -> datetime | None:
    """When to send a mail again after `attempts` that failed for now; None once it has been tried for a day.

    `jitter`, 0–1, lengthens the wait by up to a tenth.
    """
    if attempts > len(MAIL_WAITS):
        return None
    return now + timedelta(seconds=MAIL_WAITS[attempts - 1] * (1 + JITTER * jitter))
