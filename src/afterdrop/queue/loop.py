"""Work off a queue of rows: claim due rows, renew their leases while working, give them back when stopping.

One loop serves every queue. The queue's `work` writes a row's result; `failed` records an unexpected error, so that
one row's trouble never stops the others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Generic, Protocol, TypeVar

import sqlalchemy as sa
from prometheus_client import Histogram
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError, UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.db import leases
from afterdrop.db.conflicts import repeated
from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim, RowT
from afterdrop.db.outages import is_outage, outage


class QueueContext(Protocol):
    """The context of every queue and timed job from its worker: the database, and the worker that claims rows in it.

    `worker_context.WorkerContext` has it and everything else. Features below that module, which cannot import it,
    extend this protocol by what they need.
    """

    @property
    def settings(self) -> Settings:
        """The settings of the deployment."""
        ...

    @property
    def database(self) -> Database:
        """The open database."""
        ...

    @property
    def worker(self) -> str:
        """The worker's unique name, under which it claims rows."""
        ...

    @property
    def now(self) -> Callable[[], datetime]:
        """The worker's clock; demos and tests may set another day."""
        ...

    @property
    def lease(self) -> timedelta:
        """How long a claimed row is held before others may claim it; it is renewed while the row is worked on."""
        ...


ROWS: Final = Histogram(
    "afterdrop_queue_row_seconds",
    "Time a worker took for one row of a queue, by result (done, failed, postponed, lost).",
    ["queue", "result"],
    buckets=(0.01, 0.1, 0.5, 1, 5, 15, 60, 300),
)

log = logging.getLogger("afterdrop.queue")

Result = TypeVar("Result")

_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 30.0
# After how many seconds a row is due again whose host could not be reached, where nobody said when.
_UNREACHED_AGAIN: Final = 10.0


async def wait_out(
    attempt: Callable[[], Awaitable[Result]], stop: asyncio.Event, what: str, *, wait: float = _FIRST_WAIT
) -> Result | None:
    """Repeat `attempt` until the database answers, and give its result; None when `stop` is set before.

    Other failures are raised. `wait` is the first pause in seconds; each further one is twice as long, up to half a
    minute.
    """
    while True:
        try:
            return await repeated(attempt)
        except sa.exc.SQLAlchemyError as error:
            if not is_outage(error):
                raise
            outage.failed(error)
            log.debug("%s waits for the database", what)
        if stop.is_set():
            return None
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), wait)
            return None
        wait = min(wait * 2, _LONGEST_WAIT)


async def any_set(events: Sequence[asyncio.Event], seconds: float | None) -> None:
    """Wait until one of the events is set, or the time is over (None: no limit)."""
    waiters = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiters, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for waiter in waiters:
            waiter.cancel()


# A claimed row whose columns nobody has given a type; features name a TypedDict of their own.
Row = dict[str, Any]


@dataclass(frozen=True)
class Queue(Generic[RowT]):
    """One queue: the table of its rows, and how they are claimed, worked on and marked failed.

    `claim(conn, claim)` gives claimed rows; `work(row)` works on one and settles it; `failed(row, error)` records
    an error and when to try again. At most `at_once` rows are worked on. `waiting` says which rows are not settled yet,
    so that an index tells when the first of them is due. Rows are held for the `lease`, or for that of the worker.

    With `slow_after` a row that takes longer than so many seconds no longer counts against `at_once`, so that slow
    ones do not hold up the others; at most `most_in_hand` rows are worked on then. `linger` is how many seconds to let
    more rows finish before the next claim: one claim then takes many rows where work is short.

    A row whose host could not be asked is due again when the host may answer; that is no attempt. A host that fails at
    the row's own question and is well otherwise was asked: such a row runs out of attempts. `postponed` are further
    columns to set when a row has to wait.
    """

    name: str
    table: sa.Table
    claim: Callable[[AsyncConnection, Claim], Awaitable[list[RowT]]]
    work: Callable[[RowT], Awaitable[None]]
    failed: Callable[[RowT, str], Awaitable[None]]
    at_once: int
    lease: timedelta | None = None
    waiting: sa.ColumnElement[bool] = field(default_factory=sa.true)
    slow_after: float | None = None
    most_in_hand: int = 0
    linger: float = 0.0
    postponed: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Held(Generic[RowT]):
    """A row in hand, and the time of the loop's clock when it was claimed."""

    row: RowT
    since: float


_InHand = dict[asyncio.Task[None], _Held[RowT]]


