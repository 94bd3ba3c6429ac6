"""The queue of webhook deliveries: each claimed delivery is sent once, and results are written several at a time.

Results that arrive while a transaction runs go into the next: dozens of them under load. An idle worker writes each
at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Final, Protocol

from prometheus_client import Histogram
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core import clock
from afterdrop.core.log_lines import figures
from afterdrop.core.settings import Webhook
from afterdrop.db.conflicts import repeated
from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim, LeaseLost
from afterdrop.db.outages import is_outage, outage
from afterdrop.db.tables.delivery import deliveries
from afterdrop.delivery.events import PING
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.store import MailContext, MailDraft, queue_mails
from afterdrop.delivery.webhooks import store
from afterdrop.delivery.webhooks.retry_schedule import (
    MOST_LOST_LEASES,
    AttemptResult,
    ReceiverAnswer,
    attempt_result,
    is_slow,
    lost_leases,
)
from afterdrop.delivery.webhooks.send import Sender
from afterdrop.delivery.webhooks.store import DeliveryPayload, DeliveryRow
from afterdrop.queue.loop import Queue, QueueContext

ATTEMPTS: Final = Histogram(
    "afterdrop_delivery_attempt_seconds",
    "Time a webhook receiver took to answer, by result (taken, refused, no_answer).",
    ["result"],
    buckets=(0.05, 0.25, 1, 2, 4, 8),
)
log = logging.getLogger("afterdrop.delivery")

_WRITTEN_AT_ONCE: Final = 200
# Deliveries under way in one worker.
_AT_ONCE: Final = 64


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
                some, self._waiting = self._waiting[:_WRITTEN_AT_ONCE], self._waiting[_WRITTEN_AT_ONCE:]
                await self._write_some(some)
        finally:
            self._writing = None

    async def _write_some(self, results: Sequence[_Result]) -> None:
        async def write() -> set[int]:
            async with self.database.write() as conn:
                return await self._store(conn, results)

        kept: set[int] = set()
        try:
            kept = await repeated(write)
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
        # Mark the endpoints that answered slowly; those that only answered promptly lose the mark.
        limit = self.settings.answer_seconds
        slow = {result.row["endpoint_id"] for result in results if is_slow(result.answer, limit)}
        prompt = {result.row["endpoint_id"] for result in results if result.answer.code is not None} - slow
        await store.note_pace(conn, slow, prompt, now)
        return kept

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
        counts = result.status == "failed" and row["event"] != PING and not redelivery
        if counts and await store.note_failure(conn, row["endpoint_id"], now):
            log.warning("endpoint %s switched off after %s failures", row["endpoint_id"], store.DISABLE_AFTER)
            await self._tell_owner(conn, row, result, now)
        return True

    async def _tell_owner(
        self, conn: AsyncConnection, row: DeliveryRow, result: AttemptResult, now: datetime
    ) -> None:
        owner = await store.endpoint_owner(conn, row["endpoint_id"])
        if owner is None:
            return
        frame = self.mail_context.frame(owner["zone"])
        written = message.endpoint_off(frame, owner["url"], store.DISABLE_AFTER, result.error)
        occasion = f"endpoint_off:{row['endpoint_id']}:{row['id']}"
        await queue_mails(conn, [MailDraft(owner["email"], written, owner["account_id"], occasion)], now)


# A receiver that has not answered within this time no longer takes a place from the others …
_SLOW_AFTER: Final = 0.25
# … until this many times the places are taken: each delivery waits on an open connection.
_MOST_WAITING: Final = 8
_LINGER: Final = 0.01
# Unproven endpoints may take this many times the worker's places.
_MOST_UNPROVEN: Final = 4


class DeliveryContext(QueueContext, Protocol):
    """The context of the queue of webhook deliveries."""

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

    async def claim(self, conn: AsyncConnection, claim: Claim) -> list[ClaimedDelivery]:
        """Claim due deliveries, each with its payload."""
        full = len(self.unproven) >= _AT_ONCE * _MOST_UNPROVEN
        rows = await store.claim_due(conn, claim, prompt_only=full)
        payloads = await store.payloads(conn, rows) if rows else {}
        return [{**row, "payload": payloads.get(row["id"])} for row in rows]

    async def deliver(self, row: ClaimedDelivery) -> None:
        """Make one attempt at a claimed delivery. Raises LeaseLost when another worker has it by the end."""
        payload = row["payload"]
        late = row["expires_at"] is not None and row["expires_at"] <= self.results.now()
        if lost_leases(row["attempts"], row["tries"]) >= MOST_LOST_LEASES:
            await self._give_up(row, "worker lost")
        elif late:
            await self._give_up(row, store.EXPIRED)
        elif payload is not None:
            await self._send(row, payload)

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
    return Queue(
        name="deliveries",
        table=deliveries,
        claim=worker.claim,
        work=worker.deliver,
        failed=worker.failed,
        at_once=_AT_ONCE,
        lease=timedelta(seconds=worker.results.settings.lease_seconds),
        waiting=store.PENDING,
        slow_after=_SLOW_AFTER,
        most_in_hand=_AT_ONCE * _MOST_WAITING,
        linger=_LINGER,
    )


def delivery_worker(context: DeliveryContext) -> DeliveryWorker:
    """The worker of deliveries in this process."""
    mail_context = MailContext.of(context.settings, context.secret_box)
    results = DeliveryResults(
        context.database, mail_context, context.settings.webhook, context.worker, context.now, clock.rng()
    )
    return DeliveryWorker(context.sender, results)
