"""The health of the deployment for `afterdrop status`: scans, feeds, queues, workers, job runs, failures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.settings import Settings
from afterdrop.core.time_zones import midnight
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.delivery import deliveries, mails, webhook_endpoints
from afterdrop.db.tables.feeds import candidates, host_pace, provider_spend, scans, source_runs
from afterdrop.db.tables.queue import job_runs, workers
from afterdrop.db.tables.review import archived_pages, registry_passes, reviews, whois_days
from afterdrop.db.tables.watching import to_match
from afterdrop.delivery.webhooks.delivery_states import held
from afterdrop.http.circuit_breaker import outages
from afterdrop.http.pace import DAY_SECONDS, LONGEST_BLOCK, taken_today
from afterdrop.queue.timetable import BACKUP
from afterdrop.sources.metrics.store import given_up
from afterdrop.worker.health_shapes import (
    ArchiveUse,
    Backups,
    BadFeed,
    BlockedRow,
    FailingEndpoint,
    FailureRow,
    Health,
    JobRow,
    OutageRow,
    QueueRow,
    Reviewing,
    SourceRow,
    SpendRow,
    TimedScan,
    WithheldRow,
    WorkerRow,
)

_LOST_AFTER: Final = timedelta(minutes=2)
_RECENT: Final = timedelta(days=2)
# A worker looks for problems every five minutes; without a look for so long, nothing ran.
_PAUSE: Final = timedelta(minutes=15)
_ENDPOINTS: Final = 100


RowT = TypeVar("RowT")


async def health(conn: AsyncConnection, now: datetime, settings: Settings) -> Health:
    """The health at `now`, as plain values."""
    runs = await _scans(conn)
    # Since when workers have looked for problems without a pause, at most two days ago; `now` if none has
    # lately. What waited while nothing ran (a stopped deployment, a machine that slept, a clock that
    # jumped) is not late yet.
    moment = job_runs.c.moment
    looks = sa.select(moment).where(job_runs.c.job == "watch", moment > now - _RECENT, moment <= now)
    since = now
    for look in await conn.scalars(looks.order_by(moment.desc())):
        if since - look > _PAUSE:
            break
        since = look
    return {
        "up_since": since,
        "scans": runs,
        "reviewing": await reviewing(conn, now) if runs and runs[0]["finished_at"] is None else None,
        "sources": await _sources(conn),
        "reviewed_today": await reviewed_today(conn, now),
        "whois_today": await _whois_today(conn, now),
        "queues": [await waiting(conn, each, now) for each in QUEUES],
        "workers": await _workers(conn, now),
        "jobs": await _jobs(conn),
        "failures": await _failures(conn, now),
        "withheld_registries": await _withheld(conn, now),
        "archives": await _archives(conn, now, settings),
        "blocked_hosts": await _blocked(conn, now),
        "outages": await _outages(conn, now),
        "given_up": await given_up(conn),
        "refusing_hosts": await _refusing(conn, now),
        "provider_spend": await _spend(conn, now),
        "bad_feeds": await _bad_feeds(conn),
        "deliveries_last_hour": await _settled_since(conn, now - timedelta(hours=1)),
        "failing_endpoints": await _failing_endpoints(conn, now - timedelta(hours=1)),
        "backup": await _backup(conn),
    }


async def _rows(conn: AsyncConnection, chosen: sa.Select[Any], _shape: type[RowT]) -> list[RowT]:
    """The rows of a query whose columns are those of `_shape`."""
    # Under plain str keys: SQLAlchemy's label names are a subclass that JSON writers refuse.
    found = (await conn.execute(chosen)).mappings()
    return [cast(RowT, {str(name): value for name, value in row.items()}) for row in found]


async def _scans(conn: AsyncConnection) -> list[TimedScan]:
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
        conn,
        sa.select(*(scans.c[name] for name in names)).order_by(scans.c.id.desc()).limit(3),
        TimedScan,
    )


async def _sources(conn: AsyncConnection) -> list[SourceRow]:
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
    return await _rows(conn, chosen, SourceRow)


async def sources_answered(conn: AsyncConnection) -> tuple[int, int]:
    """How many feeds gave a plausible file when they were last asked, and how many there are."""
    run = source_runs.c
    newest = sa.select(sa.func.max(run.id)).where(run.finished_at.is_not(None)).group_by(run.feed)
    counted = sa.select(sa.func.count().filter(run.state == "done"), sa.func.count()).where(
        run.id.in_(newest)
    )
    answered, sources = (await conn.execute(counted)).one()
    return int(answered), int(sources)


async def _workers(conn: AsyncConnection, now: datetime) -> list[WorkerRow]:
    chosen = (
        sa.select(workers).where(workers.c.heartbeat_at > now - _RECENT).order_by(workers.c.started_at.desc())
    )
    found = await _rows(conn, chosen.limit(20), WorkerRow)
    for row in found:
        lost = now - row["heartbeat_at"] > _LOST_AFTER
        row["state"] = "stopped" if row["stopped_at"] else "lost" if lost else "alive"
    return found


async def _jobs(conn: AsyncConnection) -> list[JobRow]:
    newest = (
        sa.select(job_runs.c.job, sa.func.max(job_runs.c.moment).label("moment"))
        .group_by(job_runs.c.job)
        .subquery()
    )
    same = sa.and_(job_runs.c.job == newest.c.job, job_runs.c.moment == newest.c.moment)
    names = ("job", "moment", "claimed_by", "started_at", "finished_at", "attempts", "result", "error")
    chosen = sa.select(*(job_runs.c[name] for name in names)).join(newest, same).order_by(job_runs.c.job)
    return await _rows(conn, chosen, JobRow)


async def _failures(conn: AsyncConnection, now: datetime) -> list[FailureRow]:
    """The newest failures with their error texts; those that say the same are one, with their number."""
    found: list[FailureRow] = []
    for what, table, subject, at, ref in (
        ("candidate", candidates, candidates.c.domain, candidates.c.settled_at, candidates.c.domain),
        ("check", checks, checks.c.domain, checks.c.finished_at, checks.c.id),
        ("mail", mails, mails.c.kind, mails.c.created_at, mails.c.id),
        ("delivery", deliveries, deliveries.c.event, deliveries.c.settled_at, deliveries.c.endpoint_id),
        ("matching", to_match, to_match.c.domain, to_match.c.due_at, to_match.c.domain),
    ):
        last = sa.func.max(at)
        chosen = sa.select(
            sa.literal(what).label("what"),
            subject.label("subject"),
            last.label("at"),
            table.c.error,
            sa.cast(sa.func.max(ref), sa.Text).label("ref"),
            sa.func.count().label("times"),
        ).where(table.c.error.is_not(None), at > now - _RECENT)
        # Deliveries are sent again by endpoint.
        same = chosen.group_by(subject, table.c.error, *([ref] if what == "delivery" else []))
        found += await _rows(conn, same.order_by(last.desc()).limit(5), FailureRow)
    return found


async def _withheld(conn: AsyncConnection, now: datetime) -> list[WithheldRow]:
    chosen = sa.select(registry_passes).where(
        registry_passes.c.withheld.is_(True), registry_passes.c.pass_at > now - _RECENT
    )
    return await _rows(conn, chosen.order_by(registry_passes.c.pass_at.desc()).limit(10), WithheldRow)


async def _archives(conn: AsyncConnection, now: datetime, settings: Settings) -> list[ArchiveUse]:
    counts = await taken_today(conn, settings.archive.pace_keys, now.timestamp())
    return [
        {
            "host": host,
            "asked_today": count,
            "allowed_a_day": round(settings.pace.of(host).per_second * DAY_SECONDS),
        }
        for host, count in counts.items()
    ]


async def _blocked(conn: AsyncConnection, now: datetime) -> list[BlockedRow]:
    chosen = sa.select(host_pace.c.host, host_pace.c.blocked_until, host_pace.c.note)
    until, epoch = host_pace.c.blocked_until, now.timestamp()
    return await _rows(conn, chosen.where(until > epoch, until <= epoch + LONGEST_BLOCK), BlockedRow)


async def _outages(conn: AsyncConnection, now: datetime) -> list[OutageRow]:
    """Hosts that do not answer. One that nobody has asked for an hour is nobody's trouble."""
    lately = now.timestamp() - 3600
    return [
        {
            "host": row.host,
            "since": datetime.fromtimestamp(row.since, UTC),
            "next_try_at": datetime.fromtimestamp(row.next_try_at, UTC),
            "note": row.note,
        }
        for row in await outages(conn)
        if lately < row.next_try_at <= now.timestamp() + LONGEST_BLOCK
    ]


