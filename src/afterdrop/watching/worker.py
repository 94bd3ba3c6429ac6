"""The queue of domains to be matched: matches, counters, events and mails are written batch by batch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.summary import Links
from afterdrop.db.tables.watching import to_match
from afterdrop.delivery import events
from afterdrop.delivery.mail.store import MailContext
from afterdrop.queue.loop import Queue
from afterdrop.queue.retry import Retry, retried
from afterdrop.watching import matching, matching_store, notices
from afterdrop.watching.matching import MatchBatch, MatchTarget
from afterdrop.watching.matching_store import StaleMatch, ToMatchRow
from afterdrop.watching.telling import tell
from afterdrop.worker_context import WorkerContext

_AT_ONCE: Final = 2
_RETRY: Final = Retry(timedelta(seconds=10), longest=timedelta(minutes=10))


def matching_queue(
    context: WorkerContext, mail_found: Callable[[], Awaitable[None]] | None = None
) -> Queue[ToMatchRow]:
    """The queue of domains to be matched. A row that fails is tried again without end: no match is given up.

    `mail_found` is called after each domain with a match whose owner wants mails.
    """

    async def work(row: ToMatchRow) -> None:
        try:
            found = await match_domain(context, row)
        except StaleMatch:
            async with context.database.write() as conn:
                await matching_store.release(conn, row, context.now())
            return
        if found and mail_found is not None:
            await mail_found()

    # At most two rows wait for mails to be written; they do not hold up the matching of others.
    return Queue(
        name="matching",
        table=to_match,
        claim=matching_store.claim,
        work=work,
        failed=retried(context, to_match, _RETRY),
        at_once=_AT_ONCE,
        slow_after=1.0,
        most_in_hand=2 * _AT_ONCE,
    )


async def match_domain(context: WorkerContext, row: ToMatchRow) -> bool:
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
    context: WorkerContext, row: ToMatchRow, target: MatchTarget, batch: MatchBatch
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
    context: WorkerContext, mail_context: MailContext, row: ToMatchRow, target: MatchTarget, batch: MatchBatch
) -> None:
    now, concerned = context.now(), [match.account_id for match in batch.matches]
    async with context.database.read() as conn:
        known = await matching_store.recipients(conn, concerned, now)

    async def mark(conn: AsyncConnection, moment: datetime) -> set[int]:
        await matching_store.advance(conn, row, target.stamp, batch.up_to)
        return await matching_store.put_drop_notices(conn, concerned, target.domain, target.round, moment)

    drafted = (
        notices.drop_notice(mail_context, match, known.get(match.account_id), target, now)
        for match in batch.matches
    )
    await tell(context, events.DOMAIN_AVAILABLE, drafted, mark)
