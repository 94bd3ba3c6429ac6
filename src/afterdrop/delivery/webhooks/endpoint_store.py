"""The SQL behind an account's webhook settings: endpoints, test events, the list of deliveries, sending one again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, cast

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.accounts.secret_box import SecretBox, SecretUnreadable
from afterdrop.accounts.store import lock_account
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import Count, Id, Moment
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, webhook_endpoints
from afterdrop.delivery import events
from afterdrop.delivery.events import KEPT
from afterdrop.delivery.webhooks.store import EXPIRED, KEPT_PER_ENDPOINT, lock_endpoints

SECRET_PREFIX: Final = "whsec_"
MOST_REDELIVERIES: Final = 5  # of one endpoint in a minute
_MINUTE: Final = timedelta(minutes=1)

_endpoint = webhook_endpoints.c
_ENDPOINT: Final = (
    _endpoint.id,
    _endpoint.url,
    _endpoint.events,
    _endpoint.active,
    _endpoint.disabled_at,
    _endpoint.consecutive_failures,
    _endpoint.last_delivered_at,
    _endpoint.created_at,
)
_delivery = deliveries.c
_DELIVERY: Final = (
    _delivery.event_id.label("id"),
    _delivery.event,
    _delivery.status,
    _delivery.tries.label("attempts"),
    _delivery.response_code,
    _delivery.error,
    _delivery.created_at,
    _delivery.delivered_at,
)


class EndpointJson(TypedDict):
    """A webhook endpoint."""

    id: Annotated[Id, Field(description="The id of the endpoint")]
    url: Annotated[str, Field(description="The address that receives events")]
    events: Annotated[list[events.Event], Field(description="The types of events that it receives")]
    active: Annotated[bool, Field(description="`false` while it is paused or switched off")]
    disabled_at: Annotated[Moment | None, Field(description="When it was switched off because of failures")]
    consecutive_failures: Annotated[
        Count, Field(description="Deliveries that failed since the last that arrived")
    ]
    last_delivered_at: Annotated[
        Moment | None, Field(description="When a delivery last arrived; null if none has")
    ]
    created_at: Annotated[Moment, Field(description="When it was created")]


class CreatedEndpoint(EndpointJson):
    """A webhook endpoint with its signing secret, which is shown only once."""

    secret: Annotated[str, Field(pattern="^whsec_", description="The key of the signatures")]


class DeliveryJson(TypedDict):
    """One event on its way to an endpoint."""

    # The event's.
    id: Annotated[str, Field(pattern=events.ID_PATTERN, description="The id of the event")]
    event: Annotated[events.EventKind, Field(description="The type of the event")]
    status: Annotated[
        Literal["pending", "delivered", "failed"], Field(description="`failed` after the last attempt")
    ]
    # Finished ones.
    attempts: Annotated[Count, Field(description="Finished attempts")]
    response_code: Annotated[
        int | None, Field(description="The HTTP status of the last answer; null without one")
    ]
    error: Annotated[str | None, Field(description="The fault of the last attempt; null without one")]
    created_at: Annotated[Moment, Field(description="When the event was created")]
    delivered_at: Annotated[Moment | None, Field(description="When it arrived; null if it has not")]


@dataclass(frozen=True, slots=True)
class NewEndpoint:
    """An endpoint to be created. `secret` is random text; the stored one begins with `SECRET_PREFIX`."""

    url: str
    events: Sequence[str]
    active: bool
    secret: str


class TooManyEndpoints(AfterdropError):
    """The account has as many endpoints as its plan allows."""

    code, status = "limit_reached", 409


# How many endpoints an account has, active or not; asks for `account`.
ENDPOINTS_COUNTED: Final = (
    sa.select(sa.func.count())
    .select_from(webhook_endpoints)
    .where(_endpoint.account_id == sa.bindparam("account"))
)


async def count_endpoints(conn: AsyncConnection, account_id: int) -> int:
    """How many endpoints an account has, active or not."""
    return int(await conn.scalar(ENDPOINTS_COUNTED, {"account": account_id}) or 0)


async def list_endpoints(conn: AsyncConnection, account_id: int) -> list[EndpointJson]:
    """An account's endpoints in the order of their ids."""
    rows = await conn.execute(
        sa.select(*_ENDPOINT).where(_endpoint.account_id == account_id).order_by(_endpoint.id)
    )
    return [_endpoint_view(row) for row in rows.mappings()]


