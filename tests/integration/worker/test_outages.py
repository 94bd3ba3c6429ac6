"""The database is unavailable for a moment: a worker waits, loses nothing and goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.db import engine
from afterdrop.db.outages import outage
from afterdrop.db.tables.queue import job_runs, workers
from afterdrop.queue.timetable import Job
from afterdrop.queue.worker import Worker
from afterdrop.watching.worker import matching_queue
from tests.support.database_outage import away, dismiss
from tests.support.world import World

SECOND = timedelta(seconds=1)
EVERY = (Job("tidy", SECOND, timedelta(), late=timedelta(hours=1)),)


@pytest.fixture
async def start() -> AsyncIterator[Callable[[Worker], asyncio.Task[None]]]:
    """Starts workers; one that a failed test left running is ended, so that no connection of it stays open."""
    tasks: list[asyncio.Task[None]] = []

    def started(worker: Worker) -> asyncio.Task[None]:
        tasks.append(asyncio.create_task(worker.run()))
        return tasks[-1]

    yield started
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_worker_waits_for_its_database_and_goes_on(
    world: World,
    database_url: str,
    start: Callable[[Worker], asyncio.Task[None]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(engine, "_PRAGMAS", (*engine._PRAGMAS, "busy_timeout=50"))
    done: list[str] = []

    async def tidy() -> None:
        done.append("x")

    account = await world.account()
    rule = await world.rule(account)
    context = replace(world.context, settings=world.settings.model_copy(update={"worker_lease_seconds": 1}))
    one = Worker(context, [matching_queue(context)], {"tidy": tidy}, EVERY, look_every=0.01)
    running = start(one)
    while not done:
        await asyncio.sleep(0.01)
    async with away(world.database, database_url):
        while outage.since is None or outage.attempts < 3:
            await asyncio.sleep(0.02)
            assert not running.done()
        world.now += SECOND
    before = len(done)
    await world.publish("acorn.com")
    async with asyncio.timeout(180):
        while not await world.matches() or len(done) == before or outage.since is not None:
            await asyncio.sleep(0.02)
    one.stop.set()
    await asyncio.wait_for(running, 180)
    assert await world.matches() == [(rule, "acorn.com", 1)]
    assert {row["error"] for row in await world.rows(job_runs)} == {None}
    [beat] = await world.rows(workers)
    assert beat["stopped_at"] is not None
    told = [said for said in caplog.messages if "the database" in said]
    assert ["answering again" in said for said in told] == [False, True], told


async def test_a_worker_without_a_database_can_be_stopped(
    world: World,
    database_url: str,
    start: Callable[[Worker], asyncio.Task[None]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(engine, "_PRAGMAS", (*engine._PRAGMAS, "busy_timeout=50"))
    context = replace(world.context, settings=world.settings.model_copy(update={"worker_lease_seconds": 1}))
    one = Worker(context, [matching_queue(context)], {}, (), look_every=0.01)
    running = start(one)
    while not await world.rows(workers):
        await asyncio.sleep(0.01)
    async with away(world.database, database_url):
        while "is not answering" not in caplog.text:
            await asyncio.sleep(0.02)
        one.stop.set()
        await asyncio.wait_for(running, 180)


async def test_a_connection_that_was_closed_while_idle_is_replaced(postgres_url: str) -> None:
    parsed, database = sa.make_url(postgres_url), engine.open_database(postgres_url, connections=14)

    async def ask() -> int:
        async with database.read() as conn:
            return int(await conn.scalar(sa.text("SELECT pg_backend_pid()")) or 0)

    first = await asyncio.gather(*(ask() for _ in range(4)))
    admin = parsed.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(admin, autocommit=True) as conn:
        dismiss(conn, str(parsed.database))
        while conn.execute("SELECT FROM pg_stat_activity WHERE datname = %s", [parsed.database]).fetchall():
            await asyncio.sleep(0.01)
    second = await asyncio.gather(*(ask() for _ in range(4)))
    await database.close()
    assert not set(first) & set(second)


async def test_an_outage_in_the_middle_of_a_row_is_no_attempt_of_its_own(world: World) -> None:
    """The database restarts while rows are worked on: they are claimed again at once, as if nothing had been tried."""
    account = await world.account()
    rule = await world.rule(account)
    await world.publish("acorn.com")
    queue, attempts = matching_queue(world.context), list[int]()

    async def work(row: Any) -> None:
        attempts.append(row["attempts"])
        if len(attempts) < 4:
            raise sa.exc.OperationalError("UPDATE", {}, psycopg.errors.AdminShutdown("it restarts"))
        await queue.work(row)

    await world.work(replace(queue, work=work))
    assert attempts == [1, 1, 1, 1]
    assert await world.matches() == [(rule, "acorn.com", 1)]
    outage.since = None
