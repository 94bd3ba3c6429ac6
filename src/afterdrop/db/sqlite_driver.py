"""SQLite connections whose statements take one trip to their thread each.

A connection runs in a thread of its own. aiosqlite goes there to make a cursor, to execute, to fetch and to close, and
each trip wakes two threads: that costs more than most of our statements do. So SQLAlchemy's dialect for aiosqlite gets
connections of our own, with the methods that it calls.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Final, ParamSpec, TypeVar, cast

# So many rows come with the answer to a statement; most have fewer.
_FIRST_ROWS: Final = 1000
# So many instructions of SQLite's machine, some milliseconds' worth, pass between two looks at the clock.

Given = ParamSpec("Given")
Result = TypeVar("Result")
Bound = TypeVar("Bound")
# What SQLite stores.
Value = str | int | float | bytes | None
Row = tuple[Value, ...]
Parameters = Sequence[Value] | Mapping[str, Value]


def connector(file: Path) -> Callable[[], Awaitable[SqliteConnection]]:
    """The opener of a connection to a file: the `async_creator` of an engine.

    It begins no transaction by itself: the engine's BEGIN decides, not the driver's guess.
    """
    opening = partial(sqlite3.connect, file, isolation_level=None, check_same_thread=False)

    async def connect() -> SqliteConnection:
        connection = SqliteConnection()
        await connection.open(opening)
        return connection

    return connect


class SqliteConnection:
    """A connection and the thread that alone uses it. A thread left open keeps no process alive."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Callable[[], object], _Told | None]] = SimpleQueue()
        # SQLAlchemy asks under this name whether it is open.
        self._connection: sqlite3.Connection | None = None
        self._stopped = False
        threading.Thread(target=self._run, name="sqlite", daemon=True).start()

    def _run(self) -> None:
        while True:
            call, told = self._calls.get()
            try:
                result, error = call(), None
            except BaseException as failure:  # noqa: BLE001  # it belongs to whoever asked
                result, error = None, failure
            if told is not None:
                told.settle(result, error)
            ended = call == self._end
            # The next call may be long in coming, and a cursor must not live till then.
            del call, told, result, error
            if ended:
                return

    async def open(self, opening: Callable[[], sqlite3.Connection]) -> None:
        """Open the file. Raises what sqlite3 raises."""
        try:
            self._connection = await self.in_thread(opening)
        except BaseException:
            self.stop()
            raise

    async def in_thread(
        self, function: Callable[Given, Result], *values: Given.args, **options: Given.kwargs
    ) -> Result:
        """Call a function in the connection's thread."""
        if self._stopped:
            # As aiosqlite has it: SQLAlchemy makes an OperationalError of it.
            raise ValueError("Connection closed")
        told = _Told(asyncio.get_running_loop())
        self._calls.put((partial(function, *values, **options), told))
        return cast(Result, await told.future)

    def stop(self) -> asyncio.Future[object] | None:
        """Roll back, close and end the thread, after what it has in hand.

        The future tells when; None if it was called before, or where no loop runs.
        """
        if self._stopped:
            return None
        self._stopped = True
        try:
            told = _Told(asyncio.get_running_loop())
        except RuntimeError:
            told = None
        self._calls.put((self._end, told))
        return None if told is None else told.future

    def _end(self) -> None:
        """Without the rollback a transaction would outlive its connection for as long as anything holds a cursor of it.

        It would lock the database all that time. A cancelled task does: its traceback leads to the cursor.
        """
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.rollback()
            connection.close()

    async def close(self) -> None:
        """Stop, and wait until it has stopped."""
        stopped = self.stop()
        if stopped is not None:
            await stopped

    async def commit(self) -> None:
        """End the transaction; what it wrote stays."""
        await self.in_thread(self.raw.commit)

    async def rollback(self) -> None:
        """End the transaction; a read of one statement has none, and needs no trip."""
        if self.raw.in_transaction:
            await self.in_thread(self.raw.rollback)

    async def create_function(
        self, name: str, arguments: int, function: Callable[..., Value], *, deterministic: bool = False
    ) -> None:
        """As `sqlite3.Connection.create_function`."""
        await self.in_thread(self.raw.create_function, name, arguments, function, deterministic=deterministic)

    @property
    def raw(self) -> sqlite3.Connection:
        """The connection of sqlite3. Raises ValueError when it is closed."""
        if self._connection is None:
            raise ValueError("Connection closed")
        return self._connection

    def cursor(self) -> _Cursor:
        """A cursor: SQLAlchemy enters it and awaits its methods."""
        return _Cursor(self)


class _Told:
    """Where a thread puts the result of a call for the task that waits for it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self.future = loop, loop.create_future()

    def settle(self, result: object, error: BaseException | None) -> None:
        """Called in the thread. A task that was cancelled, or whose loop is closed, waits no more."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._set, result, error)

    def _set(self, result: object, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


class _Cursor:
    """The part of a cursor that SQLAlchemy uses."""

    def __init__(self, connection: SqliteConnection) -> None:
        self._connection = connection
        self._cursor: sqlite3.Cursor | None = None
        self._rows: list[Row] = []
        self._more = False
        self.description: tuple[tuple[str, None, None, None, None, None, None], ...] | None = None
        self.rowcount, self.arraysize = -1, 1
        self.lastrowid: int | None = None

    async def __aenter__(self) -> _Cursor:
        return self

    async def execute(self, statement: str, parameters: Parameters = ()) -> None:
        """Execute a statement and fetch its first rows. If its task is cancelled, it is broken off."""
        try:
            await self._connection.in_thread(self._run, sqlite3.Cursor.execute, statement, parameters)
        except asyncio.CancelledError:
            with suppress(ValueError):
                self._connection.raw.interrupt()
            raise

    async def executemany(self, statement: str, parameters: Sequence[Parameters]) -> None:
        """Execute a statement with each of the parameters."""
        await self._connection.in_thread(self._run, sqlite3.Cursor.executemany, statement, parameters)

    def _run(
        self, way: Callable[[sqlite3.Cursor, str, Bound], object], statement: str, parameters: Bound
    ) -> None:
        """Runs in the connection's thread."""
        if self._cursor is None:
            self._cursor = self._connection.raw.cursor()
        cursor = self._cursor
        way(cursor, statement, parameters)
        self.description = cursor.description
        self._rows = cursor.fetchmany(_FIRST_ROWS) if cursor.description else []
        self._more = len(self._rows) == _FIRST_ROWS
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid

    async def fetchall(self) -> list[Row]:
        """All rows that are left."""
        rows, self._rows = self._rows, []
        if self._more and self._cursor is not None:
            rows += await self._connection.in_thread(self._cursor.fetchall)
            self._more = False
        return rows

    async def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next rows: `size` of them, or fewer at the end."""
        wanted = size or self.arraysize
        if len(self._rows) < wanted and self._more and self._cursor is not None:
            found = await self._connection.in_thread(self._cursor.fetchmany, wanted)
            self._rows += found
            self._more = len(found) == wanted
        rows, self._rows = self._rows[:wanted], self._rows[wanted:]
        return rows

    async def fetchone(self) -> Row | None:
        """The next row; None at the end."""
        return next(iter(await self.fetchmany(1)), None)

    async def close(self) -> None:
        """End the statement, if it has rows left."""
        self._rows = []
        if self._more and self._cursor is not None:
            self._more = False
            await self._connection.in_thread(self._cursor.close)
