"""What counts as an outage of the database, and how it is waited out."""

from __future__ import annotations

import asyncio
import sqlite3

import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.core.errors import UpstreamError
from afterdrop.db.outages import is_outage, outage_text
from afterdrop.queue.loop import wait_out


def wrong_statement() -> sqlite3.OperationalError:
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(":memory:").execute("SELECT * FROM nothing")
    return caught.value


def wrapped(
    kind: type[sa.exc.DBAPIError], error: Exception, *, invalidated: bool = False
) -> sa.exc.DBAPIError:
    return kind("SELECT 'secret'", {}, error, connection_invalidated=invalidated)


GONE = wrapped(sa.exc.OperationalError, psycopg.OperationalError("terminating connection\n  due to command"))


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (GONE, True),
        (wrapped(sa.exc.OperationalError, sqlite3.OperationalError("database is locked")), True),
        (wrapped(sa.exc.InterfaceError, psycopg.InterfaceError("the connection is closed")), True),
        (wrapped(sa.exc.DBAPIError, psycopg.Error("bye"), invalidated=True), True),
        (sa.exc.TimeoutError("QueuePool limit reached"), True),
        (wrapped(sa.exc.OperationalError, wrong_statement()), False),
        (wrapped(sa.exc.ProgrammingError, psycopg.ProgrammingError("no such column")), False),
        (wrapped(sa.exc.IntegrityError, sqlite3.IntegrityError("UNIQUE")), False),
        (UpstreamError("https://a.example/", "timeout", "no answer"), False),
        (TimeoutError(), False),
    ],
)
def test_an_outage_is_an_unavailable_database_but_not_a_wrong_statement(
    error: Exception, outage: bool
) -> None:
    assert is_outage(error) is outage


def test_the_text_of_an_outage_is_one_line_without_the_statement() -> None:
    assert outage_text(GONE) == "terminating connection due to command"
    assert outage_text(sa.exc.TimeoutError("limit")) == "TimeoutError"


async def test_only_an_outage_is_waited_out() -> None:
    faults: list[Exception] = [GONE, GONE, RuntimeError("a fault of ours")]

    async def attempt() -> str:
        if faults:
            raise faults.pop(0)
        return "done"

    with pytest.raises(RuntimeError, match="a fault of ours"):
        await wait_out(attempt, asyncio.Event(), "x", wait=0.001)
    assert await wait_out(attempt, asyncio.Event(), "x") == "done"
    faults.append(wrapped(sa.exc.OperationalError, wrong_statement()))
    with pytest.raises(sa.exc.OperationalError):
        await wait_out(attempt, asyncio.Event(), "x")


async def test_stop_ends_the_waiting_and_when_set_before_allows_one_attempt() -> None:
    stop, tried = asyncio.Event(), 0

    async def attempt() -> str:
        nonlocal tried
        tried += 1
        raise GONE

    waiting = asyncio.create_task(wait_out(attempt, stop, "x", wait=3600))
    await asyncio.sleep(0.01)
    assert (tried, waiting.done()) == (1, False)
    stop.set()
    assert await asyncio.wait_for(waiting, 180) is None
    assert await wait_out(attempt, stop, "x", wait=3600) is None
    assert tried == 2