async def _refusing(conn: AsyncConnection, now: datetime) -> dict[str, str]:
    """Hosts that lately refused every request, with what they answered."""
    row, epoch = host_pace.c, now.timestamp()
    lately = row.refused_at.between(epoch - 3600, epoch + LONGEST_BLOCK)
    chosen = sa.select(row.host, row.refusal).where(lately).order_by(row.host)
    return {host: refusal for host, refusal in await conn.execute(chosen)}


async def _spend(conn: AsyncConnection, now: datetime) -> list[SpendRow]:
    periods = (f"{now:%Y-%m-%d}", f"{now:%Y-%m}")
    return await _rows(conn, sa.select(provider_spend).where(provider_spend.c.period.in_(periods)), SpendRow)


async def _bad_feeds(conn: AsyncConnection) -> list[BadFeed]:
    """The feeds whose last two finished runs both failed or were suspect, with the newer one's state and error."""
    run = source_runs.c
    newest_first = sa.func.row_number().over(partition_by=run.feed, order_by=run.id.desc())
    finished = (
        sa.select(run.feed, run.state, run.error, newest_first.label("place"))
        .where(run.state.in_(("done", "suspect", "failed")))
        .subquery()
    )
    two = await _rows(
        conn, sa.select(finished).where(finished.c.place <= 2).order_by(finished.c.place), BadFeed
    )
    runs: dict[str, list[BadFeed]] = {}
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


