"""What came of deliveries, written down: whatever is finished while one transaction runs goes into the next.

Under load that is dozens of outcomes a transaction; an idle worker writes each at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.settings import Webhook
from afterdrop.db.engine import Database
from afterdrop.db.leases import LeaseLost
from afterdrop.delivery.events import PING
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail import store as mails
from afterdrop.delivery.webhooks import store
from afterdrop.delivery.webhooks.retry_schedule import (
    AttemptResult,
    ReceiverAnswer,
    attempt_result,
    keeps_waiting,
)

log = logging.getLogger("afterdrop.delivery")

_MOST_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class _Entry:
    row: dict[str, Any]
    answer: ReceiverAnswer
    written: asyncio.Future[bool]


@dataclass
class DeliveryResults:
    """The outcomes of one worker process. `now` and `rng` are its clock and its jitter."""

    database: Database
    mail_context: mails.MailContext
    settings: Webhook
    worker: str
    now: Callable[[], datetime]
    rng: Random
    _waiting: list[_Entry] = field(default_factory=list)
    _writing: asyncio.Task[None] | None = None

    async def write(self, row: dict[str, Any], answer: ReceiverAnswer) -> None:
        """Write the outcome of an attempt that brought `answer`. Raises LeaseLost when another worker has the row."""
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Entry(row, answer, written))
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

    async def _write_some(self, entries: Sequence[_Entry]) -> None:
        kept: set[int] = set()
        try:
            async with self.database.write() as conn:
                kept = await self._store(conn, entries)
        except (
            Exception
        ):  # the loop's edge: nothing was written, so the leases end and the rows are sent again
            log.exception("outcomes of %s deliveries could not be written", len(entries))
        for entry in entries:
            if not entry.written.done():
                entry.written.set_result(entry.row["id"] in kept)

    async def _store(self, conn: AsyncConnection, entries: Sequence[_Entry]) -> set[int]:
        """Write them all; gives the ids of the rows this worker still held."""
        now = self.now()
        await store.lock_endpoints(conn, {entry.row["endpoint_id"] for entry in entries})
        kept: set[int] = set()
        arrived: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for entry in entries:
            if entry.answer.ok and entry.answer.code is not None:
                arrived[entry.answer.code].append(entry.row)
            elif await self._failed(conn, entry.row, entry.answer, now):
                kept.add(entry.row["id"])
        for code, rows in arrived.items():
            kept |= await store.write_delivered(conn, self.worker, rows, code, now)
        good = [row for rows in arrived.values() for row in rows if row["id"] in kept]
        for pings in (True, False):
            ids = {row["endpoint_id"] for row in good if (row["event"] == PING) is pings}
            await store.note_successes(conn, ids, now, pings=pings)
        await self._note_pace(conn, entries, now)
        return kept

    async def _note_pace(self, conn: AsyncConnection, entries: Sequence[_Entry], now: datetime) -> None:
        """Write which endpoints kept us waiting and which no longer do; one that did both still does."""
        limit = self.settings.answer_seconds
        slow = {entry.row["endpoint_id"] for entry in entries if keeps_waiting(entry.answer, limit)}
        prompt = {entry.row["endpoint_id"] for entry in entries if entry.answer.code is not None} - slow
        await store.note_pace(conn, slow, prompt, now)

    async def _failed(
        self, conn: AsyncConnection, row: dict[str, Any], answer: ReceiverAnswer, now: datetime
    ) -> bool:
        # One that a person asked for again is tried once, and its failure is no sign of a dead receiver.
        asked = row["again_at"] is not None
        waits = () if asked else self.settings.retry_waits
        outcome = attempt_result(answer, row["tries"], waits, now, self.rng.random())
        if not await store.write_failure(conn, row, answer, outcome, now):
            return False
        # Test events neither count as failures nor end a run of them.
        if outcome.status == "failed" and row["event"] != PING and not asked:
            limit = self.settings.disable_after
            if await store.note_failure(conn, row["endpoint_id"], limit, now):
                log.warning("endpoint %s switched off after %s failures", row["endpoint_id"], limit)
                await self._tell_owner(conn, row, outcome, now)
        return True

    async def _tell_owner(
        self, conn: AsyncConnection, row: dict[str, Any], outcome: AttemptResult, now: datetime
    ) -> None:
        owner = await store.endpoint_owner(conn, row["endpoint_id"])
        if owner is None:
            return
        letter = self.mail_context.letter(owner["zone"])
        written = message.endpoint_off(letter, owner["url"], self.settings.disable_after, outcome.error)
        occasion = f"endpoint_off:{row['endpoint_id']}:{row['id']}"
        await mails.queue_mails(
            conn, [mails.MailDraft(owner["email"], written, owner["account_id"], occasion)], now
        )
