"""The queue of webhook deliveries: each claimed delivery is sent once and its result is written."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core import clock
from afterdrop.core.log_lines import figures
from afterdrop.db.tables.delivery import deliveries
from afterdrop.delivery.figures import ATTEMPTS
from afterdrop.delivery.mail.store import MailContext
from afterdrop.delivery.webhooks import store
from afterdrop.delivery.webhooks.delivery_results import DeliveryResults
from afterdrop.delivery.webhooks.retry_schedule import MOST_LOST_LEASES, ReceiverAnswer, lost_leases
from afterdrop.delivery.webhooks.send import Sender
from afterdrop.delivery.webhooks.store import ClaimLimits, DeliveryPayload, DeliveryRow
from afterdrop.queue.context import QueueContext
from afterdrop.queue.loop import Queue

log = logging.getLogger("afterdrop.delivery")

# A receiver that has not answered within this time no longer takes a place from the others …
_SLOW_AFTER: Final = 0.25
# … until this many times the places are taken: each delivery waits on an open connection.
_MOST_WAITING: Final = 8
_LINGER: Final = 0.01
# Unproven endpoints may take this many times the worker's places.
_MOST_UNPROVEN: Final = 4


class DeliveryContext(QueueContext, Protocol):
    """What the queue of webhook deliveries needs."""

    @property
    def sender(self) -> Sender:
        """Sends events to receivers."""
        ...

    @property
    def secret_box(self) -> SecretBox:
        """The deployment's secret keys."""
        ...


class ClaimedDelivery(DeliveryRow):
    """A claimed delivery with what is to be sent; `payload` is None when its endpoint was deleted."""

    payload: DeliveryPayload | None


@dataclass(frozen=True)
class DeliveryWorker:
    """Delivers for one worker process.

    `unproven` holds the ids of deliveries in hand whose endpoints never took a delivery or answered slowly.
    """

    sender: Sender
    results: DeliveryResults
    unproven: set[int] = field(default_factory=set)

    @property
    def lease(self) -> timedelta:
        """How long a claimed delivery is held."""
        return timedelta(seconds=self.results.settings.lease_seconds)

    async def claim(self, conn: AsyncConnection, limit: int) -> list[ClaimedDelivery]:
        """Claim up to `limit` due deliveries, each with its payload."""
        results, settings = self.results, self.results.settings
        full = len(self.unproven) >= settings.at_once * _MOST_UNPROVEN
        limits = ClaimLimits(limit, settings.per_endpoint, prompt_only=full)
        rows = await store.claim_due(conn, results.worker, results.now(), self.lease, limits)
        payloads = await store.payloads(conn, rows) if rows else {}
        return [{**row, "payload": payloads.get(row["id"])} for row in rows]

    async def deliver(self, row: ClaimedDelivery) -> None:
        """Make one attempt at a claimed delivery. Raises LeaseLost when another worker has it by the end."""
        if lost_leases(row["attempts"], row["tries"]) >= MOST_LOST_LEASES:
            await self._give_up(row, "worker lost")
        elif row["expires_at"] is not None and row["expires_at"] <= self.results.now():
            await self._give_up(row, "expired")
        elif row["payload"] is not None:
            await self._send(row, row["payload"])

    async def _send(self, row: ClaimedDelivery, payload: DeliveryPayload) -> None:
        secret = self.results.mail_context.secret_box.decrypt(payload.secret)
        if not payload.prompt:
            self.unproven.add(row["id"])
        try:
            answer = await self.sender.send(payload.url, secret, row["event"], row["event_id"], payload.body)
        finally:
            self.unproven.discard(row["id"])
        _tell(row, answer)
        await self.results.write(row, answer)

    async def failed(self, row: ClaimedDelivery, error: str) -> None:
        """Count an attempt that could not be made as a failed one."""
        await self.results.write(row, ReceiverAnswer(None, error[:300]))

    async def _give_up(self, row: ClaimedDelivery, error: str) -> None:
        async with self.results.database.write() as conn:
            await store.fail(conn, row, error, self.results.now())


def _tell(row: ClaimedDelivery, answer: ReceiverAnswer) -> None:
    """Count and log an attempt. The receiver's address is not logged: its path is often a secret."""
    result = "taken" if answer.ok else "refused" if answer.code is not None else "no_answer"
    ATTEMPTS.labels(result).observe(answer.seconds)
    log.info(
        "delivery %s (%s) to endpoint %s: %s in %.2f s, attempt %s",
        row["event_id"], row["event"], row["endpoint_id"], answer.error or f"answered {answer.code}",
        answer.seconds, row["tries"] + 1,
        extra=figures(
            event_id=row["event_id"], event=row["event"], endpoint=row["endpoint_id"], status=answer.code,
            seconds=round(answer.seconds, 3), attempt=row["tries"] + 1,
        ),
    )  # fmt: skip


def delivery_queue(worker: DeliveryWorker) -> Queue[ClaimedDelivery]:
    """The queue of deliveries; slow receivers do not hold up quick ones."""
    at_once = worker.results.settings.at_once

    async def claim(conn: AsyncConnection, _now: datetime, limit: int) -> list[ClaimedDelivery]:
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
        slow_after=_SLOW_AFTER,
        most_in_hand=at_once * _MOST_WAITING,
        linger=_LINGER,
    )


def delivery_worker(context: DeliveryContext) -> DeliveryWorker:
    """The worker of deliveries in this process."""
    mail_context = MailContext.of(context.settings, context.secret_box)
    results = DeliveryResults(
        context.database, mail_context, context.settings.webhook, context.worker, context.now, clock.rng()
    )
    return DeliveryWorker(context.sender, results)
