"""The queue of domains to be matched: matches, counters, events and mails are written batch by batch."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.catalogue.summary import Links
from afterdrop.db.tables.watching import to_match
from afterdrop.delivery import events
from afterdrop.delivery.mail import store
from afterdrop.delivery.mail.store import MailContext
from afterdrop.queue.loop import Queue, QueueContext
from afterdrop.watching import matching, matching_store, notices
from afterdrop.watching.matching import AccountMatch, MatchBatch, MatchTarget
from afterdrop.watching.matching_store import StaleMatch, ToMatchRow

_AT_ONCE: Final = 2
_RETRY: Final = timedelta(seconds=10)
_LONGEST_WAIT: Final = timedelta(minutes=10)
# Mails made before other tasks get a turn at the processor.
_MAILS_A_TURN: Final = 20


class AlertsContext(QueueContext, Protocol):
    """What matching, reminders and mails about matches need."""

    @property
    def secret_box(self) -> SecretBox:
        """The deployment's secret keys: they sign the links in mails."""
        ...


def matching_queue(
    context: AlertsContext, mail_found: Callable[[], Awaitable[None]] | None = None
) -> Queue[ToMatchRow]:
    """The queue of domains to be matched. A row that fails is tried again without end: no match is given up.

    `mail_found` is called after each domain with a match whose owner wants mails.
    """

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[ToMatchRow]:
        return await matching_store.claim(conn, context.worker, now, context.lease, limit)

    async def work(row: ToMatchRow) -> None:
        try:
            found = await match_domain(context, row)
        except StaleMatch:
            async with context.database.write() as conn:
                await matching_store.release(conn, row, context.now())
            return
        if found and mail_found is not None:
            await mail_found()

    async def failed(row: ToMatchRow, error: str) -> None:
        retry_at = context.now() + min(_RETRY * row["attempts"], _LONGEST_WAIT)
        async with context.database.write() as conn:
            await matching_store.release(conn, row, retry_at, error[:1000])

    # At most two rows wait for mails to be written; they do not hold up the matching of others.
    return Queue(
        *("matching", to_match, claim, work, failed),
        at_once=_AT_ONCE,
        lease=context.lease,
        slow_after=1.0,
        most_in_hand=2 * _AT_ONCE,
    )


async def match_domain(context: AlertsContext, row: ToMatchRow) -> bool:
    """Match one row of `to_match`, from where it stands to the last account. Raises LeaseLost, StaleMatch.

    Gives whether there was a new match whose owner wants mails about matches.
    """
    links, mail_context = Links.of(context.settings), MailContext.of(context.settings, context.secret_box)
    dropped, found = row["kind"] == "available", False
    while True:
        now = context.now()
        async with context.database.read() as conn:
            target = await matching.load_target(conn, row, now, links)
            if target is not None:
                watched = row["domain"] if dropped else None
                page = await matching_store.accounts_after(
                    conn, row["after_account"], now, watchers_of=watched
                )
        if target is None:
            async with context.database.write() as conn:
                await matching_store.advance(conn, row, None, None)
            return found
        for batch in matching.batches(await matching.evaluate_rules(target, page), page):
            if dropped:
                await _write_drops(context, mail_context, row, target, batch)
            else:
                found = await _write_matches(context, row, target, batch) or found
            if batch.up_to is None:
                return found
            row = {**row, "after_account": batch.up_to}


async def _write_matches(
    context: AlertsContext, row: ToMatchRow, target: MatchTarget, batch: MatchBatch
) -> bool:
    now = context.now()
    matched = [rule_id for match in batch.matches for rule_id in match.rule_ids]
    async with context.database.write() as conn:
        await matching_store.advance(conn, row, target.stamp, batch.up_to)
        rules = await matching_store.lock_rules(conn, matched, now) if matched else []
        new = await matching_store.put_matches(conn, rules, target.domain, target.round, now)
        drafts = [notices.match_event(rule, target) for rule in new]
        await events.record_all(conn, events.ALERT_MATCHED, drafts, now)
    return any(rule.mailed for rule in new)


async def _write_drops(
    context: AlertsContext, mail_context: MailContext, row: ToMatchRow, target: MatchTarget, batch: MatchBatch
) -> None:
    now = context.now()
    mails = await _drop_mails(context, mail_context, target, batch.matches)
    concerned = [match.account_id for match in batch.matches]
    async with context.database.write() as conn:
        await matching_store.advance(conn, row, target.stamp, batch.up_to)
        new = await matching_store.put_drop_notices(conn, concerned, target.domain, target.round, now)
        drafts = [notices.drop_event(account, target) for account in sorted(new)]
        await events.record_all(conn, events.DOMAIN_AVAILABLE, drafts, now)
        await store.queue_mails(conn, [mail for mail in mails if mail.account_id in new], now)


async def _drop_mails(
    context: AlertsContext, mail_context: MailContext, target: MatchTarget, matches: Sequence[AccountMatch]
) -> list[store.MailDraft]:
    """Make the mails before the transaction: it takes longer than a writer may keep others waiting."""
    now, drafts = context.now(), []
    async with context.database.read() as conn:
        recipients = await matching_store.recipients(conn, [match.account_id for match in matches], now)
    for match in matches:
        recipient = recipients.get(match.account_id)
        if recipient is None:
            continue
        reason = notices.mail_reason(recipient, watching=match.watching, ruled=bool(match.rule_ids))
        if reason is None:
            continue
        drafts.append(notices.drop_mail(mail_context, recipient, target, reason, now))
        if len(drafts) % _MAILS_A_TURN == 0:
            await asyncio.sleep(0)
    return drafts
