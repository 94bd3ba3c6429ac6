"""The queue of mails: each handed to the mail server once, or kept where none is configured."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core import clock
from afterdrop.db.tables.delivery import mails as table
from afterdrop.delivery.mail import store
from afterdrop.delivery.mail.smtp import SmtpResult, compose, send_mail
from afterdrop.delivery.webhooks.retry_schedule import mail_retry
from afterdrop.queue.context import QueueContext
from afterdrop.queue.loop import Queue, Row

_AT_ONCE: Final = 4


def mail_queue(context: QueueContext) -> Queue:
    """The queue of mails."""
    settings, rng = context.settings.mail, clock.rng()
    host = urlsplit(context.settings.site_url).hostname or "localhost"

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[Row]:
        if not settings.host:
            await store.keep_all(conn)
            return []
        return await store.claim_due(conn, context.worker, now, context.lease, limit)

    async def work(row: Row) -> None:
        try:
            mail = compose(row, settings.sender, host)
        except ValueError as error:
            # It will not be another mail tomorrow.
            await write(row, SmtpResult("refused", str(error)))
            return
        await write(row, await send_mail(settings, row["recipient"], mail))

    async def failed(row: Row, error: str) -> None:
        await write(row, SmtpResult("later", error))

    async def write(row: Row, handed: SmtpResult) -> None:
        now = context.now()
        again = mail_retry(row["attempts"], now, rng.random()) if handed.result == "later" else None
        status = "sent" if handed.result == "sent" else "failed" if again is None else "pending"
        async with context.database.write() as conn:
            await store.settle(conn, row, status, now, due_at=again, error=handed.error)

    return Queue("mails", table, claim, work, failed, at_once=_AT_ONCE, lease=context.lease)
