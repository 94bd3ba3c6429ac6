"""The queue of visitors' checks: free sources only, behind the scan, and never more than one at a time."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import STRANGER
from afterdrop.catalogue.report import DomainReport
from afterdrop.catalogue.summary import Links
from afterdrop.catalogue.vetting import vet
from afterdrop.checks import visitor_store
from afterdrop.checks.visitor_store import VisitorCheckRow
from afterdrop.checks.worker import CheckContext, report_of, stored_history
from afterdrop.db.tables.checks import visitor_checks
from afterdrop.metrics.model import Metrics
from afterdrop.queue.loop import Queue
from afterdrop.registry.rdap_answer import RegistryAnswer
from afterdrop.review.history.domain_history import History
from afterdrop.review.run import review_stored
from afterdrop.review.store import keep_review


def visitor_queue(context: CheckContext) -> Queue[VisitorCheckRow]:
    """The queue of visitors' checks."""

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[VisitorCheckRow]:
        return await visitor_store.claim(conn, context.worker, now, context.lease, limit)

    async def work(row: VisitorCheckRow) -> None:
        await _check(context, row)

    async def failed(row: VisitorCheckRow, error: str) -> None:
        async with context.database.write() as conn:
            await visitor_store.failed(conn, row, error, context.now())

    return Queue(
        "visitor checks", visitor_checks, claim, work, failed, at_once=1, lease=context.lease, idle=2
    )


async def _check(context: CheckContext, row: VisitorCheckRow) -> None:
    """Ask the registry and read the archive; of links only what local tables know. No provider is asked."""
    domain = row["domain"]
    answer = await context.sources.rdap.ask(domain, context.now())
    reviewed, history = None, await stored_history(context, domain)
    if history is None:
        given_up = answer.deleted_at or answer.record.registered_at
        last_try = row["attempts"] >= visitor_store.ATTEMPTS
        reviewed = await review_stored(context, domain, given_up, last_try=last_try)
        history = reviewed.history
    known = [await ranks.metrics_of([domain]) for ranks in context.local]
    metrics = Metrics.of(value for found in known for value in found.get(domain, ())).for_viewer(False)
    now = context.now()
    report = _report(history, metrics, answer, Links.of(context.settings), now)
    async with context.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, context.settings.scan.review_valid_days)
        await visitor_store.finish(conn, row, report, now)


def _report(
    history: History, metrics: Metrics, answer: RegistryAnswer, links: Links, now: datetime
) -> DomainReport:
    """The report as of a name that is on no list: strangers learn nothing of the lists from it."""
    report = report_of(vet(history, metrics, None, now), answer, None, STRANGER, links, now)
    report["report_url"] = links.site_url
    return report
