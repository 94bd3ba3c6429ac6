"""The queue of checks: each is reviewed and scored as a candidate is, but ahead of the scan at every paced host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, Self

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Account
from afterdrop.accounts.plans import Viewer
from afterdrop.accounts.secret_box import SecretBox
from afterdrop.accounts.store import account_by_id
from afterdrop.catalogue.listings import shown_at
from afterdrop.catalogue.placement import shown_price
from afterdrop.catalogue.publish_store import save_pages
from afterdrop.catalogue.report import CheckedColumns, DomainReport, Registration, check_report
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.store import visible_domain
from afterdrop.catalogue.summary import Links, instant
from afterdrop.catalogue.vetting import Vetting, review_columns, vet, vetted_columns
from afterdrop.checks import store
from afterdrop.checks.check_mails import mail_finished
from afterdrop.checks.order import check_json, check_page
from afterdrop.checks.store import CheckResult, CheckRow
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.log_lines import figures
from afterdrop.db.tables.checks import checks
from afterdrop.delivery.events import CHECK_COMPLETED, EventDraft, record
from afterdrop.delivery.mail.store import MailContext
from afterdrop.lookups.sources import Sources
from afterdrop.metrics.lookup import MetricsContext, link_profile
from afterdrop.metrics.store import metrics_of, put_metrics
from afterdrop.queue.loop import Queue
from afterdrop.registry.rdap_answer import RegistryAnswer
from afterdrop.review.history.domain_history import History
from afterdrop.review.run import ReviewContext, review_stored
from afterdrop.review.store import Reviewed, keep_review, valid_history

log = logging.getLogger("afterdrop.checks")

_AT_ONCE = 4
# After so long the archive is asked without waiting for the registry.
_REGISTRY_SECONDS = 10
# Why a registry's answer is `unknown` although it was asked and answered, or has nobody to ask.
_ANSWERED = frozenset({"no_rdap", "blocked", "reserved", "bad_name"})


class CheckContext(ReviewContext, MetricsContext, Protocol):
    """What a check needs: the archive and its pages, the metric providers, the registries."""

    @property
    def sources(self) -> Sources:
        """Registries and resolvers."""
        ...

    @property
    def secret_box(self) -> SecretBox:
        """Signs the links by which mails are ended."""
        ...

    def with_priority(self) -> Self:
        """The same context, ahead of the scan at every paced host."""
        ...


def check_queue(context: CheckContext) -> Queue[CheckRow]:
    """The queue of checks."""
    urgent = context.with_priority()

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[CheckRow]:
        for lost in await store.requeue_lost(conn, now):
            await _fail(conn, context, lost, "no result: the workers on it were lost, or it took too long")
        return await store.claim(conn, context.worker, now, context.lease, limit)

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

    return Queue("checks", checks, claim, work, failed, at_once=_AT_ONCE, lease=context.lease, idle=0.5)


async def _fail(
    conn: AsyncConnection, context: CheckContext, row: CheckRow, error: str, reasons: Sequence[str] = ()
) -> None:
    log.warning("check %s of %s failed: %s", row["id"], row["domain"], error)
    settled = await store.fail(conn, row, error, context.now(), reasons)
    if settled is not None:
        await _completed(conn, context, settled)


async def _completed(conn: AsyncConnection, context: CheckContext, row: CheckRow) -> None:
    summary = {
        **check_json(row, context.settings.site_url),
        "created_at": instant(row["created_at"]),
        "finished_at": instant(row["finished_at"]),
    }
    draft = EventDraft(row["account_id"], {"check": summary}, f"check:{row['id']}")
    await record(conn, CHECK_COMPLETED, draft, context.now())
    mail_context = MailContext.of(context.settings, context.secret_box)
    await mail_finished(conn, mail_context, row, context.now())


async def _check(context: CheckContext, row: CheckRow) -> None:
    """Review, metrics and registry side by side, then one transaction with report, outcome and event."""
    domain = row["domain"]
    asking = asyncio.create_task(context.sources.rdap.ask(domain, context.now()))
    reading = asyncio.create_task(_history(context, row, asking))
    try:
        reviewed, history = await reading
        await _set_progress(context, row, "asking for link figures")
        found = await link_profile(context, domain)
        answer = await asking
    finally:
        reading.cancel()
        asking.cancel()
    now = context.now()
    async with context.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, context.settings.scan.review_valid_days)
        await put_metrics(conn, [(domain, metric) for metric in found.values])
        await save_pages(conn, domain, history.pages, now)
        account = await account_by_id(conn, row["account_id"])
        if account is None:
            return  # the account was deleted, and its checks with it
        vetting, listed = await _vetted(conn, account, history, now)
        unanswered = answer.state == "unknown" and answer.reason not in _ANSWERED
        silent = [*found.silent, *(["the registry"] if unanswered else [])]
        if vetting.learned_nothing and silent:
            await _nothing_learned(conn, context, row, vetting, silent)
            return
        result = _result(context, row, account, vetting, listed, answer)
        await _completed(conn, context, await store.finish(conn, row, result, now))


async def _nothing_learned(
    conn: AsyncConnection, context: CheckContext, row: CheckRow, vetting: Vetting, silent: Sequence[str]
) -> None:
    """Try again later what might have answered, or fail for good: nobody pays for a check that learned nothing."""
    error = f"nothing could be found out, because some did not answer: {', '.join(silent)}"
    if not await store.requeue_failed(conn, row, error, context.now()):
        await _fail(conn, context, row, error, vetting.reject_reasons)


async def _history(
    context: CheckContext, row: CheckRow, asking: asyncio.Task[RegistryAnswer]
) -> tuple[Reviewed | None, History]:
    history = await stored_history(context, row["domain"])
    if history is not None:
        return None, history
    await _set_progress(context, row, "reading the web archive")
    given_up = await _last_registration_event(asking)
    last_try = row["attempts"] >= store.ATTEMPTS
    reviewed = await review_stored(context, row["domain"], given_up, last_try=last_try)
    return reviewed, reviewed.history


async def stored_history(context: CheckContext, domain: str) -> History | None:
    """The valid review of a domain, if any. One of earlier rules is left out: it cannot be scored by today's."""
    async with context.database.read() as conn:
        history = await valid_history(conn, domain, context.now())
    return None if history is None or history.honest_years is None else history