async def _failing_endpoints(conn: AsyncConnection, since: datetime) -> list[FailingEndpoint]:
    """Per endpoint the deliveries that failed for good since then, and those that wait for another attempt."""
    row = deliveries.c
    failed = sa.func.sum(sa.case((sa.and_(row.status == "failed", row.settled_at > since), 1), else_=0))
    retried = sa.func.sum(sa.case((row.status == "pending", 1), else_=0))
    bad = sa.or_(
        sa.and_(row.status == "failed", row.settled_at > since),
        sa.and_(row.status == "pending", row.tries > 0),
    )
    chosen = sa.select(row.endpoint_id.label("endpoint"), failed.label("failed"), retried.label("retrying"))
    grouped = chosen.where(bad).group_by(row.endpoint_id).order_by(failed.desc(), row.endpoint_id)
    return await _rows(conn, grouped.limit(_ENDPOINTS), FailingEndpoint)


async def _backup(conn: AsyncConnection) -> Backups:
    newest = sa.select(sa.func.max(job_runs.c.finished_at)).where(
        job_runs.c.job == BACKUP, job_runs.c.error.is_(None)
    )
    first = sa.select(sa.func.min(scans.c.started_at))
    return {"made_at": await conn.scalar(newest), "first_scan_at": await conn.scalar(first)}


_LATELY: Final = timedelta(days=2)


class WaitingRows(NamedTuple):
    """A queue: its table, which rows wait, and since when one does. Retries push `due_at` ahead, so an age counts from
    when the row was written. Those that are `held` wait for somebody outside, however long they are due."""

    name: str
    table: sa.Table
    waiting: sa.ColumnElement[bool]
    since: sa.ColumnElement[datetime | None]
    held: sa.ColumnElement[bool] = sa.false()


def _deliverable() -> sa.ColumnElement[bool]:
    """Deliveries that do not wait for their owner: the endpoint is on, and the account has a plan."""
    endpoint = webhook_endpoints.c
    ready = (
        sa.select(endpoint.id)
        .join(accounts, accounts.c.id == endpoint.account_id)
        .where(endpoint.active, accounts.c.plan_until > sa.bindparam("at", type_=accounts.c.plan_until.type))
    )
    return deliveries.c.endpoint_id.in_(ready)


