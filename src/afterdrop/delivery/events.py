"""Record events, with a delivery for each endpoint that subscribes, and read them back in the order of their log.

Transactions end in another order than they began, so neither ids nor times tell where a reader has come to. Events get
their positions when they are first read, under the account's lock: what is committed later comes after.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, get_args

import orjson
import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict
from ulid import ULID

from afterdrop.accounts.store import lock_account
from afterdrop.core.json_shapes import Id, instant
from afterdrop.db.dialects import insert_each_once
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints

ALERT_MATCHED = "alert.matched"
DOMAIN_AVAILABLE = "domain.available"
DOMAIN_ENDING_SOON = "domain.ending_soon"
CHECK_COMPLETED = "check.completed"
PING = "ping"
# Events and their deliveries are kept for so long.
KEPT: Final = timedelta(days=14)
# What an endpoint subscribes to unless it says otherwise: the interface's events.
InterfaceEvent = Literal["alert.matched", "domain.available", "domain.ending_soon", "check.completed"]
INTERFACE_EVENTS: Final[tuple[InterfaceEvent, ...]] = get_args(InterfaceEvent)
# What registries say of followed names; only endpoints that ask for them get these.
RegistrationEvent = Literal[
    "registration.renewed",
    "registration.redemption",
    "registration.pending_delete",
    "registration.dropped",
    "registration.registered",
]
# What a visit found at a followed name with a new holder; only endpoints that ask for it get this.
TakeoverEvent = Literal["takeover.seen"]
TAKEOVER_SEEN: Final[TakeoverEvent] = "takeover.seen"
# What endpoints can subscribe to.
Event = Literal[InterfaceEvent, RegistrationEvent, TakeoverEvent]
EVENTS: Final[tuple[Event, ...]] = get_args(Event)
# What a delivery can be of.
EventKind = Literal[Event, "ping"]
ID_PATTERN: Final = "^evt_[0-9A-HJKMNP-TV-Z]{26}$"


class EndpointName(TypedDict):
    """Which endpoint."""

    id: Annotated[Id, Field(description="The id of the endpoint")]
    url: Annotated[str, Field(description="The address that receives events")]


class Ping(TypedDict):
    """A message, and the endpoint it was sent to."""

    message: Annotated[str, Field(description="A sentence for people")]
    webhook: Annotated[EndpointName, Field(description="The endpoint it was sent to")]


def envelope(event_id: str, kind: str, created_at: datetime, data: Mapping[str, object]) -> bytes:
    """The JSON body of a delivery, the same bytes at every attempt."""
    return orjson.dumps({"id": event_id, "type": kind, "created_at": instant(created_at), "data": data})


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event to be recorded once per `occasion`. It is not delivered after `expires_at`."""

    account_id: int
    data: Mapping[str, object]
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
    rows = [_event_row(kind, draft, now) for draft in drafts]
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


def _event_row(kind: str, draft: EventDraft, now: datetime) -> dict[str, object]:
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
    data: Ping = {"message": "This is a test event.", "webhook": {"id": endpoint_id, "url": url}}
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


_AT_ONCE: Final = 500
_row = events.c


@dataclass(frozen=True, slots=True)
class EventsRead:
    """The bodies of events as webhooks send them, the position to go on from, and whether more follow."""

    bodies: list[bytes]
    position: int
    more: bool


async def has_new(conn: AsyncConnection, account_id: int) -> bool:
    """Whether the account has events without a position. Test events are for one endpoint and never get one."""
    return bool(await conn.scalar(sa.select(sa.exists().where(*_new(account_id)))))


async def take_positions(conn: AsyncConnection, account_id: int, now: datetime) -> None:
    """Give positions to the oldest events that have none.

    Positions count on from milliseconds since 1970, so that they rise also when all earlier events are gone.
    """
    await lock_account(conn, account_id)
    oldest = sa.select(_row.id).where(*_new(account_id)).order_by(_row.created_at, _row.id).limit(_AT_ONCE)
    names = list(await conn.scalars(oldest))
    last = await conn.scalar(sa.select(sa.func.max(_row.position)).where(_row.account_id == account_id))
    first = max(last or 0, int(now.timestamp()) * 1000) + 1
    if names:
        await conn.execute(
            sa.update(events).where(_row.id == sa.bindparam("event")).values(position=sa.bindparam("place")),
            [{"event": name, "place": first + number} for number, name in enumerate(names)],
        )


async def newest_position(conn: AsyncConnection, account_id: int) -> int | None:
    """The highest position among the account's events; None where none of those that are kept has one."""
    found: int | None = await conn.scalar(
        sa.select(sa.func.max(_row.position)).where(_row.account_id == account_id)
    )
    return found


def reached_by(now: datetime) -> int:
    """A position that no event given one so far has passed, also by a clock that runs a minute ahead."""
    return (int(now.timestamp()) + 60) * 1000


async def read_after(
    conn: AsyncConnection, account_id: int, position: int, kinds: Sequence[str], *, now: datetime, limit: int
) -> EventsRead:
    """Up to `limit` events of the last 14 days after a position; without `kinds` of every type."""
    mine = [_row.account_id == account_id, _row.position > position, _row.created_at > now - KEPT]
    if kinds:
        mine.append(_row.type.in_(kinds))
    chosen = sa.select(_row.body, _row.position).where(*mine).order_by(_row.position)
    found = [(bytes(body), int(place)) for body, place in await conn.execute(chosen.limit(limit + 1))]
    shown = found[:limit]
    if len(found) > limit:
        return EventsRead([body for body, _ in shown], shown[-1][1], True)
    return EventsRead([body for body, _ in shown], shown[-1][1] if shown else position, False)


def past_earlier_cursors(now: datetime) -> str:
    """A statement for a restored database: each account's newest event moves past the positions told since the backup.

    Otherwise the cursors of those who read on would lie beyond the newest event. They read that one event again.
    """
    place = reached_by(now)
    return (
        f"UPDATE events SET position = {place} WHERE position < {place} AND position = (SELECT max(later.position) "
        "FROM events AS later WHERE later.account_id = events.account_id)"
    )


def _new(account_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return _row.account_id == account_id, _row.position.is_(None), _row.type != PING
