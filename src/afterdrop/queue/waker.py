"""Wake the queues that have something due, instead of letting each of them look again and again.

One waker serves all queues of a worker. After a commit that may have made rows due, and when the next row becomes due,
one statement asks for all of them. A commit that nobody told of costs time and loses nothing: the waker asks every few
seconds anyway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from afterdrop.db.changes import Changes, open_changes
from afterdrop.db.engine import Database
from afterdrop.db.schema import Instant
from afterdrop.queue.loop import any_set, wait_out

# So many seconds pass between two questions, however many commits there are, …
_SPACING: Final = 0.1
# … and while a row is due that nobody claims: it is in a worker's hand, perhaps a dead one's, or may not be worked on
# yet.
_UNCLAIMED_AGAIN: Final = 1.0


@dataclass(frozen=True)
class WatchedQueue:
    """The rows of a queue: when each is due, which of them are not settled, and what wakes the queue."""

    due_at: sa.Column[datetime]
    waiting: sa.ColumnElement[bool]
    wake: asyncio.Event


@dataclass
class Waker:
    """Wakes `lines` until `stop` is set; asks at least every `look_every` seconds, by `now` of the worker's clock."""

    database: Database
    now: Callable[[], datetime]
    lines: Sequence[WatchedQueue]
    stop: asyncio.Event
    look_every: float

    async def run(self) -> None:
        """Work until `stop` is set; while the database does not answer, wait for it."""
        # The time of a row that is due, else of the first that will be; null without any. Each part is read
        # from an index. Rows in hand are among those that are due: leaving them out would mean to read them
        # all.
        columns = []
        for line in self.lines:
            due = (
                sa.select(line.due_at)
                .where(line.waiting, line.due_at <= sa.bindparam("now", type_=Instant()))
                .limit(1)
            )
            first = sa.select(sa.func.min(line.due_at)).where(line.waiting)
            columns.append(sa.func.coalesce(due.scalar_subquery(), first.scalar_subquery(), type_=Instant()))
        question = sa.select(*columns)
        async with open_changes(self.database) as changes:
            stopping = asyncio.create_task(self.stop.wait())
            stopping.add_done_callback(lambda _: changes.happened.set())
            try:
                while not self.stop.is_set():
                    changes.happened.clear()
                    seconds = await self._wake(question)
                    await any_set([self.stop], _SPACING)
                    await _pause(changes, seconds - _SPACING)
            finally:
                stopping.cancel()

    async def _wake(self, question: sa.Executable) -> float:
        """Wake the queues with a row that is due; gives the seconds until the next question."""
        now = self.now()

        async def ask() -> list[datetime | None]:
            async with self.database.read(single=True) as conn:
                return list((await conn.execute(question, {"now": now})).one())

        dues = await wait_out(ask, self.stop, "looking for what is due") or []
        for line, due in zip(self.lines, dues, strict=False):
            if due is not None and due <= now:
                line.wake.set()
        return min(self.look_every, until_due([due for due in dues if due is not None], now))


async def _pause(changes: Changes, seconds: float) -> None:
    """Wait until rows may have become due, or for so many seconds."""
    time = asyncio.get_running_loop().time
    end = time() + seconds
    while not changes.happened.is_set() and (left := end - time()) > 0:
        look_every = changes.look_every
        if look_every and changes.look():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(min(left, look_every or left)):
                await changes.happened.wait()


def until_due(dues: Collection[datetime], now: datetime) -> float:
    """Seconds until the first of the times that come; infinite without any.

    `now` is in whole seconds and up to one behind, so the last second is waited out in small steps. Of what is due
    already, see `_UNCLAIMED_AGAIN`.
    """
    waits = [(due - now).total_seconds() for due in dues]
    return min(
        (max(wait - 1, _SPACING) if wait > 0 else _UNCLAIMED_AGAIN for wait in waits), default=float("inf")
    )
