"""The deliveries' SQL: claim what is due without letting one endpoint take all, write outcomes, expire, prune."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db import leases
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints
from afterdrop.db.types import Instant
from afterdrop.delivery.events import PING
from afterdrop.delivery.webhooks.retry_schedule import AttemptResult, ReceiverAnswer

KEPT = timedelta(days=14)
KEPT_PER_ENDPOINT = 50

_row = deliveries.c
_endpoint = webhook_endpoints.c


# Spelled out, not bound: a partial index serves only a condition that is known when the statement is planned.
_PENDING = _row.status == sa.literal_column("'pending'")

# One place in line: the first, second … due delivery of every active endpoint, whether or not it is in flight. Both
# databases answer it with one look into an index per endpoint, however many wait. An endpoint that never took anything
# or that lately kept a worker waiting has the first place only.
_PLACE = """
SELECT (
  SELECT d.id FROM deliveries AS d WHERE d.endpoint_id = e.id AND d.status = 'pending' AND d.due_at <= :now
  ORDER BY d.due_at, d.id LIMIT 1 OFFSET {place}
) AS id
FROM webhook_endpoints AS e JOIN accounts AS a ON a.id = e.account_id WHERE e.active AND a.plan_until > :now{which}"""
_PROMPT = " AND e.slow_at IS NULL AND e.last_delivered_at IS NOT NULL"
# An endpoint that is off has one place, for test events alone.
_TEST_EVENT = f"""
SELECT (
  SELECT d.id FROM deliveries AS d
  WHERE d.endpoint_id = e.id AND d.status = 'pending' AND d.event = '{PING}' AND d.due_at <= :now
  ORDER BY d.due_at, d.id LIMIT 1
) AS id
FROM webhook_endpoints AS e JOIN accounts AS a ON a.id = e.account_id
WHERE NOT e.active AND a.plan_until > :now{{which}}"""


@lru_cache(maxsize=8)
def _claimable(per_endpoint: int, prompt_only: bool) -> sa.TextualSelect:
    """The ids of deliveries that may be in flight now: some of every endpoint, a test event of those that are off."""
    parts = [
        _PLACE.format(place=place, which=_PROMPT if place or prompt_only else "")
        for place in range(per_endpoint)
    ]
    parts.append(_TEST_EVENT.format(which=_PROMPT if prompt_only else ""))
    text = sa.text("\nUNION ALL".join(parts))
    return text.bindparams(sa.bindparam("now", type_=Instant())).columns(_row.id)


async def claim_due(
    conn: AsyncConnection,
    worker: str,
    now: datetime,
    lease: timedelta,
    limit: int,
    per_endpoint: int,
    *,
    prompt_only: bool = False,
) -> list[dict[str, Any]]:
    """Claim due deliveries, at most `per_endpoint` in flight for each endpoint over all workers.

    An endpoint that never took anything or that lately kept a worker waiting has one in flight; with `prompt_only`
    none is claimed for it.

    A delivery waits while its endpoint is off or paused or its account is not on Pro; a test event does not wait for
    the endpoint. Of each endpoint only the oldest few are looked at: what is in flight is among them, since nothing
    becomes due before what was claimed.
    """
    any_due = sa.select(_row.id).where(_PENDING, _row.due_at <= now).limit(1)
    if (await conn.execute(any_due)).first() is None:
        return []
    return await leases.claim(
        conn,
        deliveries,
        worker=worker,
        now=now,
        lease=lease,
        limit=limit,
        due=sa.and_(
            _row.status == "pending", _row.id.in_(_claimable(per_endpoint, prompt_only).bindparams(now=now))
        ),
        order_by=[_row.due_at, _row.id],
    )


@dataclass(frozen=True, slots=True)
class DeliveryPayload:
    """What a claimed delivery needs to be sent. `secret` is encrypted. `prompt`: its endpoint answers at once."""

    url: str
    secret: bytes
    body: bytes
    prompt: bool


async def payloads(conn: AsyncConnection, rows: Sequence[dict[str, Any]]) -> dict[int, DeliveryPayload]:
    """The parcels of claimed deliveries by their ids; absent where the endpoint went."""
    found = await conn.execute(
        sa.select(
            _row.id,
            _endpoint.url,
            _endpoint.secret,
            events.c.body,
            sa.and_(_endpoint.slow_at.is_(None), _endpoint.last_delivered_at.is_not(None)),
        )
        .join(webhook_endpoints, _endpoint.id == _row.endpoint_id)
        .join(events, events.c.id == _row.event_id)
        .where(_row.id.in_([row["id"] for row in rows]))
    )
    return {row_id: DeliveryPayload(*parcel) for row_id, *parcel in found}


async def endpoint_owner(conn: AsyncConnection, endpoint_id: int) -> sa.RowMapping | None:
    """Whose endpoint it is: url, account_id, email, zone."""
    found = await conn.execute(
        sa.select(_endpoint.url, _endpoint.account_id, accounts.c.email, accounts.c.zone)
        .join(accounts, accounts.c.id == _endpoint.account_id)
        .where(_endpoint.id == endpoint_id)
    )
    return found.mappings().first()


async def lock_endpoints(conn: AsyncConnection, ids: Collection[int]) -> None:
    """Lock endpoints before their deliveries, as their deletion does: two that lock crosswise would both wait."""
    if conn.dialect.name == "postgresql":
        held = sa.select(_endpoint.id).where(_endpoint.id.in_(sorted(ids))).order_by(_endpoint.id)
        await conn.execute(held.with_for_update(key_share=True))


async def write_delivered(
    conn: AsyncConnection, worker: str, rows: Sequence[dict[str, Any]], code: int, now: datetime
) -> set[int]:
    """Write that these deliveries arrived, answered with `code`; gives the ids of those this worker still held."""
    claimed = sa.tuple_(_row.id, _row.attempts).in_([(row["id"], row["attempts"]) for row in rows])
    done = await conn.execute(
        sa.update(deliveries)
        .where(claimed, _row.claimed_by == worker)
        .values(
            status="delivered",
            tries=_row.tries + 1,
            response_code=code,
            error=None,
            due_at=None,
            delivered_at=now,
            settled_at=now,
            claimed_by=None,
            lease_until=None,
        )
        .returning(_row.id)
    )
    return set(done.scalars())


async def write_failure(
    conn: AsyncConnection, row: dict[str, Any], answer: ReceiverAnswer, outcome: AttemptResult, now: datetime
) -> bool:
    """Write a failed attempt's outcome; False when the lease was lost meanwhile (another worker has the row)."""
    return await leases.settle(
        conn,
        deliveries,
        row,
        status=outcome.status,
        tries=outcome.tries,
        response_code=answer.code,
        error=outcome.error,
        due_at=outcome.retry_at,
        settled_at=now if outcome.status == "failed" else None,
    )