QUEUES: Final = (
    WaitingRows("candidates", candidates, candidates.c.state == "due", candidates.c.due_at),
    WaitingRows("checks", checks, checks.c.status.in_(("queued", "running")), checks.c.created_at),
    WaitingRows(
        "page texts", archived_pages, archived_pages.c.content_state == "wanted", archived_pages.c.due_at
    ),
    WaitingRows("matching", to_match, to_match.c.due_at.is_not(None), to_match.c.created_at),
    WaitingRows(
        "deliveries",
        deliveries,
        deliveries.c.status == "pending",
        sa.case(
            (_deliverable(), sa.func.coalesce(deliveries.c.redelivery_requested_at, deliveries.c.created_at))
        ),
        held(sa.bindparam("at", type_=accounts.c.plan_until.type)),
    ),
    WaitingRows("mails", mails, mails.c.status == "pending", mails.c.created_at),
)


async def waiting(conn: AsyncConnection, queue: WaitingRows, now: datetime) -> QueueRow:
    """How many rows of a queue wait, for what, and for how long."""
    table, instant = queue.table.c, queue.table.c.due_at.type
    in_hand = table.lease_until > now
    later = sa.and_(table.due_at > now, ~queue.held, sa.or_(table.lease_until.is_(None), ~in_hand))
    counted = (in_hand, table.due_at <= now, queue.held, later)
    counts = [sa.func.coalesce(sa.func.sum(sa.case((which, 1), else_=0)), 0) for which in counted]
    oldest = sa.func.min(queue.since, type_=instant)
    untried = sa.func.min(sa.case((table.attempts == 0, queue.since)), type_=instant)
    next_at = sa.func.min(sa.case((later, table.due_at)), type_=instant)
    chosen = sa.select(sa.func.count(), *counts, oldest, untried, next_at).where(queue.waiting)
    found = (await conn.execute(chosen, {"at": now})).one()
    ages = [None if at is None else max(0, int((now - at).total_seconds())) for at in found[5:7]]
    return {
        "queue": queue.name,
        "waiting": found[0],
        "in_hand": int(found[1]),
        "due": int(found[2]),
        "held": int(found[3]),
        "later": int(found[4]),
        "next_at": found[7],
        "oldest_seconds": ages[0],
        "untried_seconds": ages[1],
    }


async def _whois_today(conn: AsyncConnection, now: datetime) -> dict[str, int]:
    """How many questions each WHOIS server was asked on this UTC day."""
    row = whois_days.c
    chosen = sa.select(row.host, row.asked).where(row.day == midnight(now)).order_by(row.host)
    return {str(host): int(asked) for host, asked in await conn.execute(chosen)}


async def reviewed_today(conn: AsyncConnection, now: datetime) -> int:
    """How many histories were reviewed on this UTC day; the day's cap counts them."""
    today = sa.select(sa.func.count()).where(reviews.c.reviewed_at >= midnight(now))
    return await conn.scalar(today) or 0


async def reviewing(conn: AsyncConnection, now: datetime) -> Reviewing:
    """How the reviews of the scan under way are going."""
    row, hour = candidates.c, now - timedelta(hours=1)
    failing = sa.and_(row.state == "due", row.error.is_not(None))
    done = row.outcome.in_(("published", "rejected"))
    counts = [
        sa.func.sum(sa.case((which, 1), else_=0))
        for which in (
            failing,
            sa.and_(row.outcome == "failed", row.settled_at > hour),
            sa.and_(done, row.settled_at > hour),
        )
    ]
    newest = sa.func.max(sa.case((done, row.settled_at)), type_=row.settled_at.type)
    recent = sa.or_(row.state == "due", row.settled_at > now - _LATELY)
    found = (await conn.execute(sa.select(*counts, newest).where(recent))).one()
    return {
        "failing": int(found[0] or 0),
        "failed": int(found[1] or 0),
        "done": int(found[2] or 0),
        "last_done": found[3],
        "reviewed_today": await reviewed_today(conn, now),
        "error": await conn.scalar(sa.select(row.error).where(failing).limit(1)),
    }
