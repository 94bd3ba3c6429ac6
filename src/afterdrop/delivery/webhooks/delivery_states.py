"""The deliveries of an endpoint as its owner reads them: their states, what they carry, and what to do with all of one.

`status` does not tell what the owner can do: a pending one waits for us or for the owner, and an expired one has failed
though nobody tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, TypedDict, cast, get_args

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints
from afterdrop.delivery.events import KEPT, PING
from afterdrop.delivery.webhooks.endpoint_store import NotRedelivered, Replay, replay
from afterdrop.delivery.webhooks.store import EXPIRED, KEPT_PER_ENDPOINT, lock_endpoints

# failed: tried as often as we try. held: waits until the endpoint is on, and the account on Pro. waiting: is due, or
# will be tried again. expired: was never sent, for it came too late or its reader may not see it any more.
State = Literal["failed", "held", "waiting", "expired", "delivered"]
STATES: Final[tuple[State, ...]] = get_args(State)
_MOST_AGAIN: Final = 500
_MINUTE: Final = timedelta(minutes=1)

_row = deliveries.c
_endpoint = webhook_endpoints.c


class StatedDelivery(TypedDict):
    """A delivery with its state. `due_at` is set for those that are pending: when they are tried next."""

    id: str
    event: str
    state: State
    attempts: int
    response_code: int | None
    error: str | None
    created_at: datetime
    delivered_at: datetime | None
    due_at: datetime | None


class TroubledEndpoint(TypedDict):
    """An endpoint, whose it is, and how many of its deliveries failed, are held or have expired."""

    id: int
    url: str
    active: bool
    disabled_at: datetime | None
    owner: str
    on_pro: bool
    failed: int
    held: int
    expired: int


def _state(now: datetime | sa.ColumnElement[datetime]) -> sa.ColumnElement[State]:
    on = sa.and_(_endpoint.active, accounts.c.plan_until > now)
    chosen = sa.case(
        (_row.status == "delivered", "delivered"),
        (sa.and_(_row.status == "failed", _row.error == EXPIRED), "expired"),
        (_row.status == "failed", "failed"),
        # A test event does not wait for the endpoint, only for Pro.
        (sa.or_(on, sa.and_(_row.event == PING, accounts.c.plan_until > now)), "waiting"),
        else_="held",
    )
    return cast("sa.ColumnElement[State]", chosen)


_WITH_OWNER: Final = deliveries.join(webhook_endpoints, _endpoint.id == _row.endpoint_id).join(
    accounts, accounts.c.id == _endpoint.account_id
)


def held(now: datetime | sa.ColumnElement[datetime]) -> sa.ColumnElement[bool]:
    """The condition on a delivery that it waits for its owner: the endpoint is off, or the account is not on Pro."""
    waits = sa.select(_row.id).select_from(_WITH_OWNER).where(_row.status == "pending", _state(now) == "held")
    return _row.id.in_(waits.correlate(None))


def _mine(account_id: int, endpoint_id: int, now: datetime) -> list[sa.ColumnElement[bool]]:
    """Of a select from _WITH_OWNER the deliveries of the account's endpoint, those of the last 14 days."""
    mine = [_row.endpoint_id == endpoint_id, _endpoint.account_id == account_id]
    return [*mine, _row.created_at > now - KEPT]


async def counts(conn: AsyncConnection, account_id: int, endpoint_id: int, now: datetime) -> dict[State, int]:
    """How many deliveries of the last 14 days are in each state; those with none are left out."""
    state = _state(now).label("state")
    chosen = sa.select(state, sa.func.count()).select_from(_WITH_OWNER)
    mine = chosen.where(*_mine(account_id, endpoint_id, now)).group_by(state)
    found: dict[State, int] = {name: number for name, number in await conn.execute(mine)}
    return {name: found[name] for name in STATES if name in found}


