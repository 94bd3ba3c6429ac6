"""Write the results of deliveries, several in one transaction.

Results that arrive while a transaction runs go into the next: dozens of them under load. An idle worker writes each
at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.settings import Webhook
from afterdrop.db.engine import Database
from afterdrop.db.leases import LeaseLost
from afterdrop.db.outages import is_outage, outage
from afterdrop.delivery.events import PING
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.store import MailContext, MailDraft, queue_mails
from afterdrop.delivery.webhooks import store
from afterdrop.delivery.webhooks.retry_schedule import (
    AttemptResult,
    ReceiverAnswer,
    attempt_result,
    is_slow,
)
from afterdrop.delivery.webhooks.store import DeliveryRow

log = logging.getLogger("afterdrop.delivery")

_MOST_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class _Result:
    row: DeliveryRow
    answer: ReceiverAnswer
    written: asyncio.Future[bool]


@dataclass
class DeliveryResults:
    """Writes the results of one worker process. `now` is its clock, `rng` gives the jitter."""

    database: Database
    mail_context: MailContext
    settings: Webhook
    worker: str
    now: Callable[[], datetime]
    rng: Random
    _waiting: list[_Result] = field(default_factory=list)
    _writing: asyncio.Task[None] | None = None

    async def write(self, row: DeliveryRow, answer: ReceiverAnswer) -> None:
        """Write the result of one attempt. Raises LeaseLost when another worker has the row."""
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Result(row, answer, written))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        if not await written:
            raise LeaseLost("deliveries", "another worker has the delivery")

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                some, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
                await self._write_some(some)
        finally:
            self._writing = None

    async def _write_some(self, results: Sequence[_Result]) -> None:
        kept: set[int] = set()
        try:
            async with self.database.write() as conn:
                kept = await self._store(conn, results)
        except Exception as error:  # the loop's edge: nothing was written, so the rows are sent again
            if is_outage(error):
                outage.failed(error)
            else:
                log.exception("the results of %s deliveries could not be written", len(results))
        for result in results:
            if not result.written.done():
                result.written.set_result(result.row["id"] in kept)

    async def _store(self, conn: AsyncConnection, results: Sequence[_Result]) -> set[int]:
        """Write all results; gives the ids of the rows this worker still held."""
        now = self.now()
        await store.lock_endpoints(conn, {result.row["endpoint_id"] for result in results})
        kept: set[int] = set()
        delivered: dict[int, list[DeliveryRow]] = defaultdict(list)
        for result in results:
            if result.answer.ok and result.answer.code is not None:
                delivered[result.answer.code].append(result.row)
            elif await self._failed(conn, result.row, result.answer, now):
                kept.add(result.row["id"])
        for code, rows in delivered.items():
            kept |= await store.write_delivered(conn, self.worker, rows, code, now)
        written = [row for rows in delivered.values() for row in rows if row["id"] in kept]
        for pings in (True, False):
            ids = {row["endpoint_id"] for row in written if (row["event"] == PING) is pings}
            await store.note_successes(conn, ids, now, pings=pings)
        await self._note_pace(conn, results, now)
        return kept

    async def _note_pace(self, conn: AsyncConnection, results: Sequence[_Result], now: datetime) -> None:
        """Mark the endpoints that answered slowly; those that only answered promptly lose the mark."""
        limit = self.settings.answer_seconds
        slow = {result.row["endpoint_id"] for result in results if is_slow(result.answer, limit)}
        prompt = {result.row["endpoint_id"] for result in results if result.answer.code is not None} - slow
        await store.note_pace(conn, slow, prompt, now)

    async def _failed(
        self, conn: AsyncConnection, row: DeliveryRow, answer: ReceiverAnswer, now: datetime
    ) -> bool:
        # A redelivery is tried once, and its failure is no sign of a dead receiver.
        redelivery = row["redelivery_requested_at"] is not None
        waits = () if redelivery else self.settings.retry_waits
        result = attempt_result(answer, row["tries"], waits, now, self.rng.random())
        if not await store.write_failure(conn, row, answer, result, now):
            return False
        # A failed test event is not counted.
        if result.status == "failed" and row["event"] != PING and not redelivery:
            limit = self.settings.disable_after
            if await store.note_failure(conn, row["endpoint_id"], limit, now):
                log.warning("endpoint %s switched off after %s failures", row["endpoint_id"], limit)
                await self._tell_owner(conn, row, result, now)
        return True

    async def _tell_owner(
        self, conn: AsyncConnection, row: DeliveryRow, result: AttemptResult, now: datetime
    ) -> None:
        owner = await store.endpoint_owner(conn, row["endpoint_id"])
        if owner is None:
            return
        frame = self.mail_context.frame(owner["zone"])
        written = message.endpoint_off(frame, owner["url"], self.settings.disable_after, result.error)
        occasion = f"endpoint_off:{row['endpoint_id']}:{row['id']}"
        await queue_mails(conn, [MailDraft(owner["email"], written, owner["account_id"], occasion)], now)
