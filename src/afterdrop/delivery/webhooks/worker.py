"""The queue of webhook deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core import clock
from afterdrop.db.tables.delivery import deliveries
from afterdrop.delivery.mail.store import Letterhead
from afterdrop.delivery.webhooks.deliver import Courier
from afterdrop.delivery.webhooks.delivery_results import Outcomes
from afterdrop.queue.loop import Queue, Row

if TYPE_CHECKING:
    from afterdrop.worker.context import Gear

# A receiver that has not answered within this time no longer takes a place from the others …
_PATIENCE: Final = 0.25
# … up to this many times the places: each waits on an open connection.
_MOST_WAITING: Final = 8
_BREATH: Final = 0.01


def delivery_queue(courier: Courier) -> Queue:
    """The queue of deliveries; slow receivers do not hold up quick ones."""
    at_once = courier.outcomes.settings.at_once

    async def claim(conn: AsyncConnection, _now: datetime, limit: int) -> list[Row]:
        return await courier.claim(conn, limit)

    return Queue(
        "deliveries",
        deliveries,
        claim,
        courier.deliver,
        courier.failed,
        at_once=at_once,
        lease=courier.lease,
        idle=0.5,
        patience=_PATIENCE,
        most=at_once * _MOST_WAITING,
        breath=_BREATH,
    )


def courier_of(gear: Gear) -> Courier:
    """The courier of a worker."""
    letterhead = Letterhead.of(gear.settings, gear.vault)
    book = Outcomes(gear.database, letterhead, gear.settings.webhook, gear.worker, gear.now, clock.dice())
    return Courier(gear.sender, book)
