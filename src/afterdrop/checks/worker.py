"""The queue of checks: each is reviewed and scored as a candidate is, but ahead of the scan at every paced host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.store import account_by_id
from afterdrop.catalogue.publish import refresh, save_pages
from afterdrop.catalogue.summary import Links
from afterdrop.checks import store
from afterdrop.checks.check_mails import mail_finished
from afterdrop.checks.order import check_json
from afterdrop.checks.result import judge_for_owner, result_of
from afterdrop.checks.store import CheckRow
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import instant
from afterdrop.core.log_lines import figures
from afterdrop.db.leases import Claim
from afterdrop.db.tables.checks import checks
from afterdrop.delivery.events import CHECK_COMPLETED, EventDraft, record
from afterdrop.delivery.mail.store import MailContext
from afterdrop.queue.loop import Queue
from afterdrop.review.history.domain_history import History
from afterdrop.review.live_links import looked_at
from afterdrop.review.run import review_stored
from afterdrop.review.store import Reviewed, keep_review, valid_history
from afterdrop.sources.metrics.lookup import link_profile
from afterdrop.sources.metrics.model import LINKS, TOP_REFERRING_DOMAINS, Metric
from afterdrop.sources.metrics.store import metrics_of, put_metrics
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.worker_context import WorkerContext

log = logging.getLogger("afterdrop.checks")

_AT_ONCE = 4
# After so long the archive is asked without waiting for the registry.
_REGISTRY_SECONDS = 10
# Why a registry's answer is `unknown` although it was asked and answered, or has nobody to ask.
_ANSWERED = frozenset({"no_rdap", "blocked", "reserved", "says_more", "sold_first", "bad_name"})


def check_queue(context: WorkerContext) -> Queue[CheckRow]:
    """The queue of checks."""
    urgent = context.with_priority()

    async def claim(conn: AsyncConnection, claim: Claim) -> list[CheckRow]:
        for lost in await store.requeue_lost(conn, claim.now):
            await _fail(conn, context, lost, "no result: the workers on it were lost, or it took too long")
        return await store.claim(conn, claim)

    async def work(row: CheckRow) -> None:
        started = clock.monotonic()
        try:
            async with asyncio.timeout(store.time_left(row, context.now())) as limit:
                await _check(urgent, row)
        except TimeoutError:
            if limit.expired():
                raise AfterdropError(row["domain"], "no result in time") from None
            raise
        seconds = clock.monotonic() - started
        extra = figures(check=row["id"], domain=row["domain"], seconds=round(seconds, 3))
        log.info("check %s of %s: worked on for %.1f s", row["id"], row["domain"], seconds, extra=extra)

    async def failed(row: CheckRow, error: str) -> None:
        async with context.database.write() as conn:
            if not await store.requeue_failed(conn, row, error, context.now()):
                await _fail(conn, context, row, error)

    postponed = {"status": "queued", "progress": "waiting for the web archive, which does not answer"}
    waiting = checks.c.status.in_(store.IN_PROGRESS)
    return Queue(
        name="checks",
        table=checks,
        claim=claim,
        work=work,
        failed=failed,
        at_once=_AT_ONCE,
        waiting=waiting,
        postponed=postponed,
    )


async def _fail(
    conn: AsyncConnection, context: WorkerContext, row: CheckRow, error: str, reasons: Sequence[str] = ()
) -> None:
    log.warning("check %s of %s failed: %s", row["id"], row["domain"], error)
    settled = await store.fail(conn, row, error, context.now(), reasons)
    if settled is not None:
        await _completed(conn, context, settled)


async def _completed(conn: AsyncConnection, context: WorkerContext, row: CheckRow) -> None:
    summary = {
        **check_json(row, context.settings.site_url),
        "created_at": instant(row["created_at"]),
        "finished_at": instant(row["finished_at"]),
    }
    draft = EventDraft(row["account_id"], {"check": summary}, f"check:{row['id']}")
    await record(conn, CHECK_COMPLETED, draft, context.now())
    mail_context = MailContext.of(context.settings, context.secret_box)
    await mail_finished(conn, mail_context, row, context.now())


async def _check(context: WorkerContext, row: CheckRow) -> None:
    """Review, metrics and registry side by side, then one transaction with report, outcome and event."""
    domain = row["domain"]
    asking = asyncio.create_task(context.sources.registry.ask(domain, context.now()))
    reading = asyncio.create_task(_history(context, row, asking))
    try:
        reviewed, history = await reading
        await _set_progress(context, row, "asking for link figures")
        profile = await link_profile(context, domain)
        live = await _live_links(context, row, profile.values)
        answer = await asking
    finally:
        reading.cancel()
        asking.cancel()
    now = context.now()
    async with context.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, context.settings.scan.review_valid_days)
        await put_metrics(conn, [(domain, metric) for metric in (*profile.values, *live)])
        await save_pages(conn, domain, history.pages, now)
        account = await account_by_id(conn, row["account_id"])
        if account is None:
            return  # the account was deleted, and its checks with it
        judged = await judge_for_owner(conn, account, history, now)
        unanswered = answer.state == "unknown" and answer.reason not in _ANSWERED
        silent = [*profile.silent, *(["the registry"] if unanswered else [])]
        if judged.judgement.learned_nothing and silent:
            # Try again later what might have answered, or fail for good: nobody pays for a check that
            # learned nothing.
            error = f"nothing could be found out, because some did not answer: {', '.join(silent)}"
            if not await store.requeue_failed(conn, row, error, context.now()):
                await _fail(conn, context, row, error, judged.judgement.reject_reasons)
            return
        result = result_of(row, account, judged, answer, Links.of(context.settings), now)
        await _completed(conn, context, await store.finish(conn, row, result, now))
        if live:
            await refresh(conn, [domain], now, f"{now:%Y-%m-%d}")


async def _live_links(context: WorkerContext, row: CheckRow, values: Sequence[Metric]) -> list[Metric]:
    """Which of the strongest links are there today, as far as the check's time allows."""
    async with context.database.read() as conn:
        known = (await metrics_of(conn, row["domain"])).plus(values)
    if known.items(LINKS) or known.items(TOP_REFERRING_DOMAINS):
        await _set_progress(context, row, "looking at its links")
    seen = await looked_at(context, row["domain"], known, context.settings.live.check_seconds)
    return [] if seen is None else [seen]


async def _history(
    context: WorkerContext, row: CheckRow, asking: asyncio.Task[RegistryAnswer]
) -> tuple[Reviewed | None, History]:
    history = await stored_history(context, row["domain"])
    if history is not None:
        return None, history
    await _set_progress(context, row, "reading the web archive")
    given_up = await _last_registration_event(asking)
    last_try = row["attempts"] >= store.ATTEMPTS
    reviewed = await review_stored(context, row["domain"], given_up, last_try=last_try)
    return reviewed, reviewed.history


async def stored_history(context: WorkerContext, domain: str) -> History | None:
    """The valid review of a domain, if any."""
    async with context.database.read() as conn:
        return await valid_history(conn, domain, context.now())


async def _last_registration_event(asking: asyncio.Task[RegistryAnswer]) -> datetime | None:
    """When the name was deleted or last registered, if the registry answers soon: its last owner's time ends there."""
    done, _ = await asyncio.wait((asking,), timeout=_REGISTRY_SECONDS)
    if not done or asking.cancelled() or asking.exception() is not None:
        return None
    answer = asking.result()
    return answer.deleted_at or answer.record.registered_at


async def _set_progress(context: WorkerContext, row: CheckRow, progress: str) -> None:
    async with context.database.write() as conn:
        await store.set_progress(conn, row, progress)