async def get_endpoint(conn: AsyncConnection, account_id: int, endpoint_id: int) -> EndpointJson | None:
    """One of the account's endpoints, or None."""
    row = (
        (await conn.execute(sa.select(*_ENDPOINT).where(*_mine(account_id, endpoint_id)))).mappings().first()
    )
    return _endpoint_view(row) if row else None


async def create_endpoint(
    conn: AsyncConnection,
    secret_box: SecretBox,
    account_id: int,
    new: NewEndpoint,
    *,
    limit: int,
    now: datetime,
) -> CreatedEndpoint:
    """Add an endpoint and give it with its `secret`, which is never shown again.

    Raises TooManyEndpoints at `limit`, also for simultaneous calls.
    """
    await lock_account(conn, account_id)
    if await count_endpoints(conn, account_id) >= limit:
        raise TooManyEndpoints("", f"the plan allows {limit} webhook endpoints; delete one first")
    secret = SECRET_PREFIX + new.secret
    values = {
        "account_id": account_id,
        "url": new.url,
        "events": list(new.events),
        "active": new.active,
        "created_at": now,
        "secret": secret_box.encrypt(secret),
    }
    row = await conn.execute(sa.insert(webhook_endpoints).values(**values).returning(*_ENDPOINT))
    return {**_endpoint_view(row.mappings().one()), "secret": secret}


async def change_endpoint(
    conn: AsyncConnection, account_id: int, endpoint_id: int, sent: Mapping[str, object]
) -> EndpointJson | None:
    """Change `url`, `events` or `active` as sent; None when the account has no such endpoint.

    Activating an endpoint resets its count of failures. Pending deliveries go to the new address; those of an inactive
    endpoint wait until it is active again.
    """
    values = {name: sent[name] for name in ("url", "events", "active") if name in sent}
    if values.get("active"):
        values |= {"consecutive_failures": 0, "disabled_at": None}
    if values.get("active") or "url" in values:
        values["slow_at"] = None
    if not values:
        return await get_endpoint(conn, account_id, endpoint_id)
    done = await conn.execute(
        sa.update(webhook_endpoints)
        .where(*_mine(account_id, endpoint_id))
        .values(**values)
        .returning(*_ENDPOINT)
    )
    row = done.mappings().first()
    return _endpoint_view(row) if row else None


async def delete_endpoint(conn: AsyncConnection, account_id: int, endpoint_id: int) -> bool:
    """Delete one of the account's endpoints with its deliveries; False when it has no such endpoint."""
    done = await conn.execute(sa.delete(webhook_endpoints).where(*_mine(account_id, endpoint_id)))
    return done.rowcount == 1


async def test_endpoint(
    conn: AsyncConnection, account_id: int, endpoint_id: int, now: datetime
) -> DeliveryJson | None:
    """Queue a `ping` for the endpoint, whatever it subscribes to; None when the account has no such endpoint."""
    endpoint = await get_endpoint(conn, account_id, endpoint_id)
    if endpoint is None:
        return None
    event_id = await events.ping(conn, account_id, endpoint_id, endpoint["url"], now)
    row = await conn.execute(
        sa.select(*_DELIVERY).where(_delivery.event_id == event_id, _delivery.endpoint_id == endpoint_id)
    )
    return _delivery_view(row.mappings().one())


