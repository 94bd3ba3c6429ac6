"""Each due moment is run once by one of several workers; another takes over from a dead or stopped one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from afterdrop.core.errors import UpstreamError
from afterdrop.db.tables.queue import job_runs, workers
from afterdrop.db.tables.watching import to_match
from afterdrop.queue import job_runs as runs
from afterdrop.queue.loop import Queue
from afterdrop.queue.timetable import Job
from afterdrop.queue.worker import Task, Worker, worker_name
from tests.support.world import World

MINUTE = timedelta(minutes=1)
EVERY = (Job("tidy", MINUTE, timedelta(), late=timedelta(hours=1)),)


def member(world: World, name: str, task: Task, queues: Sequence[Queue] = ()) -> Worker:
    """A worker of that name whose only job is `task`."""
    return Worker(replace(world.context, worker=name), queues, {"tidy": task}, EVERY, look_every=0.01)


async def until(world: World, count: int) -> list[dict[str, Any]]:
    """The runs, once so many have finished."""
    for _ in range(1000):
        found = await world.rows(job_runs, job_runs.c.moment)
        if sum(row["finished_at"] is not None for row in found) >= count:
            return found
        await asyncio.sleep(0.01)
    raise AssertionError("the runs did not finish")


async def stopped(crew: Sequence[Worker], running: Sequence[asyncio.Task[None]]) -> None:
    """Stop all workers and wait."""
    for one in crew:
        one.stop.set()
    await asyncio.gather(*running)


async def test_three_workers_run_each_due_moment_once(world: World) -> None:
    done: list[str] = []

    async def tidy() -> dict[str, int]:
        done.append("x")
        await asyncio.sleep(0.02)
        return {"tidied": len(done)}

    crew = [member(world, f"w{number}", tidy) for number in range(3)]
    running = [asyncio.create_task(one.run()) for one in crew]
    for count in (1, 2, 3):
        found = await until(world, count)
        assert len(found) == count == len(done)
        world.now += MINUTE
    await asyncio.sleep(0.1)
    await stopped(crew, running)
    found = await world.rows(job_runs, job_runs.c.moment)
    assert len({row["moment"] for row in found}) == len(found) == len(done) == 4
    assert [row["result"] for row in found] == [{"tidied": number} for number in (1, 2, 3, 4)]
    beats = await world.rows(workers)
    assert [(row["id"], row["stopped_at"] is not None) for row in beats] == [
        (f"w{n}", True) for n in range(3)
    ]


async def test_a_failed_run_is_recorded_and_the_next_one_runs(world: World) -> None:
    faults: list[Exception] = [
        UpstreamError("registry.example", "status", "answered 503"),
        RuntimeError("oh"),
    ]

    async def tidy() -> str:
        if faults:
            raise faults.pop(0)
        return "well"

    one = member(world, "w", tidy)
    running = asyncio.create_task(one.run())
    for count in (1, 2, 3):
        await until(world, count)
        world.now += MINUTE
    await stopped([one], [running])
    found = (await world.rows(job_runs, job_runs.c.moment))[:3]
    assert [row["error"] for row in found] == [
        "registry.example: answered 503",
        "unexpected RuntimeError: oh",
        None,
    ]
    assert found[2]["result"] == "well"


async def test_only_a_dead_workers_run_is_taken_over(
    world: World,
) -> None:
    done: list[str] = []

    async def tidy() -> None:
        done.append("x")

    lease, moment = world.context.lease, world.now.replace(second=0)
    dead = runs.JobRun("tidy", moment, "dead")
    async with world.database.write() as conn:
        assert await runs.take(conn, dead, world.now, lease)
    one = member(world, "w", tidy)
    running = asyncio.create_task(one.run())
    await asyncio.sleep(0.2)
    assert done == []
    world.now += lease
    found = await until(world, 1)
    await stopped([one], [running])
    mine = next(row for row in found if row["moment"] == moment)
    assert (mine["claimed_by"], mine["attempts"], mine["error"]) == ("w", 2, None)
    async with world.database.write() as conn:
        late = await runs.finish(conn, dead, world.now, result="late")
    assert late is False, "who was thought dead changes nothing"


async def test_a_run_that_does_not_end_in_time_is_given_back_at_a_stop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = asyncio.Event()

    async def endless() -> None:
        started.set()
        await asyncio.sleep(3600)

    real_wait = asyncio.wait

    async def hasty(tasks: Any, *, timeout: float | None = None, **more: Any) -> Any:
        return await real_wait(tasks, timeout=0.05 if timeout == 8 else timeout, **more)

    monkeypatch.setattr("afterdrop.queue.worker.asyncio.wait", hasty)
    one = member(world, "w", endless)
    running = asyncio.create_task(one.run())
    await started.wait()
    await asyncio.wait_for(stopped([one], [running]), 180)
    [left] = await world.rows(job_runs)
    assert (left["finished_at"], left["lease_until"]) == (None, world.now)

    async def quick() -> str:
        return "done"

    next_one = member(world, "x", quick)
    running = asyncio.create_task(next_one.run())
    [taken] = await until(world, 1)
    await stopped([next_one], [running])
    assert (taken["claimed_by"], taken["attempts"], taken["result"]) == ("x", 2, "done")


async def test_a_failing_loop_stops_its_worker_gracefully(world: World) -> None:
    async def broken(*_: Any) -> list[dict[str, Any]]:
        raise RuntimeError("the database is gone")

    async def nothing(*_: Any) -> None:
        raise AssertionError("there is no row")

    queue = Queue("broken", to_match, broken, nothing, nothing, at_once=1, lease=MINUTE)

    async def tidy() -> None:
        return None

    one = member(world, "w", tidy, [queue])
    with pytest.raises(RuntimeError, match="the database is gone"):
        await one.run()
    assert one.stop.is_set()
    [beat] = await world.rows(workers)
    assert beat["stopped_at"] is not None


def test_worker_names_are_unique() -> None:
    assert worker_name("h" * 100, 12, "ab") == "h" * 30 + ":12:ab"