async def troubled(conn: AsyncConnection, now: datetime, most: int = 20) -> list[TroubledEndpoint]:
    """The endpoints of all accounts with deliveries of the last 14 days that failed, expired or are held.

    Those with the most come first.
    """
    state = _state(now)
    sums = [
        sa.func.sum(sa.case((state == name, 1), else_=0)).label(name)
        for name in ("failed", "held", "expired")
    ]
    kept = sa.and_(_row.created_at > now - KEPT, _row.status != "delivered")
    found = sa.select(_row.endpoint_id, *sums).select_from(_WITH_OWNER).where(kept).group_by(_row.endpoint_id)
    each = found.subquery()
    wrong = each.c.failed + each.c.held + each.c.expired
    chosen = (
        sa.select(
            _endpoint.id,
            _endpoint.url,
            _endpoint.active,
            _endpoint.disabled_at,
            accounts.c.email.label("owner"),
            (accounts.c.plan_until > now).is_(True).label("on_pro"),
            each.c.failed,
            each.c.held,
            each.c.expired,
        )
        .select_from(each)
        .join(webhook_endpoints, _endpoint.id == each.c.endpoint_id)
        .join(accounts, accounts.c.id == _endpoint.account_id)
        .where(wrong > 0)
        .order_by(wrong.desc(), _endpoint.id)
        .limit(most)
    )
    return [cast("TroubledEndpoint", dict(row)) for row in (await conn.execute(chosen)).mappings()]


async def newest(
    conn: AsyncConnection, account_id: int, endpoint_id: int, now: datetime
) -> Sequence[StatedDelivery]:
    """The endpoint's last 50 deliveries of the last 14 days, newest first."""
    chosen = sa.select(
        _row.event_id.label("id"),
        _row.event,
        _state(now).label("state"),
        _row.tries.label("attempts"),
        _row.response_code,
        _row.error,
        _row.created_at,
        _row.delivered_at,
        _row.due_at,
    )
    mine = chosen.select_from(_WITH_OWNER).where(*_mine(account_id, endpoint_id, now))
    some = mine.order_by(_row.created_at.desc(), _row.id.desc()).limit(KEPT_PER_ENDPOINT)
    return [cast("StatedDelivery", dict(row)) for row in (await conn.execute(some)).mappings()]


async def payload(
    conn: AsyncConnection, account_id: int, endpoint_id: int, event_id: str, now: datetime
) -> bytes | None:
    """The body of a delivery, as it is sent; None when there is none."""
    chosen = sa.select(events.c.body).select_from(_WITH_OWNER.join(events, events.c.id == _row.event_id))
    mine = chosen.where(*_mine(account_id, endpoint_id, now), _row.event_id == event_id)
    return await conn.scalar(mine)


async def send_failed_again(conn: AsyncConnection, account_id: int, endpoint_id: int, now: datetime) -> int:
    """Queue one attempt at each failed delivery, as `redeliver` does; gives how many.

    Raises NotRedelivered when the endpoint is off, or one of its deliveries was sent again within a minute.
    """
    await lock_endpoints(conn, [endpoint_id])
    mine = [_endpoint.id == endpoint_id, _endpoint.account_id == account_id]
    owners = sa.select(_endpoint.id).join(accounts, accounts.c.id == _endpoint.account_id).where(*mine)
    if await conn.scalar(owners.where(_endpoint.active, accounts.c.plan_until > now)) is None:
        raise NotRedelivered("", "off")
    lately = sa.select(_row.id).where(_row.endpoint_id == endpoint_id)
    if await conn.scalar(lately.where(_row.redelivery_requested_at > now - _MINUTE).limit(1)) is not None:
        raise NotRedelivered("", "too_often")
    return await replay(conn, Replay(now - KEPT, endpoint_id), now, _MOST_AGAIN)


async def drop(
    conn: AsyncConnection, account_id: int, endpoint_id: int, state: State, now: datetime, limit: int
) -> int:
    """Remove up to `limit` deliveries in this state that are not being sent at this moment; gives how many.

    Their events can still be read.
    """
    await lock_endpoints(conn, [endpoint_id])
    free = sa.or_(_row.lease_until.is_(None), _row.lease_until <= now)
    mine = sa.select(_row.id).select_from(_WITH_OWNER).where(*_mine(account_id, endpoint_id, now))
    some = mine.where(_state(now) == state, free).order_by(_row.id).limit(limit)
    # The condition is repeated on the row itself: a worker may just have taken it.
    gone = sa.delete(deliveries).where(_row.id.in_(some), free)
    return int((await conn.execute(gone)).rowcount)
