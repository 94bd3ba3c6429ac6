"""Reminders of domains about to end or drop, once for each chosen hour and end, as events and mails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue import drops
from afterdrop.catalogue.lists.snapshot_store import lives
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.store import summaries
from afterdrop.catalogue.summary import Links
from afterdrop.delivery import events
from afterdrop.delivery.mail.store import MailContext
from afterdrop.watching import notice_store
from afterdrop.watching.mail_times import Reminder, due_hour, sent_of
from afterdrop.watching.notice_store import Follower
from afterdrop.watching.notices import reminder_notice
from afterdrop.watching.telling import tell
from afterdrop.worker_context import WorkerContext

_DOMAINS_AT_ONCE: Final = 50
_WRITTEN_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class _Due:
    """A reminder to be sent, with what it says."""

    reminder: Reminder
    follower: Follower
    domain: Summary
    life: str | None


async def remind(context: WorkerContext) -> dict[str, int]:
    """Send every reminder that is due; gives how many."""
    count, mail_context = 0, MailContext.of(context.settings, context.secret_box)
    async with context.database.read() as conn:
        soon = await notice_store.ending_soon(conn, context.now())
    for start in range(0, len(soon), _DOMAINS_AT_ONCE):
        due = await _due_among(context, dict(soon[start : start + _DOMAINS_AT_ONCE]))
        for at in range(0, len(due), _WRITTEN_AT_ONCE):
            count += await _send(context, mail_context, due[at : at + _WRITTEN_AT_ONCE])
    return {"reminders": count}


async def _due_among(context: WorkerContext, rounds: Mapping[str, int]) -> list[_Due]:
    now = context.now()
    viewer = Viewer(0, "pro")
    async with context.database.read() as conn:
        shown = await summaries(conn, rounds, viewer, now, Links.of(context.settings))
        dues = {name: _due_at(domain) for name, domain in shown.items()}
        followers = await notice_store.followers(conn, rounds, now)
        packed = await lives(conn, sorted(rounds))
    due = []
    for one in followers:
        due_at = dues.get(one.domain)
        if due_at is None:
            continue
        sent = sent_of(one.sent, due_at)
        hour = due_hour(one.recipient.reminder_hours, due_at, one.since, sent, now)
        if hour is not None:
            reminder = Reminder(one.recipient.id, one.domain, one.round, hour, due_at)
            due.append(_Due(reminder, one, shown[one.domain], packed.get(one.domain)))
    return due


def _due_at(domain: Summary) -> datetime | None:
    at = drops.due(domain["listing"])
    return None if at is None else datetime.fromisoformat(at)


async def _send(context: WorkerContext, mail_context: MailContext, due: Sequence[_Due]) -> int:
    now = context.now()

    async def mark(conn: AsyncConnection, _: datetime) -> set[tuple[int, str, int]]:
        return await notice_store.put_reminders(conn, [one.reminder for one in due])

    drafted = (
        reminder_notice(mail_context, one.reminder, one.follower, one.domain, one.life, now) for one in due
    )
    return await tell(context, events.DOMAIN_ENDING_SOON, drafted, mark)
