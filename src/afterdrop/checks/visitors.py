"""Checks by visitors who have no account: free sources only, behind the scan, and never more than one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import STRANGER
from afterdrop.catalogue.shapes import CheckReport
from afterdrop.catalogue.summary import Links
from afterdrop.checks.result import report_of
from afterdrop.checks.worker import stored_history
from afterdrop.db import leases
from afterdrop.db.dialects import lock_names
from afterdrop.db.leases import Claim
from afterdrop.db.tables.checks import visitor_checks
from afterdrop.db.tables.feeds import candidates
from afterdrop.queue.loop import Queue
from afterdrop.queue.retry import Retry, retried
from afterdrop.review.run import review_stored
from afterdrop.review.store import keep_review
from afterdrop.scoring.judge import judge
from afterdrop.sources.metrics.model import Metrics
from afterdrop.worker_context import WorkerContext

KEPT: Final = timedelta(days=7)
RETRY: Final = Retry(timedelta(minutes=2), attempts=3)
_row = visitor_checks.c

Refused = Literal["day", "network"]


class VisitorCheckRow(TypedDict):
    """A row of `visitor_checks`."""

    hash: str
    day: str
    network: str
    domain: str
    status: str
    created_at: datetime
    finished_at: datetime | None
    report: CheckReport | None
    due_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Quota:
    """How many checks visitors have in a day: all together, and from one network."""

    a_day: int
    a_network: int


async def ordered_on(conn: AsyncConnection, day: str, network: str | None = None) -> int:
    """How many checks were ordered on a day, from anywhere or from one network."""
    chosen = sa.select(sa.func.count()).select_from(visitor_checks).where(_row.day == day)
    if network is not None:
        chosen = chosen.where(_row.network == network)
    return int(await conn.scalar(chosen) or 0)


async def used_up(conn: AsyncConnection, network: str, quota: Quota, now: datetime) -> Refused | None:
    """Which of the day's limits is reached for this network; a reading transaction is enough to ask."""
    day = f"{now:%Y-%m-%d}"
    if await ordered_on(conn, day) >= quota.a_day:
        return "day"
    if await ordered_on(conn, day, network) >= quota.a_network:
        return "network"
    return None


async def order(
    conn: AsyncConnection, token_hash: str, domain: str, network: str, quota: Quota, now: datetime
) -> Refused | None:
    """Queue a check; says which limit is reached where it is refused."""
    await lock_names(conn, ["visitor checks"])
    refused = await used_up(conn, network, quota, now)
    if refused is not None:
        return refused
    row = {
        "hash": token_hash,
        "day": f"{now:%Y-%m-%d}",
        "network": network,
        "domain": domain,
        "status": "queued",
    }
    await conn.execute(sa.insert(visitor_checks).values(**row, created_at=now, due_at=now))
    return None


async def check_by(conn: AsyncConnection, token_hash: str, now: datetime) -> VisitorCheckRow | None:
    """The check with this hash of its token, until it is a week old."""
    chosen = sa.select(visitor_checks).where(_row.hash == token_hash, _row.created_at > now - KEPT)
    found = (await conn.execute(chosen)).mappings().one_or_none()
    return None if found is None else cast(VisitorCheckRow, dict(found))


async def claim(conn: AsyncConnection, claim: Claim) -> list[VisitorCheckRow]:
    """Take waiting checks, the oldest first; none while a scan's candidate is under review."""
    reviewing = sa.exists().where(candidates.c.state == "due", candidates.c.lease_until > claim.now)
    due = sa.and_(_row.status == "queued", _row.due_at <= claim.now, ~reviewing)
    return await leases.claim(conn, visitor_checks, claim, due, [_row.created_at, _row.hash])


async def finish(conn: AsyncConnection, row: VisitorCheckRow, report: CheckReport, now: datetime) -> None:
    """Write the result. Raises LeaseLost."""
    values = {"status": "done", "finished_at": now, "due_at": None, "error": None, "report": report}
    await leases.must_settle(conn, visitor_checks, row, **values)


async def fail(conn: AsyncConnection, row: VisitorCheckRow, error: str, now: datetime) -> None:
    """Fail for good."""
    values = {"status": "failed", "finished_at": now, "due_at": None, "error": error}
    await leases.settle(conn, visitor_checks, row, **values)


async def forget(conn: AsyncConnection, now: datetime, most: int) -> int:
    """Delete checks that are a week old; gives how many."""
    old = sa.select(_row.hash).where(_row.created_at <= now - KEPT).limit(most)
    return (await conn.execute(sa.delete(visitor_checks).where(_row.hash.in_(old)))).rowcount


def visitor_queue(context: WorkerContext) -> Queue[VisitorCheckRow]:
    """The queue of visitors' checks."""

    async def work(row: VisitorCheckRow) -> None:
        await _check(context, row)

    return Queue(
        name="visitor checks",
        table=visitor_checks,
        claim=claim,
        work=work,
        failed=retried(context, visitor_checks, RETRY, fail),
        at_once=1,
        waiting=_row.status == "queued",
    )


async def _check(context: WorkerContext, row: VisitorCheckRow) -> None:
    """Ask the registry and read the archive; of links only what local tables know. No provider is asked."""
    domain = row["domain"]
    answer = await context.sources.registry.ask(domain, context.now())
    reviewed, history = None, await stored_history(context, domain)
    if history is None:
        given_up = answer.deleted_at or answer.record.registered_at
        last_try = RETRY.wait(row["attempts"]) is None
        reviewed = await review_stored(context, domain, given_up, last_try=last_try)
        history = reviewed.history
    known = [await ranks.metrics_of([domain]) for ranks in context.local]
    metrics = Metrics.of(value for found in known for value in found.get(domain, ()))
    now = context.now()
    # The report as of a name that is on no list: strangers learn nothing of the lists from it.
    links = Links.of(context.settings)
    report = report_of(judge(history, metrics, None, now), answer, None, STRANGER, links, now)
    report["report_url"] = links.site_url
    async with context.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, context.settings.scan.review_valid_days)
        await finish(conn, row, report, now)
