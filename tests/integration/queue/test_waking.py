"""Workers sleep until something is due, and hear of it whoever wrote it.

The waker's own looks are put off for an hour here: what is claimed was told, or its time had come.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db import changes, leases
from afterdrop.db.changes import open_changes
from afterdrop.db.engine import Database, open_database
from afterdrop.db.leases import Claim
from afterdrop.db.tables.watching import to_match
from afterdrop.queue import waker
from afterdrop.queue.worker import Worker
from afterdrop.watching.worker import matching_queue
from tests.support.world import World

HOUR = 3600.0
LEASE = timedelta(minutes=1)


@pytest.fixture
def world(database: Database, settings: Settings) -> World:
    """A worker's context over an empty database, and its clock."""
    return World(database, settings)


@pytest.fixture
async def elsewhere(world: World, database_url: str) -> AsyncIterator[World]:
    """The same deployment as another process has it: with connections of its own."""
    database = open_database(database_url, connections=2)
    yield World(database, world.settings)
    await database.close()


@asynccontextmanager
async def working(world: World) -> AsyncIterator[None]:
    """A worker that matches runs meanwhile, and stops well."""
    one = Worker(world.context, [matching_queue(world.context)], {}, (), look_every=HOUR)
    running = asyncio.create_task(one.run())
    try:
        yield
    finally:
        one.stop.set()
        await asyncio.wait_for(running, 180)


async def until(reached: Callable[[], Awaitable[object]]) -> None:
    """Wait for what a condition asks."""
    async with asyncio.timeout(180):
        while not await reached():
            await asyncio.sleep(0.02)


async def matched(world: World, *names: str) -> None:
    """Wait until exactly these domains are matched."""

    async def all_of_them() -> bool:
        return [name for _, name, _ in await world.matches()] == sorted(names)

    await until(all_of_them)


@pytest.mark.parametrize("who", ["the same process", "another process"])
async def test_a_row_is_claimed_when_it_is_written(
    world: World, elsewhere: World, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    monkeypatch.setattr(waker, "_UNCLAIMED_AGAIN", HOUR)
    await world.rule(await world.account())
    writer = world if who == "the same process" else elsewhere
    async with working(world):
        for count in range(1, 5):
            await writer.publish(f"a{count}.com")
            await matched(world, *(f"a{number}.com" for number in range(1, count + 1)))


async def test_the_row_of_a_dead_worker_is_claimed_when_its_lease_is_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waker, "_UNCLAIMED_AGAIN", 0.05)
    await world.rule(await world.account())
    await world.publish("acorn.com")
    async with world.database.write() as conn:
        due = to_match.c.due_at <= world.now
        [_] = await leases.claim(conn, to_match, Claim("dead", world.now, LEASE, 1), due)
    async with working(world):
        await world.publish("birch.com")
        await matched(world, "birch.com")
        world.now += LEASE
        await matched(world, "acorn.com", "birch.com")


async def test_a_row_that_was_put_off_is_claimed_at_its_time(world: World) -> None:
    """The time of the next row is asked for, so that nobody has to tell when it has come."""
    await world.rule(await world.account())
    await world.publish("acorn.com")
    async with world.database.write() as conn:
        await conn.execute(sa.update(to_match).values(due_at=world.now + timedelta(seconds=1)))
    async with working(world):
        world.now += timedelta(seconds=1)
        await matched(world, "acorn.com")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_rows_are_claimed_while_nobody_listens_and_somebody_listens_again(
    world: World, elsewhere: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waker, "_UNCLAIMED_AGAIN", HOUR)
    monkeypatch.setattr(changes, "_LISTEN_AGAIN", HOUR)
    await world.rule(await world.account())
    listening = sa.text("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")

    async def listeners() -> list[int]:
        async with elsewhere.database.read() as conn:
            return list(await conn.scalars(listening))

    async def end_them() -> None:
        async with elsewhere.database.write() as conn:
            await conn.execute(sa.text(f"SELECT pg_terminate_backend(pid) FROM ({listening}) AS l"))

    async def nobody() -> bool:
        return not await listeners()

    async with working(world):
        await until(listeners)
        await end_them()
        await until(nobody)
        for count in range(1, 4):
            await elsewhere.publish(f"a{count}.com")
            await matched(world, *(f"a{number}.com" for number in range(1, count + 1)))
    monkeypatch.setattr(changes, "_LISTEN_AGAIN", 0.05)
    async with working(world):
        await until(listeners)
        await end_them()
        await until(nobody)
        await until(listeners)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_server_that_refuses_listeners_is_looked_at(
    world: World, elsewhere: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_args: object, **_options: object) -> None:
        raise psycopg.OperationalError("too many clients already")

    monkeypatch.setattr(psycopg.AsyncConnection, "connect", refused)
    async with open_changes(Database(world.database.engine)) as unheard:
        assert unheard.look_every is not None
        assert unheard.look()


async def test_only_what_may_make_rows_due_is_told(world: World) -> None:
    told, database, now = list[str](), world.database, world.now
    database.tell_due.append(lambda: told.append("due"))
    due = to_match.c.due_at <= now
    await world.publish("acorn.com")
    assert len(told) == 1
    async with database.write() as conn:
        [row] = await leases.claim(conn, to_match, Claim("w", now, LEASE, 1), due)
    await world.account()
    async with database.write() as conn:
        assert await leases.give_back(conn, to_match, row)
    assert len(told) == 1
    async with database.write() as conn:
        [row] = await leases.claim(conn, to_match, Claim("w", now, LEASE, 1), due)
        assert await leases.settle(conn, to_match, row, due_at=now + LEASE)
    assert len(told) == 2
    with pytest.raises(ZeroDivisionError):
        async with database.write() as conn:
            await conn.execute(sa.update(to_match).values(due_at=now))
            raise ZeroDivisionError
    await world.account()
    assert len(told) == 2


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_file_is_changed_by_others_once_a_commit(world: World) -> None:
    async with open_changes(world.database) as file:
        file.look()
        assert not file.look()
        await world.account()
        assert file.look()
        assert not file.look()


async def test_a_file_that_cannot_be_read_may_have_changed(tmp_path: Path) -> None:
    async with open_changes(open_database(f"sqlite+aiosqlite:///{tmp_path}")) as folder:
        assert folder.look()
        assert folder.look()
