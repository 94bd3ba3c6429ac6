"""The free plan's weekly mail: the domains that are open to it on the day of the mail."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.life_line import mail_life
from afterdrop.catalogue.lists.snapshot_store import lives
from afterdrop.catalogue.store import live_now
from afterdrop.catalogue.summary import Links
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.message import MailDomain
from afterdrop.delivery.mail.store import MailContext
from afterdrop.watching import notice_store
from afterdrop.watching.mail_times import last_weekly
from afterdrop.watching.matching_store import Recipient
from afterdrop.watching.notices import mail_domain
from afterdrop.worker_context import WorkerContext

MOST_LISTED: Final = 10
_ACCOUNTS_AT_ONCE: Final = 100
# Who was asleep at the hour gets it late, but not on another day of the week.
_LATE: Final = timedelta(hours=12)
# Mondays of all time zones lie in these days of UTC: nothing is read on the others.
_DAYS: Final = frozenset({6, 0, 1})


@dataclass(frozen=True, slots=True)
class _Open:
    """The open domains, best score first, and how many more the Pro list has."""

    domains: Sequence[MailDomain]
    locked: int


async def mail_weekly(context: WorkerContext) -> dict[str, int]:
    """Write the weekly mails that are due; gives how many."""
    after, count = 0, 0
    while (now := context.now()).weekday() in _DAYS:
        async with context.database.read() as conn:
            some = await notice_store.free_accounts(conn, after, now, _ACCOUNTS_AT_ONCE)
            due = {_occasion(one, now): one for one in some if _is_due(one, now)}
            told = await store.known_occasions(conn, list(due))
            waiting = {occasion: one for occasion, one in due.items() if occasion not in told}
            open_now = await _open_now(conn, context, now) if waiting else _Open((), 0)
        count += await _write(context, waiting, open_now, now)
        if len(some) < _ACCOUNTS_AT_ONCE:
            break
        after = some[-1].id
    return {"mails": count}


def _occasion(one: Recipient, now: datetime) -> str:
    return f"weekly:{one.id}:{last_weekly(one.zone, one.digest_hour, now).day}"


def _is_due(one: Recipient, now: datetime) -> bool:
    return now - last_weekly(one.zone, one.digest_hour, now).moment < _LATE


async def _open_now(conn: AsyncConnection, context: WorkerContext, now: datetime) -> _Open:
    links = Links.of(context.settings)
    page = await live_now(conn, Viewer(0, "free"), now, links, MOST_LISTED)
    packed = await lives(conn, [row["domain"] for row in page.rows])
    shown = [mail_domain(row, life=mail_life(packed.get(row["domain"]), now)) for row in page.rows]
    return _Open(shown, page.locked)


async def _write(
    context: WorkerContext, waiting: Mapping[str, Recipient], open_now: _Open, now: datetime
) -> int:
    mail_context = MailContext.of(context.settings, context.secret_box)
    drafts = []
    for occasion, one in waiting.items() if open_now.domains else ():
        frame = mail_context.notification(one.id, "weekly", one.zone, now)
        mail = message.weekly(frame, open_now.domains, open_now.locked)
        drafts.append(store.MailDraft(one.email, mail, one.id, occasion))
        await asyncio.sleep(0)
    async with context.database.write() as conn:
        return len(await store.queue_mails(conn, drafts, now))
