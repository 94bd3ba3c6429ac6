"""Each due moment of a job is run once, however many workers look; a dead worker's run is taken over."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.queue import job_runs, workers


async def newest_moments(conn: AsyncConnection) -> dict[str, datetime]:
    """Per job the newest moment that finished or that somebody has in hand."""
    rows = await conn.execute(
        sa.select(job_runs.c.job, sa.func.max(job_runs.c.moment)).group_by(job_runs.c.job)
    )
    return {job: moment for job, moment in rows if moment is not None}


async def take(
    conn: AsyncConnection, job: str, moment: datetime, worker: str, now: datetime, lease: timedelta
) -> bool:
    """Take one due moment; False when another worker has it or it is done."""
    row = {
        "job": job, "moment": moment, "claimed_by": worker, "lease_until": now + lease, "started_at": now, "attempts": 1
    }  # fmt: skip
    return await insert_once(conn, job_runs, row, ["job", "moment"])


async def take_over(
    conn: AsyncConnection, worker: str, now: datetime, lease: timedelta
) -> list[tuple[str, datetime]]:
    """Runs whose worker died (lease over, not finished), now ours."""
    run = job_runs.c
    rows = await conn.execute(
        sa.update(job_runs)
        .where(run.finished_at.is_(None), run.lease_until <= now)
        .values(claimed_by=worker, lease_until=now + lease, attempts=run.attempts + 1)
        .returning(run.job, run.moment)
    )
    return [(job, moment) for job, moment in rows]


async def keep(conn: AsyncConnection, job: str, moment: datetime, worker: str, until: datetime) -> bool:
    """Hold on to a run that takes longer than its lease; False when it was lost."""
    run = job_runs.c
    done = await conn.execute(
        sa.update(job_runs)
        .where(run.job == job, run.moment == moment, run.claimed_by == worker, run.finished_at.is_(None))
        .values(lease_until=until)
    )
    return done.rowcount == 1


async def let_go(conn: AsyncConnection, job: str, moment: datetime, worker: str, now: datetime) -> None:
    """Return an unfinished run, so that another worker takes it over at once."""
    run = job_runs.c
    await conn.execute(
        sa.update(job_runs)
        .where(run.job == job, run.moment == moment, run.claimed_by == worker, run.finished_at.is_(None))
        .values(lease_until=now)
    )


async def finish(
    conn: AsyncConnection,
    job: str,
    moment: datetime,
    worker: str,
    now: datetime,
    *,
    result: Any = None,
    error: str | None = None,
) -> bool:
    """Write a run's end; False when it was lost to another worker."""
    run = job_runs.c
    done = await conn.execute(
        sa.update(job_runs)
        .where(run.job == job, run.moment == moment, run.claimed_by == worker)
        .values(finished_at=now, result=result, error=error, lease_until=None)
    )
    return done.rowcount == 1


async def beat(conn: AsyncConnection, worker: str, now: datetime) -> None:
    """Write this worker's heartbeat."""
    row = {"id": worker, "started_at": now, "heartbeat_at": now}
    if not await insert_once(conn, workers, row, ["id"]):
        await conn.execute(sa.update(workers).where(workers.c.id == worker).values(heartbeat_at=now))


async def leave(conn: AsyncConnection, worker: str, now: datetime) -> None:
    """Note that this worker stopped in good order."""
    await conn.execute(sa.update(workers).where(workers.c.id == worker).values(stopped_at=now))
