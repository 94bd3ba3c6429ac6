"""Delivering in one worker process: what is claimed is sent once, and what came of it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.delivery import store
from afterdrop.delivery.outcomes import Outcomes
from afterdrop.delivery.schedule import MOST_LOST_LEASES, Answer, lost_leases
from afterdrop.delivery.send import Sender


@dataclass(frozen=True)
class Courier:
    """Delivers for one worker process."""

    sender: Sender
    outcomes: Outcomes

    @property
    def lease(self) -> timedelta:
        """How long a claimed delivery is held."""
        return timedelta(seconds=self.outcomes.settings.lease_seconds)

    async def claim(self, conn: AsyncConnection, limit: int) -> list[dict[str, Any]]:
        """Take due deliveries, each with what is to be sent as `parcel`."""
        book = self.outcomes
        rows = await store.claim_due(
            conn, book.worker, book.now(), self.lease, limit, book.settings.per_endpoint
        )
        parcels = await store.parcels(conn, rows) if rows else {}
        return [{**row, "parcel": parcels.get(row["id"])} for row in rows]

    async def deliver(self, row: dict[str, Any]) -> None:
        """One attempt at a claimed delivery. Raises LeaseLost when another worker has it by the end."""
        if lost_leases(row["attempts"], row["tries"]) >= MOST_LOST_LEASES:
            await self._give_up(row, "worker lost")
        elif row["expires_at"] is not None and row["expires_at"] <= self.outcomes.now():
            await self._give_up(row, "expired")
        elif row["parcel"] is not None:
            parcel: store.Parcel = row["parcel"]
            secret = self.outcomes.letterhead.vault.open(parcel.secret)
            answer = await self.sender.send(parcel.url, secret, row["event"], row["event_id"], parcel.body)
            await self.outcomes.write(row, answer)

    async def failed(self, row: dict[str, Any], error: str) -> None:
        """An attempt that could not even be made counts as one."""
        await self.outcomes.write(row, Answer(None, error[:300]))

    async def _give_up(self, row: dict[str, Any], error: str) -> None:
        async with self.outcomes.database.write() as conn:
            await store.fail(conn, row, error, self.outcomes.now())
