"""The health of the deployment for `afterdrop status`: scans, feeds, queues, workers, job runs, failures."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.tables.alerts import to_match
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.delivery import deliveries, mails
from afterdrop.db.tables.feeds import candidates, host_pace, provider_spend, scans, source_runs
from afterdrop.db.tables.lookups import registry_passes
from afterdrop.db.tables.queue import job_runs, workers
from afterdrop.db.tables.review import archived_pages

_LOST_AFTER = timedelta(minutes=2)
_RECENT = timedelta(days=2)


async def health(conn: AsyncConnection, now: datetime) -> dict[str, Any]:
    """Everything `afterdrop status` shows, as plain values."""
    return {
        "scans": await _scans(conn),
        "sources": await _sources(conn),
        "queues": [await _queue(conn, name, where, now) for name, where in _queues(now)],
        "workers": await _workers(conn, now),
        "jobs": await _jobs(conn),
        "failures": await _failures(conn, now),
        "withheld_registries": await _withheld(conn, now),
        "blocked_hosts": await _blocked(conn, now),
        "provider_spend": await _spend(conn, now),
        "bad_feeds": await _bad_feeds(conn),
        "deliveries_last_hour": await _settled_since(conn, now - timedelta(hours=1)),
    }


async def _rows(conn: AsyncConnection, chosen: sa.Select[Any]) -> list[dict[str, Any]]:
    # Under plain str keys: SQLAlchemy's label names are a subclass that JSON writers refuse.
    found = (await conn.execute(chosen)).mappings()
    return [{str(name): value for name, value in row.items()} for row in found]


async def _scans(conn: AsyncConnection) -> list[dict[str, Any]]:
    names = (
        "id",
        "day",
        "started_at",
        "deadline_at",
        "intake_done_at",
        "finished_at",
        "scanned",
        "passed_authority_filter",
        "counts",
    )
    return await _rows(
        conn, sa.select(*(scans.c[name] for name in names)).order_by(scans.c.id.desc()).limit(3)
    )


async def _sources(conn: AsyncConnection) -> list[dict[str, Any]]:
    """The newest run of each feed, and when a run last succeeded."""
    newest = sa.select(sa.func.max(source_runs.c.id)).group_by(source_runs.c.feed)
    names = ("feed", "source", "state", "rows", "good", "passed", "counts", "finished_at", "error")
    succeeded = (
        sa.select(source_runs.c.feed, sa.func.max(source_runs.c.finished_at).label("last_good"))
        .where(source_runs.c.state == "done")
        .group_by(source_runs.c.feed)
        .subquery()
    )
    chosen = (
        sa.select(*(source_runs.c[name] for name in names), succeeded.c.last_good)
        .outerjoin(succeeded, succeeded.c.feed == source_runs.c.feed)
        .where(source_runs.c.id.in_(newest))
        .order_by(source_runs.c.feed)
    )
    return await _rows(conn, chosen)


async def sources_answered(conn: AsyncConnection) -> tuple[int, int]:
    """How many feeds gave a plausible file when they were last asked, and how many there are."""
    run = source_runs.c
    newest = sa.select(sa.func.max(run.id)).where(run.finished_at.is_not(None)).group_by(run.feed)
    counted = sa.select(sa.func.count().filter(run.state == "done"), sa.func.count()).where(
        run.id.in_(newest)
    )
    answered, sources = (await conn.execute(counted)).one()
    return int(answered), int(sources)


def _queues(now: datetime) -> list[tuple[str, tuple[sa.Table, sa.ColumnElement[bool]]]]:
    return [
        ("candidates", (candidates, candidates.c.state == "due")),
        ("checks", (checks, checks.c.status.in_(("queued", "running")))),
        ("page texts", (archived_pages, archived_pages.c.content_state == "wanted")),
        ("matching", (to_match, to_match.c.due_at.is_not(None))),
        ("deliveries", (deliveries, deliveries.c.status == "pending")),
        ("mails", (mails, mails.c.status == "pending")),
    ]


async def _queue(
    conn: AsyncConnection, name: str, where: tuple[sa.Table, sa.ColumnElement[bool]], now: datetime
) -> dict[str, Any]:
    table, waiting = where
    held = sa.func.sum(sa.case((table.c.lease_until > now, 1), else_=0))
    due = sa.func.sum(sa.case((table.c.due_at <= now, 1), else_=0))
    oldest = sa.func.min(table.c.due_at, type_=table.c.due_at.type)
    row = (await conn.execute(sa.select(sa.func.count(), held, due, oldest).where(waiting))).one()
    count, in_hand, ready, first = row
    age = None if first is None else max(0, int((now - first).total_seconds()))
    return {
        "queue": name,
        "waiting": count,
        "in_hand": in_hand or 0,
        "due": ready or 0,
        "oldest_seconds": age,
    }


async def _workers(conn: AsyncConnection, now: datetime) -> list[dict[str, Any]]:
    chosen = (
        sa.select(workers).where(workers.c.heartbeat_at > now - _RECENT).order_by(workers.c.started_at.desc())
    )
    found = await _rows(conn, chosen.limit(20))
    for row in found:
        lost = now - row["heartbeat_at"] > _LOST_AFTER
        row["state"] = "stopped" if row["stopped_at"] else "lost" if lost else "alive"
    return found


async def _jobs(conn: AsyncConnection) -> list[dict[str, Any]]:
    newest = (
        sa.select(job_runs.c.job, sa.func.max(job_runs.c.moment).label("moment"))
        .group_by(job_runs.c.job)
        .subquery()
    )
    same = sa.and_(job_runs.c.job == newest.c.job, job_runs.c.moment == newest.c.moment)
    names = ("job", "moment", "claimed_by", "started_at", "finished_at", "attempts", "result", "error")
    chosen = sa.select(*(job_runs.c[name] for name in names)).join(newest, same).order_by(job_runs.c.job)
    return await _rows(conn, chosen)


async def _failures(conn: AsyncConnection, now: datetime) -> list[dict[str, Any]]:
    """The newest failures, with their error texts."""
    found: list[dict[str, Any]] = []
    for what, table, subject, at in (
        ("candidate", candidates, candidates.c.domain, candidates.c.settled_at),
        ("check", checks, checks.c.domain, checks.c.finished_at),
        ("mail", mails, mails.c.kind, mails.c.created_at),
        ("delivery", deliveries, deliveries.c.event, deliveries.c.settled_at),
        ("matching", to_match, to_match.c.domain, to_match.c.due_at),
    ):
        chosen = sa.select(subject.label("subject"), at.label("at"), table.c.error)
        newest = chosen.where(table.c.error.is_not(None), at > now - _RECENT).order_by(at.desc()).limit(5)
        found += [{"what": what, **row} for row in await _rows(conn, newest)]
    return found


async def _withheld(conn: AsyncConnection, now: datetime) -> list[dict[str, Any]]:
    chosen = sa.select(registry_passes).where(
        registry_passes.c.withheld.is_(True), registry_passes.c.pass_at > now - _RECENT
    )
    return await _rows(conn, chosen.order_by(registry_passes.c.pass_at.desc()).limit(10))


async def _blocked(conn: AsyncConnection, now: datetime) -> list[dict[str, Any]]:
    chosen = sa.select(host_pace.c.host, host_pace.c.blocked_until, host_pace.c.note)
    return await _rows(conn, chosen.where(host_pace.c.blocked_until > now.timestamp()))


async def _spend(conn: AsyncConnection, now: datetime) -> list[dict[str, Any]]:
    periods = (f"{now:%Y-%m-%d}", f"{now:%Y-%m}")
    return await _rows(conn, sa.select(provider_spend).where(provider_spend.c.period.in_(periods)))


async def _bad_feeds(conn: AsyncConnection) -> list[dict[str, Any]]:
    """The feeds whose last two finished runs both failed or were suspect, with the newer one's state and error."""
    run = source_runs.c
    newest_first = sa.func.row_number().over(partition_by=run.feed, order_by=run.id.desc())
    finished = (
        sa.select(run.feed, run.state, run.error, newest_first.label("place"))
        .where(run.state.in_(("done", "suspect", "failed")))
        .subquery()
    )
    two = await _rows(conn, sa.select(finished).where(finished.c.place <= 2).order_by(finished.c.place))
    runs: dict[str, list[dict[str, Any]]] = {}
    for row in two:
        runs.setdefault(row["feed"], []).append(row)
    return [
        {"feed": feed, "state": pair[0]["state"], "error": pair[0]["error"]}
        for feed, pair in sorted(runs.items())
        if len(pair) == 2 and all(row["state"] != "done" for row in pair)
    ]


async def _settled_since(conn: AsyncConnection, since: datetime) -> dict[str, int]:
    """Deliveries and mails that were settled since then, by what became of them."""
    counts: dict[str, int] = {}
    for what, table, at in (
        ("deliveries", deliveries, deliveries.c.settled_at),
        ("mails", mails, sa.func.coalesce(mails.c.sent_at, mails.c.created_at)),
    ):
        found = sa.select(table.c.status, sa.func.count()).where(at > since, table.c.status != "pending")
        for status, number in await conn.execute(found.group_by(table.c.status)):
            counts[f"{what} {status}"] = number
    return counts
