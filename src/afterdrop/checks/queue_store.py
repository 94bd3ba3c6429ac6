"""Checks as workers see them: claimed, recovered from dead workers, finished or failed with the credit returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.store import refund_credit
from afterdrop.checks.order import credit_reference
from afterdrop.db import leases
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.queue import workers
from afterdrop.db.types import Instant

# After three attempts that were lost or failed, or half an hour without a result, a check is failed.
ATTEMPTS: Final = 3
NO_RESULT_AFTER: Final = timedelta(minutes=30)
RETRY_AFTER: Final = timedelta(seconds=10)

_row = checks.c


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a finished check found; `report` and `registration` as the interface shows them."""

    score: int
    verdict: str
    would_list: bool
    reject_reasons: Sequence[str]
    report: dict[str, Any]
    registration: dict[str, Any]


async def claim(
    conn: AsyncConnection,
    worker: str,
    now: datetime,
    lease: timedelta,
    limit: int,
    *,
    only: str | None = None,
) -> list[dict[str, Any]]:
    """Take queued checks, first come first served; they are `running` from here on. `only`: none but that one."""
    due = sa.and_(_row.status == "queued", _row.due_at <= now)
    return await leases.claim(
        conn,
        checks,
        worker=worker,
        now=now,
        lease=lease,
        limit=limit,
        due=due if only is None else sa.and_(due, _row.id == only),
        order_by=[_row.created_at, _row.id],
        values={
            "status": "running",
            "started_at": sa.func.coalesce(_row.started_at, sa.literal(now, Instant())),
        },
    )


async def recover(conn: AsyncConnection, now: datetime) -> list[dict[str, Any]]:
    """Put checks that nobody works on any more back into the queue; gives those out of attempts or time, to be failed.

    Their workers died (the lease is over) or stopped in good order and gave them back (there is none). The half hour
    without a result runs from the first claim; for one that nobody ever claimed, from its order.
    """
    free = sa.or_(_row.lease_until.is_(None), _row.lease_until <= now)
    lost = sa.and_(_row.status == "running", free)
    await conn.execute(
        sa.update(checks)
        .where(lost, _row.attempts < ATTEMPTS, _row.started_at > now - NO_RESULT_AFTER)
        .values(status="queued", due_at=now, claimed_by=None, lease_until=None)
    )
    waited = sa.func.coalesce(_row.started_at, _row.created_at, type_=Instant())
    hopeless = sa.or_(lost, sa.and_(_row.status == "queued", waited <= now - NO_RESULT_AFTER))
    found = await conn.execute(sa.select(checks).where(hopeless))
    return [dict(row) for row in found.mappings()]


def time_left(row: dict[str, Any], now: datetime) -> float:
    """Seconds until a claimed check has been without a result for too long; negative when it is."""
    left: timedelta = row["started_at"] + NO_RESULT_AFTER - now
    return left.total_seconds()


async def anyone_working(conn: AsyncConnection, since: datetime) -> bool:
    """Whether a worker lives: one that has not stopped and whose heartbeat is not older than `since`."""
    lives = sa.and_(workers.c.stopped_at.is_(None), workers.c.heartbeat_at >= since)
    return await conn.scalar(sa.select(workers.c.id).where(lives).limit(1)) is not None


async def tell(conn: AsyncConnection, row: dict[str, Any], progress: str) -> None:
    """Say what a running check is doing."""
    await conn.execute(sa.update(checks).where(leases.holds(checks, row)).values(progress=progress))


async def finish(
    conn: AsyncConnection, row: dict[str, Any], done: CheckResult, now: datetime
) -> dict[str, Any]:
    """Write a check's result; gives the row as it stands. Raises LeaseLost, which undoes the transaction."""
    values = {
        "status": "done",
        "slot": None,
        "finished_at": now,
        "progress": None,
        "error": None,
        "due_at": None,
        "score": done.score,
        "verdict": done.verdict,
        "would_list": done.would_list,
        "reject_reasons": list(done.reject_reasons),
        "report": done.report,
        "registration": done.registration,
    }
    await leases.must_settle(conn, checks, row, **values)
    return {**row, **values}


async def try_again(conn: AsyncConnection, row: dict[str, Any], error: str, now: datetime) -> bool:
    """Put a check whose attempt failed back into the queue; False when it is out of attempts or time."""
    if row["attempts"] >= ATTEMPTS or now - row["started_at"] >= NO_RESULT_AFTER:
        return False
    again = now + RETRY_AFTER * row["attempts"]
    await leases.settle(conn, checks, row, status="queued", due_at=again, error=error[:1000], progress=None)
    return True


async def fail(
    conn: AsyncConnection, row: dict[str, Any], error: str, now: datetime
) -> dict[str, Any] | None:
    """Fail a check for good and return its credit; gives the row, or None when somebody settled it before."""
    values = {"status": "failed", "slot": None, "finished_at": now, "error": error[:1000], "due_at": None}
    done = await conn.execute(
        sa.update(checks)
        .where(_row.id == row["id"], _row.attempts == row["attempts"], _row.status.in_(("queued", "running")))
        .values(**values, progress=None, claimed_by=None, lease_until=None)
    )
    if done.rowcount == 0:
        return None
    await refund_credit(conn, reference=credit_reference(row["id"]), now=now)
    return {**row, **values}
