"""The SQL of deliveries for workers: claim due ones fairly between endpoints, write results, expire, prune."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal, TypedDict

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db import leases
from afterdrop.db.leases import Claim
from afterdrop.db.schema import Instant
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints
from afterdrop.delivery.events import KEPT, PING
from afterdrop.delivery.webhooks.retry_schedule import AttemptResult, ReceiverAnswer

KEPT_PER_ENDPOINT = 50
# The error of a delivery that is not sent because it came too late or its reader may not see it any more.
EXPIRED: Final = "expired"

_row = deliveries.c
_endpoint = webhook_endpoints.c


class DeliveryRow(TypedDict):
    """A row of the table `deliveries`."""

    id: int
    event_id: str
    endpoint_id: int
    event: str
    status: Literal["pending", "delivered", "failed"]
    response_code: int | None
    tries: int
    created_at: datetime
    expires_at: datetime | None
    delivered_at: datetime | None
    settled_at: datetime | None
    redelivery_requested_at: datetime | None
    due_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


class EndpointOwner(TypedDict):
    """Where an endpoint is, and whom to tell about it."""

    url: str
    account_id: int
    email: str
    zone: str


# The contract's count of deliveries that failed in a row, which switches an endpoint off.
DISABLE_AFTER: Final = 15
# Deliveries in flight for one endpoint over all workers.
PER_ENDPOINT: Final = 4
# A literal, not a bound value: the planner uses a partial index only when it knows the condition.
PENDING = _row.status == sa.literal_column("'pending'")

# One place in line: the first, second … due delivery of every active endpoint, whether or not it is in flight. Both
# databases read it from an index, once per endpoint, however many wait. An endpoint that never took a delivery or
# that lately answered slowly has the first place only.
_PLACE = """
SELECT (
  SELECT d.id FROM deliveries AS d WHERE d.endpoint_id = e.id AND d.status = 'pending' AND d.due_at <= :now
  ORDER BY d.due_at, d.id LIMIT 1 OFFSET {place}
) AS id
FROM webhook_endpoints AS e JOIN accounts AS a ON a.id = e.account_id WHERE e.active AND a.plan_until > :now{which}"""
_PROMPT = " AND e.slow_at IS NULL AND e.last_delivered_at IS NOT NULL"
# An inactive endpoint has one place, for test events only.
_TEST_EVENT = f"""
SELECT (
  SELECT d.id FROM deliveries AS d
  WHERE d.endpoint_id = e.id AND d.status = 'pending' AND d.event = '{PING}' AND d.due_at <= :now
  ORDER BY d.due_at, d.id LIMIT 1
) AS id
FROM webhook_endpoints AS e JOIN accounts AS a ON a.id = e.account_id
WHERE NOT e.active AND a.plan_until > :now{{which}}"""


@lru_cache(maxsize=8)
def _claimable(prompt_only: bool) -> sa.TextualSelect:
    """The ids of deliveries that may be in flight now: a few of every endpoint, a test event of inactive ones."""
    parts = [
        _PLACE.format(place=place, which=_PROMPT if place or prompt_only else "")
        for place in range(PER_ENDPOINT)
    ]
    parts.append(_TEST_EVENT.format(which=_PROMPT if prompt_only else ""))
    text = sa.text("\nUNION ALL".join(parts))
    return text.bindparams(sa.bindparam("now", type_=Instant())).columns(_row.id)


async def claim_due(conn: AsyncConnection, claim: Claim, *, prompt_only: bool = False) -> list[DeliveryRow]:
    """Claim due deliveries; `prompt_only`: of endpoints that took the last one promptly.

    An endpoint that never took a delivery or that lately answered slowly has one in flight. A delivery waits while its
    endpoint is inactive or its account is not on Pro; a test event does not wait for the endpoint. Only the oldest few
    deliveries of each endpoint are read. Those in flight are among them, because nothing becomes due before what was
    claimed.
    """
    any_due = sa.select(_row.id).where(PENDING, _row.due_at <= claim.now).limit(1)
    if (await conn.execute(any_due)).first() is None:
        return []
    # Of a row that another worker changed meanwhile PostgreSQL reads the row's own columns anew, but not the
    # subquery. Without `due_at` here a claim would repeat at once what has just been tried and put off.
    due = sa.and_(
        _row.status == "pending",
        _row.due_at <= claim.now,
        _row.id.in_(_claimable(prompt_only).bindparams(now=claim.now)),
    )
    return await leases.claim(conn, deliveries, claim, due, [_row.due_at, _row.id])


@dataclass(frozen=True, slots=True)
class DeliveryPayload:
    """The body and the address of a claimed delivery. `secret` is encrypted; `prompt`: the endpoint answers quickly."""

    url: str
    secret: bytes
    body: bytes
    prompt: bool


async def payloads(conn: AsyncConnection, rows: Sequence[DeliveryRow]) -> dict[int, DeliveryPayload]:
    """The payloads of claimed deliveries by their ids; those of deleted endpoints are absent."""
    result = await conn.execute(
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
    return {row_id: DeliveryPayload(*payload) for row_id, *payload in result}


async def endpoint_owner(conn: AsyncConnection, endpoint_id: int) -> EndpointOwner | None:
    """The owner of an endpoint, or None when it was deleted."""
    result = await conn.execute(
        sa.select(_endpoint.url, _endpoint.account_id, accounts.c.email, accounts.c.zone)
        .join(accounts, accounts.c.id == _endpoint.account_id)
        .where(_endpoint.id == endpoint_id)
    )
    row = result.first()
    return (
        None
        if row is None
        else EndpointOwner(url=row.url, account_id=row.account_id, email=row.email, zone=row.zone)
    )


async def lock_endpoints(conn: AsyncConnection, ids: Collection[int]) -> None:
    """Lock endpoints before their deliveries, in the order a deletion locks them: otherwise both could deadlock."""
    if conn.dialect.name == "postgresql":
        held = sa.select(_endpoint.id).where(_endpoint.id.in_(sorted(ids))).order_by(_endpoint.id)
        await conn.execute(held.with_for_update(key_share=True))


async def write_delivered(
    conn: AsyncConnection, worker: str, rows: Sequence[DeliveryRow], code: int, now: datetime
) -> set[int]:
    """Write that these deliveries were answered with `code`; gives the ids of those this worker still held."""
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
    conn: AsyncConnection, row: DeliveryRow, answer: ReceiverAnswer, result: AttemptResult, now: datetime
) -> bool:
    """Write the result of a failed attempt; False when the lease was lost: another worker has the row."""
    return await leases.settle(
        conn,
        deliveries,
        row,
        status=result.status,
        tries=result.tries,
        response_code=answer.code,
        error=result.error,
        due_at=result.retry_at,
        settled_at=now if result.status == "failed" else None,
    )


async def fail(conn: AsyncConnection, row: DeliveryRow, error: str, now: datetime) -> bool:
    """Fail a delivery for good without an attempt; False when the lease was lost.

    It expired, or too many workers died with it in hand.
    """
    return await leases.settle(
        conn, deliveries, row, status="failed", error=error, settled_at=now, due_at=None
    )


async def note_successes(
    conn: AsyncConnection, endpoint_ids: Collection[int], now: datetime, *, pings: bool
) -> None:
    """Note that endpoints took deliveries. This ends a run of failures, unless the deliveries were test events."""
    if endpoint_ids:
        values: dict[str, object] = {"last_delivered_at": now}
        if not pings:
            values["consecutive_failures"] = 0
        await conn.execute(
            sa.update(webhook_endpoints).where(_endpoint.id.in_(sorted(endpoint_ids))).values(**values)
        )


async def note_pace(
    conn: AsyncConnection, slow: Collection[int], prompt: Collection[int], now: datetime
) -> None:
    """Mark endpoints as slow, and clear the mark of those that answer promptly."""
    if slow:
        await conn.execute(
            sa.update(webhook_endpoints).where(_endpoint.id.in_(sorted(slow))).values(slow_at=now)
        )
    if prompt:
        waiting = sa.and_(_endpoint.id.in_(sorted(prompt)), _endpoint.slow_at.is_not(None))
        await conn.execute(sa.update(webhook_endpoints).where(waiting).values(slow_at=None))


async def note_failure(conn: AsyncConnection, endpoint_id: int, now: datetime) -> bool:
    """Count a delivery that failed for good; True when this one switched the endpoint off."""
    await conn.execute(
        sa.update(webhook_endpoints)
        .where(_endpoint.id == endpoint_id)
        .values(consecutive_failures=_endpoint.consecutive_failures + 1)
    )
    done = await conn.execute(
        sa.update(webhook_endpoints)
        .where(_endpoint.id == endpoint_id, _endpoint.active, _endpoint.consecutive_failures >= DISABLE_AFTER)
        .values(active=False, disabled_at=now)
    )
    return done.rowcount == 1


async def expire(conn: AsyncConnection, now: datetime) -> int:
    """Fail reminders whose listing ended and all pending deliveries older than 14 days; gives how many.

    They do not count towards switching an endpoint off.
    """
    stale = sa.or_(_row.expires_at <= now, _row.created_at <= now - KEPT)
    free = sa.or_(_row.lease_until.is_(None), _row.lease_until <= now)
    done = await conn.execute(
        sa.update(deliveries)
        .where(PENDING, stale, free)
        .values(
            status="failed", error=EXPIRED, settled_at=now, due_at=None, claimed_by=None, lease_until=None
        )
    )
    return int(done.rowcount)


async def prune(conn: AsyncConnection, now: datetime, limit: int) -> int:
    """Remove up to `limit` settled deliveries and up to `limit` events; gives the larger of the two numbers.

    Deliveries go when they are older than 14 days or beyond an endpoint's last 50, events when they are older than
    14 days and have no pending delivery.
    """
    newest = sa.func.row_number().over(
        partition_by=_row.endpoint_id, order_by=(_row.created_at.desc(), _row.id.desc())
    )
    ranked = sa.select(_row.id, newest.label("place")).subquery()
    beyond = sa.select(ranked.c.id).where(ranked.c.place > KEPT_PER_ENDPOINT)
    old = sa.or_(_row.created_at <= now - KEPT, _row.id.in_(beyond))
    some = sa.select(_row.id).where(_row.status != "pending", old).limit(limit)
    # The condition is repeated on the row itself: a delivery that is sent again at this moment is pending by now.
    gone = await conn.execute(sa.delete(deliveries).where(_row.id.in_(some), _row.status != "pending"))
    pending = sa.select(_row.event_id).where(PENDING)
    stale = sa.select(events.c.id).where(events.c.created_at <= now - KEPT, events.c.id.not_in(pending))
    done = await conn.execute(sa.delete(events).where(events.c.id.in_(stale.limit(limit))))
    return max(int(gone.rowcount), int(done.rowcount))
