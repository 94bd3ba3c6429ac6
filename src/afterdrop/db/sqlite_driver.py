"""SQLite connections whose statements take one trip to their thread each.

A connection runs in a thread of its own. aiosqlite goes there to make a cursor, to execute, to fetch and to close, and
each trip wakes two threads: that costs more than most of our statements do.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

import sqlalchemy as sa
from aiosqlite import Connection
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite

# So many rows come with the answer to a statement; most have fewer.
_FIRST_ROWS: Final = 1000


def connector(url: str) -> Callable[[], Awaitable[Connection]]:
    """What opens a connection to the file of a SQLAlchemy URL: the `async_creator` of an engine."""
    places, options = SQLiteDialect_aiosqlite().create_connect_args(sa.make_url(url))

    async def connect() -> Connection:
        connection = _Connection(partial(sqlite3.connect, *places, **options), iter_chunk_size=_FIRST_ROWS)
        connection._thread.daemon = True  # as SQLAlchemy has it, so that one left open keeps no process alive
        return await connection

    return connect


class _Connection(Connection):
    def stop(self) -> asyncio.Future[Any] | None:
        """Roll back, close and end the thread, after what it has in hand.

        The future tells when; None if it was called before.

        Without the rollback a transaction would outlive its connection for as long as anything holds a cursor of it,
        and lock the database all that time. A cancelled task does: its traceback leads to the cursor.
        """
        if not self._running:
            return None
        if self._connection is not None:
            self._tx.put_nowait((None, self._connection.rollback))
        return super().stop()

    async def close(self) -> None:
        """Stop, and wait until it has stopped."""
        stopped = self.stop()
        if stopped is not None:
            await stopped

    async def rollback(self) -> None:
        """End the transaction; a read of one statement has none, and needs no trip."""
        if self._conn.in_transaction:
            await super().rollback()

    async def in_thread(self, function: Callable[..., Any], *values: Any) -> Any:
        """Call a function in the connection's thread."""
        return await self._execute(function, *values)  # type: ignore[no-untyped-call]

    def cursor(self) -> _Cursor:  # type: ignore[override]  # SQLAlchemy enters it and awaits its methods
        return _Cursor(self)


class _Cursor:
    """The part of a cursor that SQLAlchemy uses."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._cursor: sqlite3.Cursor | None = None
        self._rows: list[Any] = []
        self._more = False
        self.description: Any = None
        self.rowcount, self.arraysize = -1, 1
        self.lastrowid: int | None = None

    async def __aenter__(self) -> _Cursor:
        return self

    async def execute(self, statement: str, parameters: Any = ()) -> None:
        """Execute a statement and fetch its first rows."""
        await self._connection.in_thread(self._run, sqlite3.Cursor.execute, statement, parameters)

    async def executemany(self, statement: str, parameters: Sequence[Any]) -> None:
        """Execute a statement with each of the parameters."""
        await self._connection.in_thread(self._run, sqlite3.Cursor.executemany, statement, parameters)

    def _run(self, way: Callable[..., Any], statement: str, parameters: Any) -> None:
        """Runs in the connection's thread."""
        if self._cursor is None:
            self._cursor = self._connection._conn.cursor()
        cursor = self._cursor
        way(cursor, statement, parameters)
        self.description = cursor.description
        self._rows = cursor.fetchmany(_FIRST_ROWS) if cursor.description else []
        self._more = len(self._rows) == _FIRST_ROWS
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid

    async def fetchall(self) -> list[Any]:
        """All rows that are left."""
        rows, self._rows = self._rows, []
        if self._more and self._cursor is not None:
            rows += await self._connection.in_thread(self._cursor.fetchall)
            self._more = False
        return rows

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        """The next rows: `size` of them, or fewer at the end."""
        wanted = size or self.arraysize
        if len(self._rows) < wanted and self._more and self._cursor is not None:
            found = await self._connection.in_thread(self._cursor.fetchmany, wanted)
            self._rows += found
            self._more = len(found) == wanted
        rows, self._rows = self._rows[:wanted], self._rows[wanted:]
        return rows

    async def fetchone(self) -> Any:
        """The next row; None at the end."""
        return next(iter(await self.fetchmany(1)), None)

    async def close(self) -> None:
        """End the statement, if it has rows left."""
        self._rows = []
        if self._more and self._cursor is not None:
            self._more = False
            await self._connection.in_thread(self._cursor.close)
