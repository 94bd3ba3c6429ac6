"""Working off a queue of rows: claim what is due, hold it while working, give it back when stopping.

One loop serves every queue. A row's outcome is written by its own `work`; what `work` did not expect is recorded
by `failed`, so that one row's trouble never stops the others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import AfterdropError
from afterdrop.db import leases
from afterdrop.db.engine import Database
from afterdrop.db.leases import RowT
from afterdrop.queue.outages import outlast

log = logging.getLogger("afterdrop.jobs")

# A claimed row whose columns nobody has given a type; features name a TypedDict of their own.
Row = dict[str, Any]


@dataclass(frozen=True)
class Queue(Generic[RowT]):
    """One queue: where its rows are, how they are claimed, worked and marked failed.

    `claim(conn, now, limit)` gives claimed rows; `work(row)` does one and settles it; `failed(row, error)` records
    what went wrong and when to try again. `idle` is how long to wait when nothing is due.

    With `patience` a row that has been worked on for so many seconds no longer counts against `at_once`: what only
    waits for somebody slow keeps nothing else waiting, until `most` rows are in hand. `breath` is how long to let more
    rows finish before the next are claimed: where work is short, one claim then takes many.
    """

    name: str
    table: sa.Table
    claim: Callable[[AsyncConnection, datetime, int], Awaitable[list[RowT]]]
    work: Callable[[RowT], Awaitable[None]]
    failed: Callable[[RowT, str], Awaitable[None]]
    at_once: int
    lease: timedelta
    idle: float = 1.0
    patience: float | None = None
    most: int = 0
    breath: float = 0.0


@dataclass(frozen=True, slots=True)
class _Held(Generic[RowT]):
    """A row in hand, and since when on the loop's clock."""

    row: RowT
    since: float


_InHand = dict[asyncio.Task[None], _Held[RowT]]


@dataclass
class QueueRunner(Generic[RowT]):
    """A queue being worked off by this process, until `stop` is set."""

    queue: Queue[RowT]
    database: Database
    now: Callable[[], datetime]
    stop: asyncio.Event
    wake: asyncio.Event
    _finished: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, *, until_empty: bool = False) -> int:
        """Work until `stop`, or with `until_empty` until nothing is due or held here; gives rows worked."""
        tasks: _InHand[RowT] = {}
        count = 0
        clock = asyncio.get_running_loop().time
        try:
            while not self.stop.is_set():
                free = self._room(tasks, clock())
                rows = await self._claim(free) if free else []
                count += len(rows)
                for row in rows:
                    task = asyncio.create_task(self._one(row))
                    task.add_done_callback(lambda _: self._finished.set())
                    tasks[task] = _Held(row, clock())
                if not tasks and until_empty:
                    break
                waiting = self.queue.idle if len(rows) < free else self._room_in(tasks, clock())
                await self._pause(waiting)
                self._finished.clear()
                tasks = {task: held for task, held in tasks.items() if not task.done()}
        finally:
            await self._leave(tasks)
        return count

    def _young(self, tasks: _InHand[RowT], now: float) -> list[float]:
        """Since when those rows are in hand that count against `at_once`."""
        patience = self.queue.patience
        return [held.since for held in tasks.values() if patience is None or now - held.since < patience]

    def _room(self, tasks: _InHand[RowT], now: float) -> int:
        """How many rows more to take."""
        free = self.queue.at_once - len(self._young(tasks, now))
        return free if self.queue.patience is None else max(min(free, self.queue.most - len(tasks)), 0)

    def _room_in(self, tasks: _InHand[RowT], now: float) -> float | None:
        """In how many seconds a row that is only slow will have made room; None: none will."""
        young = self._young(tasks, now)
        if self.queue.patience is None or not young or len(tasks) >= self.queue.most:
            return None
        return max(min(young) + self.queue.patience - now, 0.01)

    async def _claim(self, limit: int) -> list[RowT]:
        async def claim() -> list[RowT]:
            async with self.database.write() as conn:
                return await self.queue.claim(conn, self.now(), limit)

        return await outlast(claim, self.stop, f"claiming {self.queue.name}") or []

    async def _pause(self, seconds: float | None) -> None:
        """Until a row is finished, somebody wakes us, or the time (None: without end) is over."""
        self.wake.clear()
        waiters = [asyncio.create_task(event.wait()) for event in (self._finished, self.wake, self.stop)]
        await asyncio.wait(waiters, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if self.queue.breath:
            await asyncio.sleep(self.queue.breath)
        for waiter in waiters:
            waiter.cancel()

    async def _one(self, row: RowT) -> None:
        holding = asyncio.create_task(self._hold(row))
        try:
            await self.queue.work(row)
        except leases.LeaseLost:
            log.warning("%s: a lease was lost; the row is another worker's now", self.queue.name)
        except AfterdropError as error:
            await self._failed(row, str(error))
        except Exception as error:  # the loop's edge: whatever it is, the row is marked and the rest goes on
            log.exception("%s failed unexpectedly", self.queue.name)
            await self._failed(row, f"unexpected {type(error).__name__}: {error}"[:500])
        finally:
            holding.cancel()

    async def _failed(self, row: RowT, error: str) -> None:
        await outlast(lambda: self.queue.failed(row, error), self.stop, f"marking one of {self.queue.name}")

    async def _hold(self, row: RowT) -> None:
        """Renew the lease while the row is worked on; a lost lease is noticed when the outcome is written."""

        async def renew() -> bool:
            async with self.database.write() as conn:
                return await leases.renew(conn, self.queue.table, row, self.now(), self.queue.lease)

        held: bool | None = True
        while held:
            await asyncio.sleep(self.queue.lease.total_seconds() / 3)
            held = await outlast(renew, self.stop, f"holding one of {self.queue.name}")

    async def _leave(self, tasks: _InHand[RowT]) -> None:
        """A graceful stop: what cannot finish within five seconds is cancelled and its row returned."""
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=5)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

        async def give_back() -> None:
            async with self.database.write() as conn:
                for task in left:
                    await leases.give_back(conn, self.queue.table, tasks[task].row)

        # Without a database the leases end by themselves.
        await outlast(give_back, self.stop, f"giving {self.queue.name} back")
