"""The SQL with which an account reads its events again, in an order in which none is ever skipped.

Transactions end in another order than they began, so neither ids nor times tell where a reader has come to. Events get
their positions when they are first read, under the account's lock: what is committed later comes after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.store import lock_account
from afterdrop.db.tables.delivery import events
from afterdrop.delivery.events import PING
from afterdrop.delivery.webhooks.store import KEPT

_AT_ONCE: Final = 500
_row = events.c


@dataclass(frozen=True, slots=True)
class EventsRead:
    """The bodies of events as webhooks send them, the position of the last, and whether more follow."""

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


async def read_after(
    conn: AsyncConnection, account_id: int, position: int, kinds: Sequence[str], *, now: datetime, limit: int
) -> EventsRead:
    """Up to `limit` events of the last 14 days after a position; without `kinds` of every type."""
    chosen = (
        sa.select(_row.body, _row.position)
        .where(_row.account_id == account_id, _row.position > position, _row.created_at > now - KEPT)
        .order_by(_row.position)
        .limit(limit + 1)
    )
    if kinds:
        chosen = chosen.where(_row.type.in_(kinds))
    found = [(bytes(body), int(place)) for body, place in await conn.execute(chosen)]
    shown = found[:limit]
    return EventsRead(
        [body for body, _ in shown], shown[-1][1] if shown else position, len(found) > len(shown)
    )


def _new(account_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return _row.account_id == account_id, _row.position.is_(None), _row.type != PING
