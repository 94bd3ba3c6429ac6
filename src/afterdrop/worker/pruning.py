"""Delete expired rows, a few hundred a transaction, so that nothing waits long for the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import rate_limit_store
from afterdrop.db.tables.accounts import sign_in_attempts, site_sessions
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.desk import share_links
from afterdrop.db.tables.feeds import candidates
from afterdrop.db.tables.lookups import registry_passes
from afterdrop.db.tables.queue import job_runs, workers
from afterdrop.db.tables.review import archive_answers, reviews
from afterdrop.delivery.mail.store import forget_links, prune_mails
from afterdrop.delivery.webhooks import store
from afterdrop.desk import store as desk
from afterdrop.lookups import store as lookups_store
from afterdrop.metrics import store as metric_rows
from afterdrop.queue.context import QueueContext

_AT_ONCE: Final = 500
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
# No provider's answer is good for longer than a year.
_YEAR: Final = timedelta(days=366)

# Deletes up to a number of rows and gives how many it deleted.
Pruning = Callable[[AsyncConnection, int], Awaitable[int]]


async def prune(context: QueueContext) -> dict[str, int]:
    """Delete expired rows; gives how many of each kind."""
    deleted: dict[str, int] = {}
    for name, pruning in _prunings(context.now()).items():
        removed = _AT_ONCE
        while removed >= _AT_ONCE:
            async with context.database.write() as conn:
                removed = await pruning(conn, _AT_ONCE)
            deleted[name] = deleted.get(name, 0) + removed
    async with context.database.write() as conn:
        deleted["usage"] = await rate_limit_store.prune(conn, context.now())
    return {name: count for name, count in deleted.items() if count}


async def expire(context: QueueContext) -> dict[str, int]:
    """Fail expired deliveries; gives how many."""
    async with context.database.write() as conn:
        return {"expired": await store.expire(conn, context.now())}


def _prunings(now: datetime) -> dict[str, Pruning]:
    return {
        "deliveries": lambda conn, most: store.prune(conn, now, most),
        "mails": lambda conn, most: prune_mails(conn, now, most),
        "links in mails": lambda conn, most: forget_links(conn, now, most),
        "job runs": _rows_where(
            job_runs, sa.and_(job_runs.c.finished_at.is_not(None), job_runs.c.moment <= now - _WEEK)
        ),
        "workers": _rows_where(workers, workers.c.heartbeat_at <= now - _WEEK),
        "sessions": _rows_where(site_sessions, site_sessions.c.expires_at <= now),
        "failed sign-ins": _rows_where(sign_in_attempts, sign_in_attempts.c.at <= now - _DAY),
        "archive answers": _rows_where(archive_answers, archive_answers.c.keep_until <= now),
        "reviews": _rows_where(reviews, _spent_reviews(now)),
        "registry passes": _rows_where(registry_passes, registry_passes.c.pass_at <= now - _WEEK),
        "look-ups": lambda conn, most: lookups_store.forget_answers(conn, now, at_most=most),
        "seen domains": lambda conn, most: desk.forget_seen(conn, now, most),
        "share links": _rows_where(share_links, share_links.c.expires_at <= now),
        "provider answers": lambda conn, most: metric_rows.forget_answers(conn, now - _YEAR, most),
    }


def _spent_reviews(now: datetime) -> sa.ColumnElement[bool]:
    """Reviews that expired a week ago, of names that are not published and do not wait for a new review.

    A published name needs its last review for good. The reasons of a rejection are stored with the candidate.
    """
    c = reviews.c
    published = sa.exists().where(domains.c.domain == c.domain)
    waits = sa.exists().where(candidates.c.domain == c.domain, candidates.c.state != "settled")
    return sa.and_(c.valid_until <= now - _WEEK, ~published, ~waits)


def _rows_where(table: sa.Table, past: sa.ColumnElement[bool]) -> Pruning:
    keys = list(table.primary_key.columns)

    async def remove(conn: AsyncConnection, most: int) -> int:
        some = sa.select(*keys).where(past).limit(most)
        mine = keys[0].in_(some) if len(keys) == 1 else sa.tuple_(*keys).in_(some)
        return int((await conn.execute(sa.delete(table).where(mine))).rowcount)

    return remove
