"""The SQL of the timetable's runs and the workers' heartbeats.

Each due moment of a job is run once, however many workers look. The run of a dead worker is taken over.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once, upsert
from afterdrop.db.tables.queue import job_runs, workers

# Two workers' clocks differ by less, and a wrong one by more.
_AHEAD: Final = timedelta(hours=1)


# Not a job of the timetable: whether a service could read its lists is noted under this name.
LISTS: Final = "lists"


class JobRun(NamedTuple):
    """One due moment of a job, and the worker that holds the run."""

    job: str
    moment: datetime
    worker: str


def _believed(now: datetime) -> sa.ColumnElement[bool]:
    """Without the moments that a worker with a wrong clock ran far ahead: the timetable would wait for them."""
    return job_runs.c.moment <= now + _AHEAD


async def newest_moments(conn: AsyncConnection, now: datetime) -> dict[str, datetime]:
    """Per job the newest moment that a worker holds or finished."""
    rows = await conn.execute(
        sa.select(job_runs.c.job, sa.func.max(job_runs.c.moment))
        .where(_believed(now))
        .group_by(job_runs.c.job)
    )
    return {job: moment for job, moment in rows if moment is not None}


async def last_result(conn: AsyncConnection, job: str, now: datetime) -> Any:
    """The result of the newest run of a job that succeeded; None without one."""
    row = job_runs.c
    good = sa.and_(row.job == job, row.finished_at.is_not(None), row.error.is_(None), _believed(now))
    return (
        await conn.execute(sa.select(row.result).where(good).order_by(row.moment.desc()).limit(1))
    ).scalar_one_or_none()


async def take(conn: AsyncConnection, run: JobRun, now: datetime, lease: timedelta) -> bool:
    """Claim one due moment; False when another worker has it or it is finished."""
    row = {
        "job": run.job,
        "moment": run.moment,
        "claimed_by": run.worker,
        "lease_until": now + lease,
        "started_at": now,
        "attempts": 1,
    }
    return await insert_once(conn, job_runs, row, ["job", "moment"])


def _lost(now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(job_runs.c.finished_at.is_(None), job_runs.c.lease_until <= now)


async def any_lost(conn: AsyncConnection, now: datetime) -> bool:
    """Whether there is a run whose worker died."""
    return await conn.scalar(sa.select(job_runs.c.job).where(_lost(now)).limit(1)) is not None


async def take_over(conn: AsyncConnection, worker: str, now: datetime, lease: timedelta) -> list[JobRun]:
    """Claim the runs whose worker died: their lease is over and they are not finished."""
    row = job_runs.c
    rows = await conn.execute(
        sa.update(job_runs)
        .where(_lost(now))
        .values(claimed_by=worker, lease_until=now + lease, attempts=row.attempts + 1)
        .returning(row.job, row.moment)
    )
    return [JobRun(job, moment, worker) for job, moment in rows]


async def renew(conn: AsyncConnection, run: JobRun, until: datetime) -> bool:
    """Hold on to a run that takes longer than its lease; False when it was lost."""
    done = await conn.execute(sa.update(job_runs).where(_unfinished(run)).values(lease_until=until))
    return done.rowcount == 1


async def release(conn: AsyncConnection, run: JobRun, now: datetime) -> None:
    """Give an unfinished run back, so that another worker takes it over at once."""
    await conn.execute(sa.update(job_runs).where(_unfinished(run)).values(lease_until=now))


async def finish(
    conn: AsyncConnection, run: JobRun, now: datetime, *, result: object = None, error: str | None = None
) -> bool:
    """Write the end of a run; False when another worker has it."""
    done = await conn.execute(
        sa.update(job_runs)
        .where(_held(run))
        .values(finished_at=now, result=result, error=error, lease_until=None)
    )
    return done.rowcount == 1


async def note(conn: AsyncConnection, job: str, now: datetime, error: str | None) -> None:
    """Note that something outside the timetable failed at `now`, or does no longer (`error` None)."""
    row = {"job": job, "moment": now, "started_at": now, "finished_at": now, "error": error, "attempts": 1}
    await upsert(conn, job_runs, [row], ["job", "moment"])


def _held(run: JobRun) -> sa.ColumnElement[bool]:
    row = job_runs.c
    return sa.and_(row.job == run.job, row.moment == run.moment, row.claimed_by == run.worker)


def _unfinished(run: JobRun) -> sa.ColumnElement[bool]:
    return sa.and_(_held(run), job_runs.c.finished_at.is_(None))


async def beat(conn: AsyncConnection, worker: str, now: datetime) -> None:
    """Write this worker's heartbeat."""
    row = {"id": worker, "started_at": now, "heartbeat_at": now}
    if not await insert_once(conn, workers, row, ["id"]):
        await conn.execute(sa.update(workers).where(workers.c.id == worker).values(heartbeat_at=now))


async def leave(conn: AsyncConnection, worker: str, now: datetime) -> None:
    """Note that this worker stopped gracefully."""
    await conn.execute(sa.update(workers).where(workers.c.id == worker).values(stopped_at=now))
