"""A worker: works every queue off, runs due jobs of the timetable once, and leaves in good order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from afterdrop.core.errors import AfterdropError
from afterdrop.queue import job_runs
from afterdrop.queue.context import QueueContext
from afterdrop.queue.loop import Queue, QueueRunner
from afterdrop.queue.outages import is_outage, outage_text, outlast
from afterdrop.queue.timetable import Job, due

log = logging.getLogger("afterdrop.jobs")

# What a job does; its result goes into the job's row.
Task = Callable[[], Awaitable[Any]]


@dataclass
class Worker:
    """One worker of the deployment; `run` returns once `stop` is set and everything held is finished or returned."""

    context: QueueContext
    queues: Sequence[Queue[Any]]
    tasks: Mapping[str, Task]
    table: tuple[Job, ...]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    look_every: float = 1.0

    async def run(self) -> None:
        """Work until stopped; a database that does not answer is waited for.

        A loop that ends unexpectedly ends the worker: a half-dead one helps nobody.
        """
        wake = asyncio.Event()
        parts: list[asyncio.Task[Any]] = [
            asyncio.create_task(
                QueueRunner(queue, self.context.database, self.context.now, self.stop, wake).run()
            )
            for queue in self.queues
        ]
        parts += [asyncio.create_task(self._timetable()), asyncio.create_task(self._beat())]
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            for part in done:
                part.result()
        except Exception:
            log.exception("worker %s stops: one of its loops failed", self.context.worker)
            raise
        finally:
            self.stop.set()
            await asyncio.gather(*parts, return_exceptions=True)
            await outlast(self._leave, self.stop, "leaving")

    async def _leave(self) -> None:
        async with self.context.database.write() as conn:
            await job_runs.leave(conn, self.context.worker, self.context.now())

    async def _beat(self) -> None:
        async def beat() -> None:
            async with self.context.database.write() as conn:
                await job_runs.beat(conn, self.context.worker, self.context.now())

        while not self.stop.is_set():
            await outlast(beat, self.stop, "heartbeat")
            await self._rest(min(10.0, self.context.lease.total_seconds() / 3))

    async def _timetable(self) -> None:
        running: set[asyncio.Task[None]] = set()
        while not self.stop.is_set():
            for name, moment in await outlast(self._take, self.stop, "timetable") or []:
                task = asyncio.create_task(self._run(name, moment))
                running.add(task)
                task.add_done_callback(running.discard)
            await self._rest(self.look_every)
        if running:
            _, left = await asyncio.wait(running, timeout=8)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _take(self) -> list[tuple[str, datetime]]:
        context, now = self.context, self.context.now()
        async with context.database.read() as conn:
            done = await job_runs.newest_moments(conn)
        wanted = [(job.name, moment) for job, moment in due(self.table, now, done) if job.name in self.tasks]
        taken = []
        async with context.database.write() as conn:
            for name, moment in wanted:
                if await job_runs.take(conn, name, moment, context.worker, now, context.lease):
                    taken.append((name, moment))
            inherited = await job_runs.take_over(conn, context.worker, now, context.lease)
        return taken + [(name, moment) for name, moment in inherited if name in self.tasks]

    async def _run(self, name: str, moment: datetime) -> None:
        holding = asyncio.create_task(self._hold(name, moment))
        result: Any = None
        error: str | None = None
        try:
            result = await self.tasks[name]()
        except asyncio.CancelledError:
            await outlast(lambda: self._let_go(name, moment), self.stop, f"letting job {name} go")
            raise
        except AfterdropError as failure:
            error = str(failure)
        except Exception as failure:  # the loop's edge: a failed job is recorded, the timetable goes on
            if is_outage(failure):
                # As if its worker had died: when the lease is over, the run is taken over from where it stands.
                log.warning("job %s: the database cannot be had (%s)", name, outage_text(failure))
                return
            log.exception("job %s failed", name)
            error = f"unexpected {type(failure).__name__}: {failure}"[:500]
        finally:
            holding.cancel()
        await outlast(lambda: self._finish(name, moment, result, error), self.stop, f"ending job {name}")

    async def _let_go(self, name: str, moment: datetime) -> None:
        async with self.context.database.write() as conn:
            await job_runs.let_go(conn, name, moment, self.context.worker, self.context.now())

    async def _finish(self, name: str, moment: datetime, result: Any, error: str | None) -> None:
        context = self.context
        async with context.database.write() as conn:
            await job_runs.finish(
                conn, name, moment, context.worker, context.now(), result=result, error=error
            )

    async def _hold(self, name: str, moment: datetime) -> None:
        context = self.context

        async def keep() -> bool:
            async with context.database.write() as conn:
                return await job_runs.keep(conn, name, moment, context.worker, context.now() + context.lease)

        held: bool | None = True
        while held:
            await asyncio.sleep(context.lease.total_seconds() / 3)
            held = await outlast(keep, self.stop, f"holding job {name}")

    async def _rest(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.stop.wait(), seconds)
        except TimeoutError:
            return


def worker_name(host: str, process: int, salt: str) -> str:
    """A name no other worker has: host, process and a salt, for logs and leases."""
    return f"{host[:30]}:{process}:{salt}"[:64]