@dataclass
class QueueRunner(Generic[RowT]):
    """Works off a queue in this process until `stop` is set.

    When nothing is due, it looks again after `look_every` seconds, or when somebody sets `wake` (None: only then).
    """

    queue: Queue[RowT]
    context: QueueContext
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    look_every: float | None = 1.0
    _finished: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, *, until_empty: bool = False) -> int:
        """Work until `stop`, or with `until_empty` until nothing is due or in hand; gives how many."""
        tasks: _InHand[RowT] = {}
        count = 0
        time = asyncio.get_running_loop().time
        try:
            while not self.stop.is_set():
                self.wake.clear()
                free = self._room(tasks, time())
                rows = await self._claim(free) if free else []
                count += len(rows)
                for row in rows:
                    task = asyncio.create_task(self._one(row))
                    task.add_done_callback(lambda _: self._finished.set())
                    tasks[task] = _Held(row, time())
                if not tasks and until_empty:
                    break
                seconds = self.look_every if len(rows) < free else self._room_in(tasks, time())
                # Wait until a row is finished, `wake` or `stop` is set, or the time is over (None: no
                # limit).
                await any_set((self._finished, self.wake, self.stop), seconds)
                if self.queue.linger:
                    await asyncio.sleep(self.queue.linger)
                self._finished.clear()
                tasks = {task: held for task, held in tasks.items() if not task.done()}
        finally:
            await self._leave(tasks)
        return count

    def _counted(self, tasks: _InHand[RowT], now: float) -> list[float]:
        """The claim times of the rows that count against `at_once`."""
        slow_after = self.queue.slow_after
        return [held.since for held in tasks.values() if slow_after is None or now - held.since < slow_after]

    def _room(self, tasks: _InHand[RowT], now: float) -> int:
        """How many more rows to claim."""
        free = self.queue.at_once - len(self._counted(tasks, now))
        return (
            free if self.queue.slow_after is None else max(min(free, self.queue.most_in_hand - len(tasks)), 0)
        )

    def _room_in(self, tasks: _InHand[RowT], now: float) -> float | None:
        """The seconds until a row in hand counts as slow and makes room; None when none will."""
        counted = self._counted(tasks, now)
        if self.queue.slow_after is None or not counted or len(tasks) >= self.queue.most_in_hand:
            return None
        return max(min(counted) + self.queue.slow_after - now, 0.01)

    @property
    def _lease(self) -> timedelta:
        return self.queue.lease or self.context.lease

    async def _claim(self, limit: int) -> list[RowT]:
        async def claim() -> list[RowT]:
            async with self.context.database.write() as conn:
                now = self.context.now()
                return await self.queue.claim(conn, Claim(self.context.worker, now, self._lease, limit))

        return await wait_out(claim, self.stop, f"claiming {self.queue.name}") or []

    async def _one(self, row: RowT) -> None:
        holding = asyncio.create_task(self._hold(row))
        started, result = clock.monotonic(), "failed"
        try:
            await repeated(lambda: self.queue.work(row))
            result = "done"
        except leases.LeaseLost:
            result = "lost"
            log.warning("%s: a lease was lost; another worker has the row", self.queue.name)
        except AfterdropError as error:
            log.debug("%s: %s", self.queue.name, error)
            if isinstance(error, UpstreamError) and error.unreached:
                result = "postponed"
                # Leave the row until its host may answer again: nothing was asked, so nothing was
                # attempted. No row gets here by its own question, or it would come back for ever:
                # `unreached` blames the host alone.
                again = self.context.now() + timedelta(seconds=error.retry_after or _UNREACHED_AGAIN)
                await self._give_back(row, due_at=again, **self.queue.postponed)
            else:
                await self._failed(row, str(error))
        except Exception as error:  # the loop's edge: the row is marked and the others go on
            if is_outage(error):
                outage.failed(error)
                await self._give_back(row)
            else:
                log.exception("%s failed unexpectedly", self.queue.name)
                await self._failed(row, f"unexpected {type(error).__name__}: {error}"[:500])
        finally:
            holding.cancel()
            ROWS.labels(self.queue.name, result).observe(clock.monotonic() - started)

    async def _failed(self, row: RowT, error: str) -> None:
        await wait_out(lambda: self.queue.failed(row, error), self.stop, f"marking one of {self.queue.name}")

    async def _give_back(self, row: RowT, **values: object) -> None:
        """Once the database answers again, leave the row to whoever claims it: an outage is no attempt of its own."""

        async def give_back() -> bool:
            async with self.context.database.write() as conn:
                return await leases.give_back(conn, self.queue.table, row, **values)

        await wait_out(give_back, self.stop, f"giving one of {self.queue.name} back")

    async def _hold(self, row: RowT) -> None:
        """Renew the lease while the row is worked on; a lost lease is noticed when the result is written."""

        async def renew() -> bool:
            async with self.context.database.write() as conn:
                return await leases.renew(conn, self.queue.table, row, self.context.now(), self._lease)

        held: bool | None = True
        while held:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            held = await wait_out(renew, self.stop, f"holding one of {self.queue.name}")

    async def _leave(self, tasks: _InHand[RowT]) -> None:
        """Stop gracefully: work that does not finish within five seconds is cancelled and its row given back."""
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=5)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

        async def give_back() -> None:
            async with self.context.database.write() as conn:
                for task in left:
                    await leases.give_back(conn, self.queue.table, tasks[task].row)

        # Without a database the leases run out.
        await wait_out(give_back, self.stop, f"giving {self.queue.name} back")
