"""A worker: it works off every queue, runs each due job of the timetable once, and stops gracefully."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from prometheus_client import Histogram

from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.log_lines import figures
from afterdrop.db.conflicts import repeated
from afterdrop.db.outages import is_outage, outage
from afterdrop.queue import job_runs
from afterdrop.queue.job_runs import JobRun
from afterdrop.queue.loop import Queue, QueueContext, QueueRunner, any_set, wait_out
from afterdrop.queue.timetable import Job, due, next_moment
from afterdrop.queue.waker import Waker, WatchedQueue

JOBS: Final = Histogram(
    "afterdrop_job_seconds",
    "Time a timed job took, by result (done, failed).",
    ["job", "result"],
    buckets=(0.01, 0.1, 1, 10, 60, 600, 3600, 36000),
)
log = logging.getLogger("afterdrop.queue")

# The work of a job; its result is stored with the run.
Task = Callable[[], Awaitable[object]]


@dataclass
class Worker:
    """One worker of the deployment. `run` ends when `stop` is set and every row in hand is finished or given back."""

    context: QueueContext
    queues: Sequence[Queue[Any]]
    tasks: Mapping[str, Task]
    table: tuple[Job, ...]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    # How many seconds pass at most between two looks at the queues and at the timetable.
    look_every: float = 10.0

    async def run(self) -> None:
        """Work until `stop` is set; while the database does not answer, wait for it.

        A loop that ends unexpectedly ends the worker: half a worker would hide the failure.
        """
        database, now = self.context.database, self.context.now
        lines = [WatchedQueue(queue.table.c.due_at, queue.waiting, asyncio.Event()) for queue in self.queues]
        parts: list[asyncio.Task[int | None]] = [
            asyncio.create_task(QueueRunner(queue, self.context, self.stop, line.wake, look_every=None).run())
            for queue, line in zip(self.queues, lines, strict=True)
        ]
        if lines:
            parts.append(asyncio.create_task(Waker(database, now, lines, self.stop, self.look_every).run()))
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
            await wait_out(self._leave, self.stop, "leaving")

    async def _leave(self) -> None:
        async with self.context.database.write() as conn:
            await job_runs.leave(conn, self.context.worker, self.context.now())

    async def _beat(self) -> None:
        async def beat() -> None:
            async with self.context.database.write() as conn:
                await job_runs.beat(conn, self.context.worker, self.context.now())

        while not self.stop.is_set():
            await wait_out(beat, self.stop, "heartbeat")
            await any_set([self.stop], min(10.0, self.context.lease.total_seconds() / 3))

    async def _timetable(self) -> None:
        running: set[asyncio.Task[None]] = set()
        while not self.stop.is_set():
            for run in await wait_out(self._take, self.stop, "timetable") or []:
                task = asyncio.create_task(self._run(run))
                running.add(task)
                task.add_done_callback(running.discard)
            coming = (next_moment(job, self.context.now()) - self.context.now() for job in self.table)
            first = min(coming, default=timedelta.max)
            await any_set([self.stop], min(self.look_every, first.total_seconds()))
        if running:
            _, left = await asyncio.wait(running, timeout=8)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _take(self) -> list[JobRun]:
        context, now = self.context, self.context.now()
        async with context.database.read() as conn:
            done = await job_runs.newest_moments(conn, now)
            lost = await job_runs.any_lost(conn, now)
        wanted = [
            JobRun(job.name, moment, context.worker)
            for job, moment in due(self.table, now, done)
            if job.name in self.tasks
        ]
        if not wanted and not lost:
            return []
        async with context.database.write() as conn:
            taken = [run for run in wanted if await job_runs.take(conn, run, now, context.lease)]
            inherited = await job_runs.take_over(conn, context.worker, now, context.lease)
        return taken + [run for run in inherited if run.job in self.tasks]

    async def _run(self, run: JobRun) -> None:
        started = clock.monotonic()
        holding = asyncio.create_task(self._hold(run))
        result: object = None
        error: str | None = None
        try:
            result = await repeated(self.tasks[run.job])
        except asyncio.CancelledError:
            await wait_out(lambda: self._release(run), self.stop, f"giving job {run.job} back")
            raise
        except AfterdropError as failure:
            error = str(failure)
        except Exception as failure:  # the loop's edge: a failed job is recorded, the timetable goes on
            if is_outage(failure):
                # As if its worker had died: when the lease is over, another run takes over from where it stands.
                outage.failed(failure)
                return
            log.exception("job %s broke", run.job)
            error = f"unexpected {type(failure).__name__}: {failure}"[:500]
        finally:
            holding.cancel()
        _tell_end(run.job, clock.monotonic() - started, result, error)
        await wait_out(lambda: self._finish(run, result, error), self.stop, f"ending job {run.job}")

    async def _release(self, run: JobRun) -> None:
        async with self.context.database.write() as conn:
            await job_runs.release(conn, run, self.context.now())

    async def _finish(self, run: JobRun, result: object, error: str | None) -> None:
        async with self.context.database.write() as conn:
            await job_runs.finish(conn, run, self.context.now(), result=result, error=error)

    async def _hold(self, run: JobRun) -> None:
        context = self.context

        async def renew() -> bool:
            async with context.database.write() as conn:
                return await job_runs.renew(conn, run, context.now() + context.lease)

        held: bool | None = True
        while held:
            await asyncio.sleep(context.lease.total_seconds() / 3)
            held = await wait_out(renew, self.stop, f"holding job {run.job}")


def _tell_end(job: str, seconds: float, result: object, error: str | None) -> None:
    """Log the end of a job. One that runs every minute is told when it did something or took its time."""
    JOBS.labels(job, "failed" if error else "done").observe(seconds)
    if error:
        log.error(
            "job %s failed after %.1f s: %s", job, seconds, error, extra=figures(job=job, seconds=seconds)
        )
        return
    counts = result.items() if isinstance(result, dict) else ()
    did = {name: value for name, value in counts if value and isinstance(value, int | str)}
    told = logging.INFO if did or seconds >= 1 else logging.DEBUG
    extra = figures(job=job, seconds=round(seconds, 3))
    log.log(told, "job %s finished in %.1f s: %s", job, seconds, did or "nothing to do", extra=extra)


def worker_name(host: str, process: int, salt: str) -> str:
    """A unique name for logs and leases: host, process and a salt."""
    return f"{host[:30]}:{process}:{salt}"[:64]
