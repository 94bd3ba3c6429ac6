"""Reminders of domains about to end, each hour once: events for receivers, mails for those who want them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts import audience, ending_soon, notices
from afterdrop.alerts.audience import Reminder
from afterdrop.alerts.context import AlertsContext
from afterdrop.alerts.ending_soon import Follower
from afterdrop.alerts.reminders import due_hour
from afterdrop.catalogue.store import links_of, summaries
from afterdrop.delivery import events
from afterdrop.delivery.mail import store
from afterdrop.delivery.mail.store import MailContext

_DOMAINS_AT_ONCE: Final = 50
_WRITTEN_AT_ONCE: Final = 100
_TURN: Final = 20


@dataclass(frozen=True, slots=True)
class _Due:
    """A reminder to be sent, with what it says."""

    reminder: Reminder
    follower: Follower
    domain: Mapping[str, Any]


async def remind(context: AlertsContext) -> dict[str, int]:
    """Send every reminder that is due; gives how many."""
    count = 0
    for operators in (False, True):
        async with context.database.read() as conn:
            soon = await ending_soon.ending(conn, context.now(), operators=operators)
        for start in range(0, len(soon), _DOMAINS_AT_ONCE):
            due = await _due_among(context, dict(soon[start : start + _DOMAINS_AT_ONCE]), operators=operators)
            for at in range(0, len(due), _WRITTEN_AT_ONCE):
                count += await _send(context, due[at : at + _WRITTEN_AT_ONCE])
    return {"reminders": count}


async def _due_among(context: AlertsContext, rounds: Mapping[str, int], *, operators: bool) -> list[_Due]:
    now = context.now()
    viewer = Viewer(0, "pro", operators)
    async with context.database.read() as conn:
        shown = await summaries(conn, rounds, viewer, now, links_of(context.settings))
        ends = {name: _end(domain) for name, domain in shown.items()}
        followers = await ending_soon.followers(conn, rounds, now, operators=operators)
    due = []
    for one in followers:
        ends_at = ends.get(one.domain)
        if ends_at is None:
            continue
        hour = due_hour(one.member.reminder_hours, ends_at, one.since, one.sent, now)
        if hour is not None:
            reminder = Reminder(one.member.id, one.domain, one.round, hour)
            due.append(_Due(reminder, one, shown[one.domain]))
    return due


def _end(domain: Mapping[str, Any]) -> datetime | None:
    ends_at = domain["listing"]["ends_at"]
    return None if ends_at is None else datetime.fromisoformat(ends_at)


async def _send(context: AlertsContext, due: Sequence[_Due]) -> int:
    now = context.now()
    drafts = await _mails(context, due, now)
    async with context.database.write() as conn:
        new = await audience.put_reminders(conn, [one.reminder for one in due], now)
        told = [
            notices.ending_event(one.reminder, one.domain, "watchlist" if one.follower.watching else "alert")
            for one in due
            if _key(one.reminder) in new
        ]
        await events.record_all(conn, events.DOMAIN_ENDING_SOON, told, now)
        await store.queue_mails(conn, [draft for key, draft in drafts.items() if key in new], now)
    return len(new)


def _key(reminder: Reminder) -> tuple[int, str, int]:
    return reminder.account_id, reminder.domain, reminder.hour


async def _mails(
    context: AlertsContext, due: Sequence[_Due], now: datetime
) -> dict[tuple[int, str, int], store.MailDraft]:
    """Written before the transaction: it takes longer than a writer may keep others waiting."""
    mail_context = MailContext.of(context.settings, context.secret_box)
    drafts: dict[tuple[int, str, int], store.MailDraft] = {}
    for one in due:
        follower = one.follower
        member = follower.member
        reason = notices.mail_reason(member, watching=follower.watching, ruled=follower.ruled)
        if reason is not None:
            drafts[_key(one.reminder)] = notices.reminder_mail(
                mail_context, member, one.reminder, one.domain, reason, now
            )
            if len(drafts) % _TURN == 0:
                await asyncio.sleep(0)
    return drafts
