"""Delete what nothing needs any longer, a few hundred rows a transaction, so that nothing waits long for the database.

These rows stay for good: published names with their last listing, review and metrics, and the verdict of every rejected
name with its reasons (`candidates`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import idempotency, rate_limit_store
from afterdrop.catalogue.availability.store import spent_states
from afterdrop.catalogue.visits import spent
from afterdrop.checks import visitors
from afterdrop.core.settings_sections import Retention
from afterdrop.db.engine import Database
from afterdrop.db.tables.accounts import sign_in_attempts, site_sessions
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import candidates, host_pace, listings, metric_values, scans
from afterdrop.db.tables.queue import job_runs, workers
from afterdrop.db.tables.review import (
    archive_answers,
    live_days,
    registry_changes,
    registry_passes,
    registry_states,
    reviews,
    visits,
    whois_days,
)
from afterdrop.db.tables.watching import share_links
from afterdrop.delivery.mail.store import forget_links, prune_mails
from afterdrop.delivery.webhooks import store
from afterdrop.queue.loop import QueueContext
from afterdrop.queue.timetable import BACKUP
from afterdrop.sources.live.warc_record import evidence_dir, forget_records
from afterdrop.sources.lookups import store as lookups_store
from afterdrop.sources.metrics import store as metric_rows
from afterdrop.watching import desk_store as desk

_AT_ONCE: Final = 500
_FOUND_AT_ONCE: Final = 20_000
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
# A name that dropped drops again after a year and the registry's grace periods at the earliest: its next review then
# asks for the drop before.
LISTINGS_DAYS: Final = 500
# Outcomes of names without a verdict, and metrics of those that are neither published nor on offer.
UNSETTLED_DAYS: Final = 90
# The figures of a scan and its feeds: more than a year, to compare with.
SCANS_DAYS: Final = 400
# No provider's answer is good for longer than a year.
_YEAR: Final = timedelta(days=366)

# Deletes up to a number of rows and gives how many it deleted.
Pruning = Callable[[AsyncConnection, int], Awaitable[int]]


async def prune(context: QueueContext) -> dict[str, int]:
    """Delete expired rows; gives how many of each kind."""
    now, kept = context.now(), context.settings.retention
    deleted: dict[str, int] = {}
    for name, pruning in _prunings(now, kept).items():
        removed = _AT_ONCE
        while removed >= _AT_ONCE:
            async with context.database.write() as conn:
                removed = await pruning(conn, _AT_ONCE)
            deleted[name] = deleted.get(name, 0) + removed
    live = context.settings.live
    evidence = timedelta(days=live.evidence_days)
    for name, (table, past) in _expired_rows(now, kept, evidence).items():
        deleted[name] = await _delete_rows(context.database, table, past)
    deleted["pages of visits"] = await asyncio.to_thread(
        forget_records, evidence_dir(context.settings), now - evidence, live.evidence_bytes, now
    )
    async with context.database.write() as conn:
        deleted["usage"] = await rate_limit_store.prune(conn, context.now())
    return {name: count for name, count in deleted.items() if count}


async def expire(context: QueueContext) -> dict[str, int]:
    """Fail expired deliveries; gives how many."""
    async with context.database.write() as conn:
        return {"expired": await store.expire(conn, context.now())}


def _prunings(now: datetime, kept: Retention) -> dict[str, Pruning]:
    """Rows that a feature deletes itself. Deliveries and events are kept for the 14 days that members are told."""
    mails_before = now - timedelta(days=kept.mails_days)
    return {
        "deliveries": lambda conn, most: store.prune(conn, now, most),
        "mails": lambda conn, most: prune_mails(conn, mails_before, most),
        "links in mails": lambda conn, most: forget_links(conn, now, most),
        "visitors' checks": lambda conn, most: visitors.forget(conn, now, most),
        "repeated requests": lambda conn, most: idempotency.prune(conn, now, most),
        "look-ups": lambda conn, most: lookups_store.forget_answers(conn, now, at_most=most),
        "seen domains": lambda conn, most: desk.forget_seen(conn, now, most),
        "provider answers": lambda conn, most: metric_rows.forget_answers(conn, now - _YEAR, most),
    }


def _expired_rows(
    now: datetime, kept: Retention, evidence: timedelta
) -> dict[str, tuple[sa.Table, sa.ColumnElement[bool]]]:
    def before(days: int) -> datetime:
        return now - timedelta(days=days)

    jobs, index = now - _WEEK, archive_answers.c
    published = sa.exists().where(domains.c.domain == sa.func.substr(index.url, len("index of ") + 1))
    return {
        "job runs": (
            job_runs,
            sa.and_(
                job_runs.c.finished_at.is_not(None),
                job_runs.c.moment <= jobs,
                # When the last backup was made must be known for longer than anybody waits for the next.
                sa.or_(job_runs.c.job != BACKUP, job_runs.c.moment <= before(SCANS_DAYS)),
            ),
        ),
        "workers": (workers, workers.c.heartbeat_at <= jobs),
        "sessions": (site_sessions, site_sessions.c.expires_at <= now),
        "share links": (share_links, share_links.c.expires_at <= now),
        "failed sign-ins": (sign_in_attempts, sign_in_attempts.c.at <= now - _DAY),
        "archive answers": (archive_answers, index.keep_until <= now),
        "archive indexes": (
            archive_answers,
            sa.and_(index.fetched_at <= before(kept.index_days), ~published),
        ),
        "reviews": (reviews, _spent_reviews(now - _WEEK)),
        "registry passes": (registry_passes, registry_passes.c.pass_at <= now - _WEEK),
        "registry states": (registry_states, spent_states()),
        "registry changes": (registry_changes, registry_changes.c.told_at <= before(kept.mails_days)),
        "visits": (visits, spent(now, evidence)),
        "looked-at pages by day": (live_days, live_days.c.day <= now - _WEEK),
        "idle hosts": (host_pace, _idle_hosts(now - _WEEK)),
        "WHOIS questions by day": (whois_days, whois_days.c.day <= now - _WEEK),
        "listings": (listings, _spent_listings(before(LISTINGS_DAYS))),
        "candidates": (candidates, _spent_candidates(before(UNSETTLED_DAYS), now)),
        "metrics": (metric_values, _spent_metrics(before(UNSETTLED_DAYS), now)),
        "scans": (scans, scans.c.finished_at <= before(SCANS_DAYS)),
    }


def _idle_hosts(before: datetime) -> sa.ColumnElement[bool]:
    """Hosts of which only counts of past days are kept: strangers' hosts, of which there is no end."""
    c, then = host_pace.c, before.timestamp()
    return sa.and_(c.next_at < then, c.blocked_until < then, c.refused_at.is_(None))


