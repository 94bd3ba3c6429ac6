"""The queue of webhook deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core import clock
from afterdrop.db.tables.delivery import deliveries
from afterdrop.delivery.mail.store import MailContext
from afterdrop.delivery.webhooks.deliver import DeliveryWorker
from afterdrop.delivery.webhooks.delivery_results import DeliveryResults
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
    def secret_box(self) -> SecretBox:
        """The deployment's secret keys."""
        ...


# A receiver that has not answered within this time no longer takes a place from the others …
_PATIENCE: Final = 0.25
# … up to this many times the places: each waits on an open connection.
_MOST_WAITING: Final = 8
_BREATH: Final = 0.01


def delivery_queue(worker: DeliveryWorker) -> Queue:
    """The queue of deliveries; slow receivers do not hold up quick ones."""
    at_once = worker.outcomes.settings.at_once

    async def claim(conn: AsyncConnection, _now: datetime, limit: int) -> list[Row]:
        return await worker.claim(conn, limit)

    return Queue(
        "deliveries",
        deliveries,
        claim,
        worker.deliver,
        worker.failed,
        at_once=at_once,
        lease=worker.lease,
        idle=0.5,
        patience=_PATIENCE,
        most=at_once * _MOST_WAITING,
        breath=_BREATH,
    )


def delivery_worker(context: DeliveryContext) -> DeliveryWorker:
    """The worker of deliveries in this process."""
    mail_context = MailContext.of(context.settings, context.secret_box)
    book = DeliveryResults(
        context.database, mail_context, context.settings.webhook, context.worker, context.now, clock.rng()
    )
    return DeliveryWorker(context.sender, book)