async def list_deliveries(
    conn: AsyncConnection, account_id: int, endpoint_id: int, now: datetime
) -> list[DeliveryJson] | None:
    """The endpoint's last 50 deliveries of the last 14 days, newest first; None when there is no such endpoint."""
    if await get_endpoint(conn, account_id, endpoint_id) is None:
        return None
    rows = await conn.execute(
        sa.select(*_DELIVERY)
        .where(_delivery.endpoint_id == endpoint_id, _delivery.created_at > now - KEPT)
        .order_by(_delivery.created_at.desc(), _delivery.id.desc())
        .limit(KEPT_PER_ENDPOINT)
    )
    return [_delivery_view(row) for row in rows.mappings()]


def _mine(account_id: int, endpoint_id: int) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return _endpoint.id == endpoint_id, _endpoint.account_id == account_id


def _endpoint_view(row: sa.RowMapping) -> EndpointJson:
    return cast("EndpointJson", _under_text_keys(row))


def _delivery_view(row: sa.RowMapping) -> DeliveryJson:
    return cast("DeliveryJson", _under_text_keys(row))


def _under_text_keys(row: sa.RowMapping) -> dict[str, object]:
    """The row under plain str keys: SQLAlchemy's label names are a subclass that JSON writers refuse."""
    return {str(name): value for name, value in row.items()}


Refusal = Literal["off", "pending", "too_often"]
_REFUSALS: Final[dict[Refusal, str]] = {
    "off": "the endpoint is off; switch it on first",
    "pending": "it is still being sent",
    "too_often": f"at most {MOST_REDELIVERIES} a minute can be sent again, and each only once; wait a minute",
}


class NotRedelivered(AfterdropError):
    """A delivery is not sent again: the endpoint is `off`, it is still `pending`, or it is requested `too_often`."""

    code, status = "limit_reached", 409

    def __init__(self, event_id: str, reason: Refusal) -> None:
        super().__init__(event_id, _REFUSALS[reason])
        self.reason = reason


async def redeliver(
    conn: AsyncConnection, account_id: int, endpoint_id: int, event_id: str, now: datetime
) -> DeliveryJson | None:
    """Queue one attempt, due now, at a delivered or failed delivery, with the same event id and the same bytes.

    Gives the delivery, `pending` now, or None when the account has no such delivery of the last 14 days. Raises
    NotRedelivered. A failure of this attempt is final and does not count towards switching the endpoint off, because
    the owner asked for it. A reminder is sent even when its listing has ended.
    """
    # The lock makes simultaneous requests count one after the other.
    await lock_endpoints(conn, [endpoint_id])
    row = await _delivery_of_account(conn, account_id, endpoint_id, event_id, now)
    if row is None:
        return None
    reason = await _refusal(conn, endpoint_id, row, now)
    if reason is not None:
        raise NotRedelivered(event_id, reason)
    queued = await conn.execute(
        sa.update(deliveries)
        .where(_delivery.id == row["id"], _delivery.status != "pending")
        .values(**_once_more(now))
        .returning(*_DELIVERY)
    )
    shown = queued.mappings().first()
    if shown is None:
        raise NotRedelivered(event_id, "pending")
    return _delivery_view(shown)


def _once_more(now: datetime) -> dict[str, object]:
    """The columns that make a settled delivery pending again."""
    return {
        "status": "pending",
        "due_at": now,
        "redelivery_requested_at": now,
        "expires_at": None,
        "delivered_at": None,
        "settled_at": None,
        "response_code": None,
        "error": None,
        # Leases that were lost before do not count against this attempt.
        "attempts": _delivery.tries,
    }


@dataclass(frozen=True, slots=True)
class Replay:
    """Which deliveries are sent again: written since then, failed ones or `delivered` ones too, no expired ones."""

    since: datetime
    endpoint_id: int | None = None
    delivered: bool = False


