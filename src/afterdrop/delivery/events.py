"""Record events: the envelope with its final bytes, and a delivery for each endpoint that subscribes to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection
from ulid import ULID

from afterdrop.db.dialects import insert_each_once
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints

ALERT_MATCHED = "alert.matched"
DOMAIN_AVAILABLE = "domain.available"
DOMAIN_ENDING_SOON = "domain.ending_soon"
CHECK_COMPLETED = "check.completed"
PING = "ping"


def envelope(event_id: str, kind: str, created_at: datetime, data: Mapping[str, Any]) -> bytes:
    """The JSON body of a delivery, the same bytes at every attempt."""
    moment = created_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return orjson.dumps({"id": event_id, "type": kind, "created_at": moment, "data": data})


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event to be recorded once per `occasion`. It is not delivered after `expires_at`."""

    account_id: int
    data: Mapping[str, Any]
    occasion: str
    expires_at: datetime | None = None


async def record(conn: AsyncConnection, kind: str, draft: EventDraft, now: datetime) -> str | None:
    """Record an event, once per occasion; gives its id, or None when it was recorded before.

    It is queued for the active endpoints of the account that subscribe to it, when the account is on Pro. It is kept
    for 14 days whether or not an endpoint took it.
    """
    made = await record_all(conn, kind, [draft], now)
    return made.get(draft.occasion)


async def record_all(
    conn: AsyncConnection, kind: str, drafts: Sequence[EventDraft], now: datetime
) -> dict[str, str]:
    """Record events of many accounts in a few statements; gives the ids of the new ones by their occasions.

    At most 500 a call.
    """
    rows = [_row(kind, draft, now) for draft in drafts]
    made = await insert_each_once(conn, events, rows, ["occasion"], [events.c.id, events.c.occasion])
    ids = {occasion: event_id for event_id, occasion in made}
    new = [draft for draft in drafts if draft.occasion in ids]
    endpoints = await _subscribed_endpoints(conn, kind, {draft.account_id for draft in new}, now)
    await _queue(
        conn,
        kind,
        [
            (ids[draft.occasion], endpoint_id, draft.expires_at)
            for draft in new
            for endpoint_id in endpoints.get(draft.account_id, ())
        ],
        now,
    )
    return ids


def _row(kind: str, draft: EventDraft, now: datetime) -> dict[str, Any]:
    event_id = f"evt_{ULID.from_datetime(now)}"
    return {
        "id": event_id,
        "account_id": draft.account_id,
        "type": kind,
        "occasion": draft.occasion,
        "created_at": now,
        "expires_at": draft.expires_at,
        "body": envelope(event_id, kind, now, draft.data),
    }


async def _subscribed_endpoints(
    conn: AsyncConnection, kind: str, account_ids: Collection[int], now: datetime
) -> dict[int, list[int]]:
    """The active endpoints that subscribe to `kind`, by account, of those accounts that are on Pro."""
    if not account_ids:
        return {}
    endpoint = webhook_endpoints.c
    rows = await conn.execute(
        sa.select(endpoint.account_id, endpoint.id, endpoint.events)
        .join(accounts, accounts.c.id == endpoint.account_id)
        .where(endpoint.account_id.in_(sorted(account_ids)), endpoint.active, accounts.c.plan_until > now)
        .order_by(endpoint.id)
        # Locked so that none is deleted before its delivery is inserted.
        .with_for_update(read=True, key_share=True, of=webhook_endpoints)
    )
    found: dict[int, list[int]] = {}
    for account_id, endpoint_id, subscribed in rows:
        if kind in subscribed:
            found.setdefault(account_id, []).append(endpoint_id)
    return found


async def ping(conn: AsyncConnection, account_id: int, endpoint_id: int, url: str, now: datetime) -> str:
    """Queue a test event for one endpoint, whatever it subscribes to and whether or not it is active."""
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
    await _queue(conn, PING, [(event_id, endpoint_id, None)], now)
    return event_id


async def _queue(
    conn: AsyncConnection, kind: str, wanted: Sequence[tuple[str, int, datetime | None]], now: datetime
) -> None:
    """Insert a delivery, due now, for each (event id, endpoint id, expires_at)."""
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
        for event_id, endpoint_id, expires_at in wanted
    ]
    if rows:
        await conn.execute(sa.insert(deliveries), rows)
