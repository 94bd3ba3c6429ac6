"""Work a check off: the road of a candidate, with its own row, ahead of the scan at every paced host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol, Self

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Account
from afterdrop.accounts.store import account_by_id
from afterdrop.catalogue.listings import shown_at
from afterdrop.catalogue.report import check_report
from afterdrop.catalogue.store import links_of, look
from afterdrop.catalogue.summary import instant
from afterdrop.catalogue.vetting import Vetting, facts, vet, view
from afterdrop.catalogue.writing import put_pages
from afterdrop.checks import queue_store
from afterdrop.checks.order import check_json
from afterdrop.core.errors import AfterdropError
from afterdrop.db.tables.checks import checks
from afterdrop.delivery.events import CHECK_COMPLETED, EventDraft, record
from afterdrop.lookups.sources import Sources
from afterdrop.metrics.lookup import MetricsContext, link_profile
from afterdrop.metrics.store import metrics_of, put_metrics
from afterdrop.queue.loop import Queue, Row
from afterdrop.registry.rdap_answer import RegistryAnswer
from afterdrop.review.history.domain_history import History
from afterdrop.review.run import ReviewContext, review_stored
from afterdrop.review.store import Reviewed, keep_review, valid_history

log = logging.getLogger("afterdrop.checks")

_AT_ONCE = 4
# The archive is asked without waiting any longer for a registry.
_REGISTRY_SECONDS = 10


class CheckContext(ReviewContext, MetricsContext, Protocol):
    """What a check needs: the archive and its pages, the metric providers, the registries."""

    @property
    def sources(self) -> Sources:
        """Registries and resolvers."""
        ...

    def with_priority(self) -> Self:
        """The same, ahead of the scan at every paced host."""
        ...


def check_queue(context: CheckContext) -> Queue:
    """The queue of checks."""
    urgent = context.with_priority()

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[Row]:
        for lost in await queue_store.recover(conn, now):
            await _fail(conn, context, lost, "no result: its workers were lost or it took too long")
        return await queue_store.claim(conn, context.worker, now, context.lease, limit)

    async def work(row: Row) -> None:
        try:
            async with asyncio.timeout(queue_store.time_left(row, context.now())) as limit:
                await _check(urgent, row)
        except TimeoutError:
            if limit.expired():
                raise AfterdropError(row["domain"], "no result in time") from None
            raise

    async def failed(row: Row, error: str) -> None:
        async with context.database.write() as conn:
            if not await queue_store.try_again(conn, row, error, context.now()):
                await _fail(conn, context, row, error)

    return Queue("checks", checks, claim, work, failed, at_once=_AT_ONCE, lease=context.lease, idle=0.5)


async def _fail(conn: AsyncConnection, context: CheckContext, row: Row, error: str) -> None:
    log.warning("check %s of %s failed: %s", row["id"], row["domain"], error)
    settled = await queue_store.fail(conn, row, error, context.now())
    if settled is not None:
        await _completed(conn, context, settled)


async def _completed(conn: AsyncConnection, context: CheckContext, row: Row) -> None:
    summary = check_json({**row, **_shown_times(row)}, context.settings.site_url)
    draft = EventDraft(row["account_id"], {"check": summary}, f"check:{row['id']}")
    await record(conn, CHECK_COMPLETED, draft, context.now())


def _shown_times(row: Row) -> dict[str, str | None]:
    return {name: instant(row[name]) for name in ("created_at", "finished_at")}


async def _check(context: CheckContext, row: Row) -> None:
    """Review, metrics and registry side by side, then one transaction with report, outcome and event."""
    domain = row["domain"]
    asking = asyncio.create_task(context.sources.rdap.ask(domain, context.now()))
    reading = asyncio.create_task(_history(context, row, asking))
    try:
        reviewed, history = await reading
        await _tell(context, row, "asking for link metrics")
        found = await link_profile(context, domain)
        answer = await asking
    finally:
        reading.cancel()
        asking.cancel()
    now = context.now()
    async with context.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, context.settings.scan.review_valid_days)
        await put_metrics(conn, [(domain, metric) for metric in found])
        await put_pages(conn, domain, history.pages, now)
        account = await account_by_id(conn, row["account_id"])
        if account is None:
            return  # the account went, and its checks with it
        done = await _report(conn, context, account, history, answer)
        await _completed(conn, context, await queue_store.finish(conn, row, done, now))


async def _history(
    context: CheckContext, row: Row, asking: asyncio.Task[RegistryAnswer]
) -> tuple[Reviewed | None, History]:
    async with context.database.read() as conn:
        history = await valid_history(conn, row["domain"], context.now())
    if history is not None:
        return None, history
    await _tell(context, row, "reading the web archive")
    reviewed = await review_stored(context, row["domain"], await _given_up(asking))
    return reviewed, reviewed.history


async def _given_up(asking: asyncio.Task[RegistryAnswer]) -> datetime | None:
    """When the name was deleted or last registered, if the registry says so soon: its owner before ends there."""
    told, _ = await asyncio.wait((asking,), timeout=_REGISTRY_SECONDS)
    if not told or asking.cancelled() or asking.exception() is not None:
        return None
    answer = asking.result()
    return answer.deleted_at or answer.record.registered_at


async def _tell(context: CheckContext, row: Row, progress: str) -> None:
    async with context.database.write() as conn:
        await queue_store.tell(conn, row, progress)


async def _report(
    conn: AsyncConnection, context: CheckContext, account: Account, history: History, answer: RegistryAnswer
) -> queue_store.CheckResult:
    """What the check found, as its owner may know it: the price counts where the domain is listed for them."""
    now, viewer = context.now(), account.viewer(context.now())
    seen = await look(conn, history.domain, viewer, now)
    listed = None if seen is None else shown_at(seen.row, now)
    metrics = (await metrics_of(conn, history.domain)).for_viewer(viewer.operator)
    price = None if listed is None or listed["type"] == "pending_delete" else listed["price_usd"]
    vetting = vet(history, metrics, price, now)
    row = {"domain": history.domain, **facts(history), **_view(vetting)}
    registered = _registered(context, history.domain, answer, now)
    report = check_report(row, listed, registered, viewer, now, links_of(context.settings))
    record = answer.record
    return queue_store.CheckResult(
        score=vetting.scored.points,
        verdict=vetting.verdict,
        would_list=not vetting.refusals,
        reject_reasons=vetting.reject_reasons,
        report=report,
        registration={
            "state": answer.state,
            "registrar": record.registrar,
            "registered_at": instant(record.registered_at),
            "expires_at": instant(record.expires_at),
            "statuses": list(record.statuses or ()),
        },
    )


def _view(vetting: Vetting) -> Mapping[str, Any]:
    columns = view(vetting)
    columns["report"]["attributions"] = columns["report"].get("attributions") or []
    return columns


def _registered(context: CheckContext, domain: str, answer: RegistryAnswer, now: datetime) -> dict[str, Any]:
    """The registry's answer of just now in the shape of a report's `registration`."""
    record, free = answer.record, answer.state == "available"
    links = links_of(context.settings)
    return {
        "availability": answer.state,
        "checked_at": instant(now),
        "available_since": None,
        "register_url": links.register(domain) if free else None,
        "registrar": record.registrar,
        "registered_at": instant(record.registered_at),
        "expires_at": instant(record.expires_at),
        "caught_after_drop": False,
    }
