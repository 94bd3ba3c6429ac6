"""Delivering in one worker process: what is claimed is sent once, and what came of it is written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.delivery.webhooks import store
from afterdrop.delivery.webhooks.delivery_results import DeliveryResults
from afterdrop.delivery.webhooks.retry_schedule import MOST_LOST_LEASES, ReceiverAnswer, lost_leases
from afterdrop.delivery.webhooks.send import Sender

# So many times the worker's places may be taken by endpoints that never took anything or that keep us waiting.
_MOST_UNPROVEN: Final = 4


@dataclass(frozen=True)
class DeliveryWorker:
    """Delivers for one worker process. `doubtful`: deliveries in hand to endpoints that may not answer at all."""

    sender: Sender
    outcomes: DeliveryResults
    doubtful: set[int] = field(default_factory=set)

    @property
    def lease(self) -> timedelta:
        """How long a claimed delivery is held."""
        return timedelta(seconds=self.outcomes.settings.lease_seconds)

    async def claim(self, conn: AsyncConnection, limit: int) -> list[dict[str, Any]]:
        """Take due deliveries, each with what is to be sent as `parcel`."""
        book, settings = self.outcomes, self.outcomes.settings
        full = len(self.doubtful) >= settings.at_once * _MOST_UNPROVEN
        rows = await store.claim_due(
            conn, book.worker, book.now(), self.lease, limit, settings.per_endpoint, prompt_only=full
        )
        parcels = await store.payloads(conn, rows) if rows else {}
        return [{**row, "parcel": parcels.get(row["id"])} for row in rows]

    async def deliver(self, row: dict[str, Any]) -> None:
        """One attempt at a claimed delivery. Raises LeaseLost when another worker has it by the end."""
        if lost_leases(row["attempts"], row["tries"]) >= MOST_LOST_LEASES:
            await self._give_up(row, "worker lost")
        elif row["expires_at"] is not None and row["expires_at"] <= self.outcomes.now():
            await self._give_up(row, "expired")
        elif row["parcel"] is not None:
            await self._send(row, row["parcel"])

    async def _send(self, row: dict[str, Any], parcel: store.DeliveryPayload) -> None:
        secret = self.outcomes.mail_context.secret_box.decrypt(parcel.secret)
        if not parcel.prompt:
            self.doubtful.add(row["id"])
        try:
            answer = await self.sender.send(parcel.url, secret, row["event"], row["event_id"], parcel.body)
        finally:
            self.doubtful.discard(row["id"])
        await self.outcomes.write(row, answer)

    async def failed(self, row: dict[str, Any], error: str) -> None:
        """An attempt that could not even be made counts as one."""
        await self.outcomes.write(row, ReceiverAnswer(None, error[:300]))

    async def _give_up(self, row: dict[str, Any], error: str) -> None:
        async with self.outcomes.database.write() as conn:
            await store.fail(conn, row, error, self.outcomes.now())