async def replay(conn: AsyncConnection, wanted: Replay, now: datetime, limit: int) -> int:
    """Queue one attempt at each of up to `limit` settled deliveries of endpoints that are on; gives how many.

    Call it with the same `now` until it gives 0: what is queued then is not taken again. As with `redeliver`, a
    failure is final and does not count towards switching the endpoint off.
    """
    ready = (
        sa.select(_endpoint.id)
        .join(accounts, accounts.c.id == _endpoint.account_id)
        .where(_endpoint.active, accounts.c.plan_until > now)
    )
    if wanted.endpoint_id is not None:
        ready = ready.where(_endpoint.id == wanted.endpoint_id)
    settled = ("failed", "delivered") if wanted.delivered else ("failed",)
    requested = _delivery.redelivery_requested_at
    chosen = (
        sa.select(_delivery.id)
        .where(_delivery.status.in_(settled), _delivery.endpoint_id.in_(ready))
        .where(_delivery.created_at >= wanted.since, _delivery.created_at > now - KEPT)
        .where(sa.or_(requested.is_(None), requested < now))
        .where(_delivery.error.is_distinct_from(EXPIRED))
        .order_by(_delivery.id)
        .limit(limit)
    )
    some = sa.and_(_delivery.id.in_(chosen), _delivery.status != "pending")
    return int((await conn.execute(sa.update(deliveries).where(some).values(**_once_more(now)))).rowcount)


async def _delivery_of_account(
    conn: AsyncConnection, account_id: int, endpoint_id: int, event_id: str, now: datetime
) -> sa.RowMapping | None:
    result = await conn.execute(
        sa.select(
            _delivery.id,
            _delivery.status,
            _delivery.redelivery_requested_at,
            _endpoint.active,
            accounts.c.plan_until,
        )
        .join(webhook_endpoints, _endpoint.id == _delivery.endpoint_id)
        .join(accounts, accounts.c.id == _endpoint.account_id)
        .where(_endpoint.id == endpoint_id, _endpoint.account_id == account_id)
        .where(_delivery.event_id == event_id, _delivery.created_at > now - KEPT)
    )
    return result.mappings().first()


async def _refusal(
    conn: AsyncConnection, endpoint_id: int, row: sa.RowMapping, now: datetime
) -> Refusal | None:
    if not row["active"] or row["plan_until"] is None or row["plan_until"] <= now:
        return "off"
    if row["status"] == "pending":
        return "pending"
    lately = sa.select(sa.func.count()).where(
        _delivery.endpoint_id == endpoint_id,
        _delivery.created_at > now - KEPT,
        _delivery.redelivery_requested_at > now - _MINUTE,
    )
    requested = int(await conn.scalar(lately) or 0)
    if requested >= MOST_REDELIVERIES or (
        row["redelivery_requested_at"] is not None and row["redelivery_requested_at"] > now - _MINUTE
    ):
        return "too_often"
    return None


async def encrypt_anew(conn: AsyncConnection, secret_box: SecretBox) -> int:
    """Encrypt every endpoint's secret with the first key; gives how many. Raises SecretUnreadable."""
    rows = (await conn.execute(sa.select(webhook_endpoints.c.id, webhook_endpoints.c.secret))).all()
    for row in rows:
        secret = secret_box.encrypt(secret_box.decrypt(row.secret))
        await conn.execute(
            sa.update(webhook_endpoints).where(webhook_endpoints.c.id == row.id).values(secret=secret)
        )
    return len(rows)


async def sealed_secrets(conn: AsyncConnection, secret_box: SecretBox, most: int = 100) -> int:
    """How many of the newest endpoints' secrets no key opens: their deliveries cannot be signed."""
    newest = sa.select(webhook_endpoints.c.secret).order_by(webhook_endpoints.c.id.desc()).limit(most)
    sealed = 0
    for secret in await conn.scalars(newest):
        try:
            secret_box.decrypt(secret)
        except SecretUnreadable:
            sealed += 1
    return sealed
