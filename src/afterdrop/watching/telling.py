"""How accounts are told of anything: an event and a mail each, together with the mark that they were told.

A feature with news finds whom to tell, drafts a notice for each, and gives the mark. So nobody misses news, and nobody
hears of it twice, wherever a worker dies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.delivery import events
from afterdrop.delivery.events import EventDraft
from afterdrop.delivery.mail import store
from afterdrop.delivery.mail.message import MailFrame, MailMessage
from afterdrop.delivery.mail.store import MailContext, MailDraft
from afterdrop.watching import notice_store
from afterdrop.watching.matching_store import Recipient
from afterdrop.worker_context import WorkerContext

Reason = Literal["watchlist", "alert"]
Mark = Callable[[AsyncConnection, datetime], Awaitable[Collection[Hashable]]]

# Notices drafted before other tasks get a turn at the processor.
_A_TURN: Final = 20


@dataclass(frozen=True, slots=True)
class Notice:
    """The news for one account: an event and, where it wants one, a mail. `key` is what the mark calls it."""

    key: Hashable
    event: EventDraft
    mail: MailDraft | None


def mail_reason(recipient: Recipient, *, watching: bool, ruled: bool) -> Reason | None:
    """Why a recipient is mailed about a domain's end or drop, None when not. Mails about rule matches are opt-in."""
    if not recipient.reachable:
        return None
    if watching and recipient.mail_watches:
        return "watchlist"
    return "alert" if ruled and recipient.mail_rule_reminders else None


async def tell(context: WorkerContext, kind: str, drafted: Iterable[Notice], mark: Mark) -> int:
    """Tell the accounts that nobody told before; gives how many. `mark` writes that they are told and gives their keys.

    Notices are drafted before the transaction: that takes longer than a writer may keep others waiting.
    """
    notices: list[Notice] = []
    for notice in drafted:
        notices.append(notice)
        if len(notices) % _A_TURN == 0:
            await asyncio.sleep(0)
    now = context.now()
    async with context.database.write() as conn:
        new = await mark(conn, now)
        told = [notice for notice in notices if notice.key in new]
        await events.record_all(conn, kind, [notice.event for notice in told], now)
        await store.queue_mails(conn, [notice.mail for notice in told if notice.mail is not None], now)
    return len(told)


@dataclass(frozen=True, slots=True)
class FollowerNews:
    """News of a name as its followers get it: the type and data of the event, the occasion without the account.

    `mail` writes the text; `advance` writes up to which account all are told (None: all of them), and says whether
    nobody else has done so. `followers` are the next to tell.
    """

    kind: str
    data: Mapping[str, object]
    occasion: tuple[str, str]
    mail: Callable[[MailFrame], MailMessage]
    advance: Callable[[AsyncConnection, int | None, datetime], Awaitable[bool]]
    followers: Sequence[Recipient]


async def tell_followers(
    context: WorkerContext, next_news: Callable[[AsyncConnection, datetime], Awaitable[FollowerNews | None]]
) -> dict[str, int]:
    """Tell followers of all news that not all were told of; gives how many accounts were told."""
    count = 0
    mail_context = MailContext.of(context.settings, context.secret_box)
    while True:
        now = context.now()
        async with context.database.read() as conn:
            news = await next_news(conn, now)
        if news is None:
            return {"told": count}
        count += await _tell_some(context, mail_context, news, now)


async def _tell_some(
    context: WorkerContext, mail_context: MailContext, news: FollowerNews, now: datetime
) -> int:
    before, after = news.occasion

    def notice(one: Recipient) -> Notice:
        occasion, mail = f"{before}:{one.id}:{after}", None
        if mail_reason(one, watching=True, ruled=False):
            text = news.mail(mail_context.notification(one.id, "watches", one.zone, now))
            mail = MailDraft(one.email, text, one.id, occasion)
        return Notice(one.id, EventDraft(one.id, news.data, occasion), mail)

    async def mark(conn: AsyncConnection, moment: datetime) -> set[int]:
        up_to = news.followers[-1].id if len(news.followers) == notice_store.TOLD_AT_ONCE else None
        return {one.id for one in news.followers} if await news.advance(conn, up_to, moment) else set()

    return await tell(context, news.kind, map(notice, news.followers), mark)
