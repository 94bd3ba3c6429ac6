"""Isolation is the program's own choice, and a transaction that PostgreSQL breaks off for another one is repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.conflicts import is_conflict, repeated
from afterdrop.db.engine import Database, open_database
from afterdrop.db.outages import is_outage
from afterdrop.queue.loop import wait_out
from afterdrop.web.problems import as_problem

CONFLICTS = ["40001", "40P01"]


@pytest.fixture
async def serializable(postgres_url: str) -> AsyncIterator[Database]:
    """A database whose owner made `serializable` its default."""
    parsed = sa.make_url(postgres_url)
    admin = parsed.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    alter = f'ALTER DATABASE "{parsed.database}" '
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute((alter + "SET default_transaction_isolation = 'serializable'").encode())
        database = open_database(postgres_url)
        yield database
        await database.close()
        conn.execute((alter + "RESET default_transaction_isolation").encode())


async def isolation(conn: AsyncConnection) -> Any:
    return await conn.scalar(sa.text("SHOW transaction_isolation"))


async def broken_off(conn: AsyncConnection, code: str) -> None:
    """What PostgreSQL answers when it breaks the transaction off."""
    await conn.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'broken off' USING ERRCODE = '{code}'; END $$")


async def test_the_isolation_does_not_depend_on_the_databases_default(serializable: Database) -> None:
    for _ in range(2):  # a connection that is used again, too
        async with serializable.write() as conn:
            assert await isolation(conn) == "read committed"
        async with serializable.read() as conn:
            assert await isolation(conn) == "repeatable read"
        async with serializable.read(single=True) as conn:
            assert await isolation(conn) == "read committed"


async def test_writers_that_would_be_in_conflict_all_get_through(serializable: Database) -> None:
    count = sa.text("SELECT count(*) FROM versions")
    async with serializable.write() as conn:
        await conn.execute(sa.text("INSERT INTO versions VALUES ('of a test', 0)"))
    both = asyncio.Barrier(2)

    async def write() -> None:
        async with serializable.write() as conn:
            await conn.scalar(count)
            await both.wait()
            await conn.execute(sa.text("UPDATE versions SET value = value + 1 WHERE name = 'of a test'"))

    await asyncio.gather(write(), write())
    async with serializable.read() as conn:
        assert await conn.scalar(sa.text("SELECT value FROM versions WHERE name = 'of a test'")) == 2


@pytest.mark.parametrize("code", CONFLICTS)
async def test_a_conflict_is_repeated_and_no_outage(postgres_url: str, code: str) -> None:
    database, made = open_database(postgres_url), 0

    async def write() -> int:
        nonlocal made
        made += 1
        async with database.write() as conn:
            if made < 4:
                await broken_off(conn, code)
            return made

    assert await repeated(write) == 4
    made = 0
    assert await wait_out(write, asyncio.Event(), "a test") == 4
    await database.close()


@pytest.mark.parametrize("code", CONFLICTS)
async def test_conflicts_without_end_are_raised_and_said_to_be_no_outage(
    postgres_url: str, code: str
) -> None:
    database, made = open_database(postgres_url), 0

    async def write() -> None:
        nonlocal made
        made += 1
        async with database.write() as conn:
            await broken_off(conn, code)

    with pytest.raises(sa.exc.DBAPIError) as raised:
        await repeated(write)
    assert made == 5
    assert is_conflict(raised.value) and not is_outage(raised.value)
    problem = as_problem(raised.value)
    assert (problem.status, problem.headers) == (503, {"Retry-After": "5"})
    assert "Others change the same data" in problem.message
    await database.close()


async def test_other_faults_are_raised_at_once(postgres_url: str) -> None:
    database, made = open_database(postgres_url), 0

    async def write() -> None:
        nonlocal made
        made += 1
        async with database.write() as conn:
            await broken_off(conn, "23505")

    with pytest.raises(sa.exc.DBAPIError) as raised:
        await repeated(write)
    assert made == 1 and not is_conflict(raised.value)
    await database.close()


async def test_two_that_wait_for_each_other_both_finish(postgres_url: str) -> None:
    database, both = open_database(postgres_url), asyncio.Barrier(2)
    rows = ("first of two", "second of two")
    async with database.write() as conn:
        await conn.execute(sa.text("DELETE FROM versions WHERE name LIKE '% of two'"))
        for name in rows:
            await conn.execute(sa.text("INSERT INTO versions VALUES (:name, 0)"), {"name": name})
    add = sa.text("UPDATE versions SET value = value + 1 WHERE name = :name")

    def change(names: tuple[str, ...]) -> Any:
        met = False

        async def write() -> None:
            nonlocal met
            async with database.write() as conn:
                await conn.execute(add, {"name": names[0]})
                if not met:
                    met = True
                    await both.wait()
                await conn.execute(add, {"name": names[1]})

        return write

    await asyncio.gather(repeated(change(rows)), repeated(change(rows[::-1])))
    async with database.read() as conn:
        found = await conn.scalars(sa.text("SELECT value FROM versions WHERE name LIKE '% of two'"))
        assert list(found) == [2, 2]
    await database.close()
