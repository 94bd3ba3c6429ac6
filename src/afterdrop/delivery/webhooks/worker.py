"""The queue of webhook deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.secret_box import Vault
from afterdrop.core import clock
from afterdrop.db.tables.delivery import deliveries
from afterdrop.delivery.mail.store import Letterhead
from afterdrop.delivery.webhooks.deliver import Courier
from afterdrop.delivery.webhooks.delivery_results import Outcomes
from afterdrop.delivery.webhooks.send import Sender
from afterdrop.queue.context import QueueContext
from afterdrop.queue.loop import Queue, Row


class DeliveryContext(QueueContext, Protocol):
    """What the queue of webhook deliveries needs."""

    @property
    def sender(self) -> Sender:
        """The way to receivers."""
        ...

    @property
    def vault(self) -> Vault:
        """The deployment's secret keys."""
        ...


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


def courier_of(context: DeliveryContext) -> Courier:
    """The courier of a worker."""
    letterhead = Letterhead.of(context.settings, context.vault)
    book = Outcomes(
        context.database, letterhead, context.settings.webhook, context.worker, context.now, clock.dice()
    )
    return Courier(context.sender, book)