async def fail(conn: AsyncConnection, row: dict[str, Any], error: str, now: datetime) -> bool:
    """Fail a delivery for good without an attempt: it expired, or its workers were lost. False: the lease was lost."""
    return await leases.settle(
        conn, deliveries, row, status="failed", error=error, settled_at=now, due_at=None
    )


async def note_successes(
    conn: AsyncConnection, endpoint_ids: Collection[int], now: datetime, *, pings: bool
) -> None:
    """Deliveries arrived: their endpoints' runs of failures are over, unless they were only test events."""
    if endpoint_ids:
        values: dict[str, Any] = {"last_delivered_at": now}
        if not pings:
            values["consecutive_failures"] = 0
        await conn.execute(
            sa.update(webhook_endpoints).where(_endpoint.id.in_(sorted(endpoint_ids))).values(**values)
        )


async def note_pace(
    conn: AsyncConnection, slow: Collection[int], prompt: Collection[int], now: datetime
) -> None:
    """Write that these endpoints keep workers waiting, and that those answer promptly (again)."""
    if slow:
        await conn.execute(
            sa.update(webhook_endpoints).where(_endpoint.id.in_(sorted(slow))).values(slow_at=now)
        )
    if prompt:
        waiting = sa.and_(_endpoint.id.in_(sorted(prompt)), _endpoint.slow_at.is_not(None))
        await conn.execute(sa.update(webhook_endpoints).where(waiting).values(slow_at=None))


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
        .where(_PENDING, stale, free)
        .values(
            status="failed", error="expired", settled_at=now, due_at=None, claimed_by=None, lease_until=None
        )
    )
    return int(done.rowcount)


async def prune(conn: AsyncConnection, now: datetime, limit: int) -> int:
    """Remove up to `limit` settled deliveries older than 14 days or beyond an endpoint's last 50, and as many events
    older than 14 days that no delivery waits for. Gives the larger number of the two.
    """
    newest = sa.func.row_number().over(
        partition_by=_row.endpoint_id, order_by=(_row.created_at.desc(), _row.id.desc())
    )
    ranked = sa.select(_row.id, newest.label("place")).subquery()
    beyond = sa.select(ranked.c.id).where(ranked.c.place > KEPT_PER_ENDPOINT)
    old = sa.or_(_row.created_at <= now - KEPT, _row.id.in_(beyond))
    some = sa.select(_row.id).where(_row.status != "pending", old).limit(limit)
    gone = await conn.execute(sa.delete(deliveries).where(_row.id.in_(some)))
    pending = sa.select(_row.event_id).where(_PENDING)
    stale = sa.select(events.c.id).where(events.c.created_at <= now - KEPT, events.c.id.not_in(pending))
    done = await conn.execute(sa.delete(events).where(events.c.id.in_(stale.limit(limit))))
    return max(int(gone.rowcount), int(done.rowcount))
