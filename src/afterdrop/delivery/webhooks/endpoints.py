"""Webhook endpoints: made up to the plan's limit, changed, switched off and on, tested, their deliveries listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.accounts.store import lock_account
from afterdrop.core.errors import AfterdropError
from afterdrop.db.tables.delivery import deliveries, webhook_endpoints
from afterdrop.delivery import events
from afterdrop.delivery.webhooks.store import KEPT, KEPT_PER_ENDPOINT

SECRET_PREFIX = "whsec_"
_endpoint = webhook_endpoints.c
_SHOWN = (
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
SHOWN_DELIVERY = (
    _delivery.event_id.label("id"),
    _delivery.event,
    _delivery.status,
    _delivery.tries.label("attempts"),
    _delivery.response_code,
    _delivery.error,
    _delivery.created_at,
    _delivery.delivered_at,
)


class TooManyEndpoints(AfterdropError):
    """The account has as many endpoints as its plan allows."""

    code, status = "limit_reached", 409


async def count_endpoints(conn: AsyncConnection, account_id: int) -> int:
    """How many endpoints an account has, on or off."""
    mine = sa.select(sa.func.count()).select_from(webhook_endpoints).where(_endpoint.account_id == account_id)
    return int(await conn.scalar(mine) or 0)


async def list_endpoints(conn: AsyncConnection, account_id: int) -> list[dict[str, Any]]:
    """An account's endpoints by id."""
    rows = await conn.execute(
        sa.select(*_SHOWN).where(_endpoint.account_id == account_id).order_by(_endpoint.id)
    )
    return [plain(row) for row in rows.mappings()]


async def get_endpoint(conn: AsyncConnection, account_id: int, endpoint_id: int) -> dict[str, Any] | None:
    """One of the account's endpoints, or None."""
    row = (await conn.execute(sa.select(*_SHOWN).where(*_mine(account_id, endpoint_id)))).mappings().first()
    return plain(row) if row else None


async def create_endpoint(
    conn: AsyncConnection,
    secret_box: SecretBox,
    account_id: int,
    *,
    url: str,
    wanted: Sequence[str],
    active: bool,
    secret: str,
    limit: int,
    now: datetime,
) -> dict[str, Any]:
    """Add an endpoint; its `secret` (random text, the prefix is put before it) is in this answer and never again.

    Raises TooManyEndpoints at `limit`, however many ask at once.
    """
    await lock_account(conn, account_id)
    if await count_endpoints(conn, account_id) >= limit:
        raise TooManyEndpoints("", f"the plan allows {limit} webhook endpoints; delete one first")
    signing = SECRET_PREFIX + secret
    values = {
        "account_id": account_id,
        "url": url,
        "events": list(wanted),
        "active": active,
        "created_at": now,
        "secret": secret_box.encrypt(signing),
    }
    row = await conn.execute(sa.insert(webhook_endpoints).values(**values).returning(*_SHOWN))
    return {**plain(row.mappings().one()), "secret": signing}


async def change_endpoint(
    conn: AsyncConnection, account_id: int, endpoint_id: int, sent: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Change `url`, `events` or `active` as sent; None when the account has no such endpoint.

    Switching on forgets past failures. Pending deliveries go to the new address and resume with the endpoint.
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
        .returning(*_SHOWN)
    )
    row = done.mappings().first()
    return plain(row) if row else None


async def delete_endpoint(conn: AsyncConnection, account_id: int, endpoint_id: int) -> bool:
    """Delete one of the account's endpoints with its deliveries; False when it has no such endpoint."""
    done = await conn.execute(sa.delete(webhook_endpoints).where(*_mine(account_id, endpoint_id)))
    return done.rowcount == 1


async def test_endpoint(
    conn: AsyncConnection, account_id: int, endpoint_id: int, now: datetime
) -> dict[str, Any] | None:
    """Queue a `ping` for the endpoint, whatever it subscribes to; its delivery, None without such an endpoint."""
    endpoint = await get_endpoint(conn, account_id, endpoint_id)
    if endpoint is None:
        return None
    event_id = await events.ping(conn, account_id, endpoint_id, endpoint["url"], now)
    row = await conn.execute(
        sa.select(*SHOWN_DELIVERY).where(_delivery.event_id == event_id, _delivery.endpoint_id == endpoint_id)
    )
    return plain(row.mappings().one())


async def list_deliveries(
    conn: AsyncConnection, account_id: int, endpoint_id: int, now: datetime
) -> list[dict[str, Any]] | None:
    """The endpoint's last 50 deliveries of the last 14 days, newest first; None without such an endpoint."""
    if await get_endpoint(conn, account_id, endpoint_id) is None:
        return None
    rows = await conn.execute(
        sa.select(*SHOWN_DELIVERY)
        .where(_delivery.endpoint_id == endpoint_id, _delivery.created_at > now - KEPT)
        .order_by(_delivery.created_at.desc(), _delivery.id.desc())
        .limit(KEPT_PER_ENDPOINT)
    )
    return [plain(row) for row in rows.mappings()]


def _mine(account_id: int, endpoint_id: int) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return _endpoint.id == endpoint_id, _endpoint.account_id == account_id


def plain(row: sa.RowMapping) -> dict[str, Any]:
    """The row under plain text keys: a label's name is a kind of string JSON writers refuse."""
    return {str(name): value for name, value in row.items()}
