"""The queue of domains to be matched: finds, counters, events and mails, a portion a transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.alerts import audience, matching, notices
from afterdrop.alerts.context import AlertsContext
from afterdrop.alerts.matching import Found, MatchTarget, Portion, StaleMatch
from afterdrop.catalogue.store import links_of
from afterdrop.db.tables.alerts import to_match
from afterdrop.delivery import events
from afterdrop.delivery.mail import store
from afterdrop.delivery.mail.store import MailContext
from afterdrop.queue.loop import Queue, Row

_AT_ONCE: Final = 2
_RETRY: Final = timedelta(seconds=10)
_LONGEST_WAIT: Final = timedelta(minutes=10)
# Mails written before others get a turn at the processor.
_MAILS_A_TURN: Final = 20


def matching_queue(context: AlertsContext) -> Queue:
    """The queue of domains to be matched. A row that fails is tried again for ever: a match is never given up."""

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[Row]:
        return await matching.claim(conn, context.worker, now, context.lease, limit)

    async def work(row: Row) -> None:
        try:
            await match_domain(context, row)
        except StaleMatch:
            async with context.database.write() as conn:
                await matching.start_over(conn, row, context.now())

    async def failed(row: Row, error: str) -> None:
        again = context.now() + min(_RETRY * row["attempts"], _LONGEST_WAIT)
        async with context.database.write() as conn:
            await matching.start_over(conn, row, again, error[:1000])

    return Queue("matching", to_match, claim, work, failed, at_once=_AT_ONCE, lease=context.lease, idle=0.5)


async def match_domain(context: AlertsContext, row: Row) -> None:
    """Work one row of `to_match` off, from where it stands to the last account. Raises LeaseLost, StaleMatch."""
    links, mail_context = links_of(context.settings), MailContext.of(context.settings, context.secret_box)
    dropped = row["kind"] == "available"
    while True:
        now = context.now()
        async with context.database.read() as conn:
            domain = await matching.load_target(conn, row, now, links)
            if domain is not None:
                watched = row["domain"] if dropped else None
                page = await audience.accounts_after(
                    conn, row["after_account"], now, operators_only=domain.operators_only, watchers_of=watched
                )
        if domain is None:
            async with context.database.write() as conn:
                await matching.advance(conn, row, None, None)
            return
        for portion in matching.portions(await matching.evaluate_rules(domain, page), page):
            if dropped:
                await _write_drops(context, mail_context, row, domain, portion)
            else:
                await _write_matches(context, row, domain, portion)
            if portion.upto is None:
                return
            row = {**row, "after_account": portion.upto}


async def _write_matches(context: AlertsContext, row: Row, domain: MatchTarget, portion: Portion) -> None:
    now = context.now()
    views = {found.account_id: domain.views[found.operator] for found in portion.finds}
    matched = [rule_id for found in portion.finds for rule_id in found.rule_ids]
    async with context.database.write() as conn:
        await matching.advance(conn, row, domain, portion.upto)
        rules = await audience.standing_rules(conn, matched, now) if matched else []
        new = await audience.put_matches(conn, rules, domain.domain, domain.round, now)
        told = [notices.match_event(rule, domain, views[rule.account_id]) for rule in new]
        await events.record_all(conn, events.ALERT_MATCHED, told, now)


async def _write_drops(
    context: AlertsContext, mail_context: MailContext, row: Row, domain: MatchTarget, portion: Portion
) -> None:
    now = context.now()
    drafts = await _drop_mails(context, mail_context, domain, portion.finds)
    views = {found.account_id: domain.views[found.operator] for found in portion.finds}
    async with context.database.write() as conn:
        await matching.advance(conn, row, domain, portion.upto)
        new = await audience.put_drop_notices(conn, views, domain.domain, domain.round, now)
        told = [notices.drop_event(account, domain, views[account]) for account in sorted(new)]
        await events.record_all(conn, events.DOMAIN_AVAILABLE, told, now)
        await store.queue_mails(conn, [draft for draft in drafts if draft.account_id in new], now)


async def _drop_mails(
    context: AlertsContext, mail_context: MailContext, domain: MatchTarget, finds: Sequence[Found]
) -> list[store.MailDraft]:
    """Written before the transaction: it takes longer than a writer may keep others waiting."""
    now, drafts = context.now(), []
    async with context.database.read() as conn:
        members = await audience.members(conn, [found.account_id for found in finds], now)
    for found in finds:
        member = members.get(found.account_id)
        if member is None:
            continue
        reason = notices.mail_reason(member, watching=found.watching, ruled=bool(found.rule_ids))
        if reason is None:
            continue
        view = domain.views[found.operator]
        drafts.append(notices.drop_mail(mail_context, member, domain, view, reason, now))
        if len(drafts) % _MAILS_A_TURN == 0:
            await asyncio.sleep(0)
    return drafts