async def _last_registration_event(asking: asyncio.Task[RegistryAnswer]) -> datetime | None:
    """When the name was deleted or last registered, if the registry answers soon: its last owner's time ends there."""
    done, _ = await asyncio.wait((asking,), timeout=_REGISTRY_SECONDS)
    if not done or asking.cancelled() or asking.exception() is not None:
        return None
    answer = asking.result()
    return answer.deleted_at or answer.record.registered_at


async def _set_progress(context: CheckContext, row: CheckRow, progress: str) -> None:
    async with context.database.write() as conn:
        await store.set_progress(conn, row, progress)


async def _vetted(
    conn: AsyncConnection, account: Account, history: History, now: datetime
) -> tuple[Vetting, DomainRow | None]:
    """The vetting for the check's owner, and the domain's row where it is listed for them: then its price counts."""
    viewer = account.viewer(now)
    seen = await visible_domain(conn, history.domain, viewer, now)
    listed = None if seen is None else shown_at(seen.row, now)
    metrics = (await metrics_of(conn, history.domain)).for_viewer(viewer.operator)
    price = None if listed is None else shown_price(listed["type"], listed["price_usd"])
    return vet(history, metrics, price, now), listed


def _result(
    context: CheckContext,
    row: CheckRow,
    account: Account,
    vetting: Vetting,
    listed: DomainRow | None,
    answer: RegistryAnswer,
) -> CheckResult:
    """What the check found, as its owner may see it."""
    now, record = context.now(), answer.record
    report = report_of(vetting, answer, listed, account.viewer(now), Links.of(context.settings), now)
    if listed is None:  # the site has no page of a domain that is not published
        report["report_url"] = check_page(row["id"], context.settings.site_url)
    return CheckResult(
        score=report["score"],
        verdict=report["verdict"],
        would_list=not vetting.refusals,
        reject_reasons=vetting.reject_reasons,
        report=report,
        registration={
            "state": answer.state,
            "registrar": record.registrar,
            "registered_at": instant(record.registered_at),
            "expires_at": instant(record.expires_at),
            "statuses": None if answer.state == "unknown" else list(record.statuses),
        },
    )


def report_of(
    vetting: Vetting,
    answer: RegistryAnswer,
    listed: DomainRow | None,
    viewer: Viewer,
    links: Links,
    now: datetime,
) -> DomainReport:
    """The report of a vetted domain as `viewer` may see it; `listed` is its row where it is listed for them."""
    history = vetting.history
    checked: CheckedColumns = {
        "domain": history.domain,
        **review_columns(history),
        **vetted_columns(vetting),
    }
    registered = _registration_answered(history.domain, answer, links, now)
    report = check_report(checked, listed, registered, viewer, now, links)
    if vetting.learned_nothing:  # missing values are null, never zero
        report["score"] = report["verdict"] = None
    return report


def _registration_answered(domain: str, answer: RegistryAnswer, links: Links, now: datetime) -> Registration:
    """The registry's answer in the shape of a report's `registration`."""
    record, available = answer.record, answer.state == "available"
    return {
        "availability": answer.state,
        "checked_at": instant(now),
        "available_since": None,
        "register_url": links.register(domain) if available else None,
        "registrar": record.registrar,
        "registered_at": instant(record.registered_at),
        "expires_at": instant(record.expires_at),
        "caught_after_drop": False,
    }
