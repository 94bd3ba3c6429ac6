"""Learn that rows may have become due, from this process's commits and from those of others.

A commit counts when it sets `due_at` of a row that workers claim. `Database.write` tells the process itself. Others
hear of it from PostgreSQL, which delivers notifications at commit. A SQLite file has a number that every other
connection's commit changes (https://www.sqlite.org/pragma.html#pragma_data_version), whatever it wrote.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

import psycopg

from afterdrop.core.safe_text import one_line
from afterdrop.db.engine import CONNECT_ARGS, Database
from afterdrop.db.schema import MADE_DUE

log = logging.getLogger("afterdrop.database")

_LOOK_EVERY: Final = 0.2
_LISTEN_AGAIN: Final = 5.0
# A server that is gone without a word is noticed within a minute.
_KEEPALIVES: Final = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


class Changes(Protocol):
    """A way to learn of commits. `happened` is set by some of them; of the others `look` must be asked, if at all."""

    happened: asyncio.Event

    @property
    def look_every(self) -> float | None:
        """The seconds between two looks; None while nothing but `happened` needs to be waited for."""
        ...

    def look(self) -> bool:
        """Whether rows may have become due since the last look."""
        ...


@asynccontextmanager
async def open_changes(database: Database) -> AsyncIterator[Changes]:
    """Learn of commits while the block runs."""
    if database.sqlite:
        changes: _FileChanges | _ServerChanges = _FileChanges(Path(str(database.engine.url.database)))
    else:
        changes = _ServerChanges(database)
    database.tell_due.append(changes.happened.set)
    try:
        yield changes
    finally:
        database.tell_due.remove(changes.happened.set)
        await changes.close()


class _FileChanges:
    """The version of a SQLite file, read over a connection that is kept for it."""

    look_every: float | None = _LOOK_EVERY

    def __init__(self, file: Path) -> None:
        self.happened = asyncio.Event()
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._version: object = None

    def look(self) -> bool:
        """Whether the file was changed. One that cannot be read may have been.

        It takes microseconds and waits for no lock; a trip to a thread would cost many times as much.
        """
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(self._file, timeout=0, isolation_level=None)
            [version] = self._connection.execute("PRAGMA data_version")
        except sqlite3.Error:
            self._leave()
            return True
        before, self._version = self._version, version
        return bool(version != before)

    def _leave(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    async def close(self) -> None:
        """Close the connection."""
        self._leave()


class _ServerChanges:
    """PostgreSQL's notifications, on a connection of their own. While there is none, rows are looked for again."""

    def __init__(self, database: Database) -> None:
        self.happened = asyncio.Event()
        self.look_every: float | None = _LOOK_EVERY
        _, given = database.engine.dialect.create_connect_args(database.engine.url)
        self._given = {**given, **CONNECT_ARGS, **_KEEPALIVES}
        self._listening = asyncio.create_task(self._listen())

    def look(self) -> bool:
        """Without a connection nothing is known."""
        return True

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except (psycopg.Error, OSError) as error:
                told = one_line(error)
                log.info("the database's notifications are missed for now (%s)", told)
            await asyncio.sleep(_LISTEN_AGAIN)

    async def _listen_once(self) -> None:
        async with await psycopg.AsyncConnection.connect(**self._given, autocommit=True) as conn:
            await conn.execute(f"LISTEN {MADE_DUE}".encode())
            self.look_every = None
            try:
                # Of what was committed before nothing was heard.
                self.happened.set()
                async for _ in conn.notifies():
                    self.happened.set()
            finally:
                self.look_every = _LOOK_EVERY

    async def close(self) -> None:
        """Close the connection."""
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
