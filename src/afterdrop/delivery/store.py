"""The deliveries' SQL: claim what is due without letting one endpoint take all, write outcomes, expire, prune."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db import claims
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints
from afterdrop.delivery.events import PING
from afterdrop.delivery.schedule import Answer, Outcome

KEPT = timedelta(days=14)
KEPT_PER_ENDPOINT = 50

_row = deliveries.c
_endpoint = webhook_endpoints.c


async def claim_due(
    conn: AsyncConnection, worker: str, now: datetime, lease: timedelta, limit: int, per_endpoint: int
) -> list[dict[str, Any]]:
    """Claim due deliveries, at most `per_endpoint` in flight for each endpoint over all workers.

    A delivery waits while its endpoint is off or paused or its account is not on Pro; a test event does not wait for
    the endpoint.
    """
    busy = (
        sa.select(_row.endpoint_id, sa.func.count().label("held"))
        .where(_row.status == "pending", _row.lease_until > now)
        .group_by(_row.endpoint_id)
        .subquery()
    )
    place = sa.func.row_number().over(partition_by=_row.endpoint_id, order_by=(_row.due_at, _row.id))
    waiting = (
        sa.select(_row.id, (place + sa.func.coalesce(busy.c.held, 0)).label("place"))
        .join(webhook_endpoints, _endpoint.id == _row.endpoint_id)
        .join(accounts, accounts.c.id == _endpoint.account_id)
        .outerjoin(busy, busy.c.endpoint_id == _row.endpoint_id)
        .where(
            _row.status == "pending",
            _row.due_at <= now,
            sa.or_(_row.lease_until.is_(None), _row.lease_until <= now),
            accounts.c.plan_until > now,
            sa.or_(_endpoint.active, _row.event == PING),
        )
        .subquery()
    )
    fair = sa.select(waiting.c.id).where(waiting.c.place <= per_endpoint)
    return await claims.claim(
        conn,
        deliveries,
        worker=worker,
        now=now,
        lease=lease,
        limit=limit,
        due=sa.and_(_row.status == "pending", _row.id.in_(fair)),
        order_by=[_row.due_at],
    )


async def parcel(conn: AsyncConnection, row: dict[str, Any]) -> dict[str, Any] | None:
    """What a claimed delivery needs to be sent: url, secret (encrypted), body; None when the endpoint went."""
    found = await conn.execute(
        sa.select(_endpoint.url, _endpoint.secret, _endpoint.account_id, events.c.body)
        .join(events, events.c.id == row["event_id"])
        .where(_endpoint.id == row["endpoint_id"])
    )
    first = found.mappings().first()
    return dict(first) if first else None


async def write_outcome(
    conn: AsyncConnection, row: dict[str, Any], answer: Answer, outcome: Outcome, now: datetime
) -> bool:
    """Write one attempt's outcome; False when the lease was lost meanwhile (another worker has the row)."""
    settled = outcome.status != "pending"
    return await claims.settle(
        conn,
        deliveries,
        row,
        status=outcome.status,
        tries=outcome.tries,
        response_code=answer.code,
        error=outcome.error,
        due_at=outcome.retry_at,
        delivered_at=now if outcome.status == "delivered" else None,
        settled_at=now if settled else None,
    )


async def note_success(conn: AsyncConnection, endpoint_id: int, now: datetime) -> None:
    """A delivery arrived: the endpoint's run of failures is over."""
    await conn.execute(
        sa.update(webhook_endpoints)
        .where(_endpoint.id == endpoint_id)
        .values(consecutive_failures=0, last_delivered_at=now)
    )


async def note_failure(conn: AsyncConnection, endpoint_id: int, disable_after: int, now: datetime) -> bool:
    """A delivery failed for good; True when this one switched the endpoint off."""
    await conn.execute(
        sa.update(webhook_endpoints)
        .where(_endpoint.id == endpoint_id)
        .values(consecutive_failures=_endpoint.consecutive_failures + 1)
    )
    done = await conn.execute(
        sa.update(webhook_endpoints)
        .where(_endpoint.id == endpoint_id, _endpoint.active, _endpoint.consecutive_failures >= disable_after)
        .values(active=False, disabled_at=now)
    )
    return done.rowcount == 1


async def expire(conn: AsyncConnection, now: datetime) -> int:
    """Fail what nobody needs any more: reminders whose listing ended, and anything older than 14 days.

    It does not count towards switching an endpoint off. Gives how many.
    """
    stale = sa.or_(_row.expires_at <= now, _row.created_at <= now - KEPT)
    free = sa.or_(_row.lease_until.is_(None), _row.lease_until <= now)
    done = await conn.execute(
        sa.update(deliveries)
        .where(_row.status == "pending", stale, free)
        .values(status="failed", error="expired", settled_at=now, due_at=None)
    )
    return int(done.rowcount)


async def prune(conn: AsyncConnection, now: datetime) -> int:
    """Remove settled deliveries older than 14 days or beyond an endpoint's last 50, then events nobody needs."""
    newest = sa.func.row_number().over(
        partition_by=_row.endpoint_id, order_by=(_row.created_at.desc(), _row.id.desc())
    )
    ranked = sa.select(_row.id, newest.label("place")).subquery()
    beyond = sa.select(ranked.c.id).where(ranked.c.place > KEPT_PER_ENDPOINT)
    done = await conn.execute(
        sa.delete(deliveries).where(
            _row.status != "pending", sa.or_(_row.created_at <= now - KEPT, _row.id.in_(beyond))
        )
    )
    pending = sa.select(_row.event_id).where(_row.status == "pending")
    await conn.execute(
        sa.delete(events).where(events.c.created_at <= now - KEPT, events.c.id.not_in(pending))
    )
    return int(done.rowcount)
