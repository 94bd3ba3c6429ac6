"""Whatever fails for a while, outside or below, costs time and nothing else.

A disk that is full, and a clock that jumps: afterwards the deployment is where it would have been.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.core.plan_limits import Plans
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.outages import outage
from afterdrop.db.tables.watching import watches
from afterdrop.queue.timetable import Job
from afterdrop.queue.worker import Worker
from afterdrop.watching.worker import matching_queue
from tests.support import ON_SQLITE
from tests.support.service import Service, row
from tests.support.world import World


@contextmanager
def _full(database: Database) -> Iterator[None]:
    """SQLite gets no more pages, as on a full disk."""

    def no_more(connection: Any, *_: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA max_page_count=1")  # never less than there are
        cursor.close()

    engine = database.engine.sync_engine
    sa.event.listen(engine, "connect", no_more)
    try:
        yield
    finally:
        sa.event.remove(engine, "connect", no_more)


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """A member may ask as often as these tests do."""
    plans = Plans()
    return {
        "plans": plans.model_copy(update={"pro": plans.pro.model_copy(update={"requests_per_minute": 9999})})
    }


@pytest.mark.long
@ON_SQLITE
async def test_with_a_full_disk_it_serves_on_and_writes_once_there_is_room(service: Service) -> None:
    names = [f"name-{'x' * 40}-{number}.com" for number in range(300)]
    await service.show(*[row(name) for name in names])
    with _full(service.database):
        await service.database.close()  # the next connections find the disk full
        answers = [await service.ask("PUT", f"/watchlist/{name}") for name in names]
        refused = [answer for answer in answers if answer.status_code != 200]
        assert {answer.status_code for answer in refused} == {503}
        assert all("retry-after" in answer.headers for answer in refused)
        assert len(await service.names("/domains?per_page=50")) == 50
        assert (await service.get("/me")).status_code == 200
    await service.database.close()
    assert (await service.ask("PUT", f"/watchlist/{names[-1]}")).status_code == 200
    async with service.database.read() as conn:
        kept = set(await conn.scalars(sa.select(watches.c.domain)))
    stored = {name for name, answer in zip(names, answers, strict=True) if answer.status_code == 200}
    assert kept == stored | {names[-1]}  # what was confirmed is there, and nothing else
    outage.since = None


@pytest.mark.long
@pytest.mark.parametrize("jump", [timedelta(hours=30), timedelta(minutes=-90)], ids=["ahead", "back"])
async def test_a_clock_that_jumps_loses_and_repeats_nothing(
    database: Database, settings: Settings, jump: timedelta
) -> None:
    """Rows in hand keep their worker or are taken over; jobs run again once the clock has passed where it was."""
    world = World(database, settings)
    account = await world.account()
    rule = await world.rule(account)
    ran: list[Any] = []

    async def tidy() -> None:
        ran.append(world.now)

    every = (Job("tidy", timedelta(minutes=1), timedelta(), late=timedelta(hours=1)),)
    context = replace(world.context, settings=world.settings)
    one = Worker(context, [matching_queue(context)], {"tidy": tidy}, every, look_every=0.01)
    running = asyncio.create_task(one.run())
    names = []
    try:
        async with asyncio.timeout(600):
            for number in range(9):
                names.append(f"name{number:02}.com")
                await world.publish(names[-1])
                world.now += jump if number == 3 else -jump if number == 6 else timedelta(seconds=20)
                # What was written while the clock was ahead waits until it is that time.
                while number < 3 and len(await world.matches()) < number + 1:
                    await asyncio.sleep(0.01)
            before = len(ran)
            world.now += abs(jump)
            while len(await world.matches()) < len(names) or len(ran) == before:
                await asyncio.sleep(0.01)
    finally:
        one.stop.set()
        await asyncio.wait_for(running, 180)
    assert await world.matches() == [(rule, name, 1) for name in names]
    assert await world.left() == []