def _published(column: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    return sa.exists().where(domains.c.domain == column)


def _waits(column: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    return sa.exists().where(candidates.c.domain == column, candidates.c.state != "settled")


def _spent_reviews(before: datetime) -> sa.ColumnElement[bool]:
    """Reviews that expired by then, of names that are not published and do not wait for a new review.

    A published name needs its last review for good. The reasons of a rejection are stored with the candidate.
    """
    c = reviews.c
    return sa.and_(c.valid_until <= before, ~_published(c.domain), ~_waits(c.domain))


def _end(table: sa.FromClause) -> sa.ColumnElement[datetime | None]:
    """When a listing stopped being live, as `Listing.end` has it; null while it has no known end."""
    until, withdrawn = table.c.live_until, table.c.withdrawn_at
    first = sa.case((withdrawn < until, withdrawn), else_=until)
    return sa.case((withdrawn.is_(None), until), (until.is_(None), withdrawn), else_=first)


def _offered(column: sa.ColumnElement[str], now: datetime) -> sa.ColumnElement[bool]:
    running = sa.or_(_end(listings).is_(None), _end(listings) > now)
    return sa.exists().where(listings.c.domain == column, running)


def _spent_listings(before: datetime) -> sa.ColumnElement[bool]:
    """Listings that ended by then, but of a published name those that outlast all others of their type.

    The last to end is what its lists and report show, and the last drop is what its next review asks for.
    """
    c, later = listings.c, listings.alias("later")
    outlives = sa.or_(_end(later).is_(None), _end(later) > _end(listings))
    alike = sa.and_(later.c.domain == c.domain, later.c.type == c.type)
    outlived = sa.exists().where(alike, outlives)
    return sa.and_(_end(listings) <= before, sa.or_(~_published(c.domain), outlived), ~_waits(c.domain))


def _spent_candidates(before: datetime, now: datetime) -> sa.ColumnElement[bool]:
    """Names that came to no verdict by then: nobody reviewed them in time, or every attempt failed.

    A name on offer stays, and so does one that an earlier review rejected: `reasons` are its verdict.
    """
    c = candidates.c
    nothing = sa.or_(c.outcome == "not_reviewed_in_time", sa.and_(c.outcome == "failed", c.reasons.is_(None)))
    settled = sa.and_(c.state == "settled", c.settled_at <= before)
    return sa.and_(settled, nothing, ~_offered(c.domain, now), ~_published(c.domain))


def _spent_metrics(before: datetime, now: datetime) -> sa.ColumnElement[bool]:
    """Metrics from then or earlier of names that are not published, do not wait and are not on offer."""
    c = metric_values.c
    return sa.and_(c.fetched_at <= before, ~_published(c.domain), ~_waits(c.domain), ~_offered(c.domain, now))


async def _delete_rows(database: Database, table: sa.Table, past: sa.ColumnElement[bool]) -> int:
    """Delete the rows of which `past` is true; gives how many.

    They are looked for by reading, which no writer waits for. A transaction that deletes asks again, for a row may
    have come back meanwhile.
    """
    keys = list(table.primary_key.columns)
    removed, found = 0, [()] * _FOUND_AT_ONCE
    while len(found) == _FOUND_AT_ONCE:
        async with database.read() as conn:
            chosen = sa.select(*keys).where(past).limit(_FOUND_AT_ONCE)
            found = [tuple(row) for row in await conn.execute(chosen)]
        for start in range(0, len(found), _AT_ONCE):
            some = sa.tuple_(*keys).in_(found[start : start + _AT_ONCE])
            async with database.write() as conn:
                removed += (await conn.execute(sa.delete(table).where(some, past))).rowcount
    return removed
