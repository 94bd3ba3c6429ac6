"""Make an event: its envelope, frozen, and a delivery row for each endpoint that wants it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection
from ulid import ULID

from afterdrop.db.statements import insert_once
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints

ALERT_MATCHED = "alert.matched"
DOMAIN_AVAILABLE = "domain.available"
DOMAIN_ENDING_SOON = "domain.ending_soon"
CHECK_COMPLETED = "check.completed"
PING = "ping"


def envelope(event_id: str, kind: str, created_at: datetime, data: dict[str, Any]) -> bytes:
    """The JSON body of a delivery, the same bytes at every attempt."""
    moment = created_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return orjson.dumps({"id": event_id, "type": kind, "created_at": moment, "data": data})


async def record(
    conn: AsyncConnection,
    account_id: int,
    kind: str,
    data: dict[str, Any],
    now: datetime,
    *,
    occasion: str,
    expires_at: datetime | None = None,
) -> str | None:
    """Record an event of an account, once per `occasion`; gives its id, or None when it was recorded before.

    It is queued for the account's active endpoints that subscribe to it, when the account is on Pro. Kept 14 days
    whether or not an endpoint took it. `expires_at`: nobody needs it after that.
    """
    event_id = f"evt_{ULID.from_datetime(now)}"
    row = {
        "id": event_id,
        "account_id": account_id,
        "type": kind,
        "occasion": occasion,
        "created_at": now,
        "expires_at": expires_at,
        "body": envelope(event_id, kind, now, data),
    }
    if not await insert_once(conn, events, row, ["occasion"]):
        return None
    endpoint = webhook_endpoints.c
    wanting = await conn.execute(
        sa.select(endpoint.id, endpoint.events)
        .join(accounts, accounts.c.id == endpoint.account_id)
        .where(endpoint.account_id == account_id, endpoint.active, accounts.c.plan_until > now)
    )
    ids = [row.id for row in wanting if kind in row.events]
    await queue(conn, event_id, kind, ids, now, expires_at)
    return event_id


async def ping(conn: AsyncConnection, account_id: int, endpoint_id: int, url: str, now: datetime) -> str:
    """Queue a test event for one endpoint, whatever it subscribes to and whether or not it is on."""
    event_id = f"evt_{ULID.from_datetime(now)}"
    data = {"message": "This is a test event.", "webhook": {"id": endpoint_id, "url": url}}
    await conn.execute(
        sa.insert(events).values(
            id=event_id,
            account_id=account_id,
            type=PING,
            created_at=now,
            body=envelope(event_id, PING, now, data),
        )
    )
    await queue(conn, event_id, PING, [endpoint_id], now, None)
    return event_id


async def queue(
    conn: AsyncConnection,
    event_id: str,
    kind: str,
    endpoint_ids: list[int],
    now: datetime,
    expires_at: datetime | None,
) -> None:
    """One delivery row per endpoint, due at once."""
    rows = [
        {
            "event_id": event_id,
            "endpoint_id": endpoint_id,
            "event": kind,
            "status": "pending",
            "created_at": now,
            "due_at": now,
            "expires_at": expires_at,
        }
        for endpoint_id in endpoint_ids
    ]
    if rows:
        await conn.execute(sa.insert(deliveries), rows)
