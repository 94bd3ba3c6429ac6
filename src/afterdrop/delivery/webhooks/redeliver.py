"""Send again: one more attempt at a finished delivery, because a person asks for it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import AfterdropError
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, webhook_endpoints
from afterdrop.delivery.webhooks import store
from afterdrop.delivery.webhooks.endpoints import SHOWN_DELIVERY, plain

MOST_A_MINUTE: Final = 5
_MINUTE: Final = timedelta(minutes=1)

_row = deliveries.c
_endpoint = webhook_endpoints.c

Reason = Literal["off", "pending", "too_often"]
_WORDS: Final[dict[Reason, str]] = {
    "off": "the endpoint is off; switch it on first",
    "pending": "it is still being delivered",
    "too_often": f"at most {MOST_A_MINUTE} a minute, and the same one once; wait a minute",
}


class NotRedelivered(AfterdropError):
    """The delivery is not sent again: the endpoint is `off`, it is still `pending`, or it is asked `too_often`."""

    code, status = "limit_reached", 409

    def __init__(self, event_id: str, reason: Reason) -> None:
        super().__init__(event_id, _WORDS[reason])
        self.reason = reason


async def redeliver(
    conn: AsyncConnection, account_id: int, endpoint_id: int, event_id: str, now: datetime
) -> dict[str, Any] | None:
    """Queue one attempt, due at once, at a delivered or failed delivery: the same event id, the same bytes.

    Gives the delivery, `pending` now, in the shape of `endpoints.list_deliveries`; None when the account has no such
    delivery of the last 14 days. Raises NotSentAgain. A failure of this attempt is final and does not count towards
    switching the endpoint off: nobody but the asker caused it. A reminder past its time goes out all the same.
    """
    # Held so that two who ask at once are counted one after the other.
    await store.hold_endpoints(conn, [endpoint_id])
    found = await conn.execute(
        sa.select(_row.id, _row.status, _row.again_at, _endpoint.active, accounts.c.plan_until)
        .join(webhook_endpoints, _endpoint.id == _row.endpoint_id)
        .join(accounts, accounts.c.id == _endpoint.account_id)
        .where(_endpoint.id == endpoint_id, _endpoint.account_id == account_id)
        .where(_row.event_id == event_id, _row.created_at > now - store.KEPT)
    )
    row = found.mappings().first()
    if row is None:
        return None
    reason = await _refusal(conn, endpoint_id, row, now)
    if reason is not None:
        raise NotRedelivered(event_id, reason)
    values: dict[str, Any] = {
        "status": "pending",
        "due_at": now,
        "again_at": now,
        "expires_at": None,
        "delivered_at": None,
        "settled_at": None,
        "response_code": None,
        "error": None,
        # Leases that were lost before are no sign against this attempt.
        "attempts": _row.tries,
    }
    queued = await conn.execute(
        sa.update(deliveries)
        .where(_row.id == row["id"], _row.status != "pending")
        .values(**values)
        .returning(*SHOWN_DELIVERY)
    )
    shown = queued.mappings().first()
    if shown is None:
        raise NotRedelivered(event_id, "pending")
    return plain(shown)


async def _refusal(
    conn: AsyncConnection, endpoint_id: int, row: sa.RowMapping, now: datetime
) -> Reason | None:
    if not row["active"] or row["plan_until"] is None or row["plan_until"] <= now:
        return "off"
    if row["status"] == "pending":
        return "pending"
    lately = sa.select(sa.func.count()).where(
        _row.endpoint_id == endpoint_id, _row.created_at > now - store.KEPT, _row.again_at > now - _MINUTE
    )
    asked = int(await conn.scalar(lately) or 0)
    if asked >= MOST_A_MINUTE or (row["again_at"] is not None and row["again_at"] > now - _MINUTE):
        return "too_often"
    return None
