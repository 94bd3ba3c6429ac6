"""Open the database: SQLite (one file, WAL) or PostgreSQL, with one kind of read and one of write transaction."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import select
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import orjson
import sqlalchemy as sa
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.util import await_only

from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.db.outages import outage
from afterdrop.db.schema import MADE_DUE
from afterdrop.db.schema_version import parsed, sqlite_file
from afterdrop.db.sqlite_driver import connector
from afterdrop.db.stored_text import json_text, keep_storable

log = logging.getLogger("afterdrop.database")

# NORMAL is safe under WAL: a power cut can lose the last commits but never corrupts.
_BUSY_SECONDS = 15
# A host that stands in an URL as it is. Folders of sockets, several hosts and IPv6 addresses do not.
_PLAIN_HOST = re.compile(r"[\w.-]+", re.ASCII)
# A server that is gone may refuse nothing: requests wait no longer than this before they get 503.
CONNECT_ARGS = {"connect_timeout": 10}
_PRAGMAS = (
    f"busy_timeout={_BUSY_SECONDS * 1000}",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "cache_size=-16000",
    # Deleted data (the text of a mail with a link that lets its reader in) is overwritten in the file. Debian's build
    # does so anyway.
    "secure_delete=ON",
)


@dataclass(frozen=True)
class Database:
    """An open database. `read()` sees one snapshot and writes nothing; `write()` commits on leaving, or rolls back."""

    engine: AsyncEngine
    # Called after each commit of this process that may have made rows due; see `db.changes`.
    tell_due: list[Callable[[], None]] = field(default_factory=list)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def sqlite(self) -> bool:
        """True on SQLite, where one writer at a time is the rule."""
        return self.engine.dialect.name == "sqlite"

    @asynccontextmanager
    async def read(self, *, single: bool = False) -> AsyncIterator[AsyncConnection]:
        """A read-only transaction; with `single` for one statement, which sees one snapshot without one."""
        async with self.engine.connect() as conn:
            yield await conn.execution_options(read_only=True, single=single)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A writing transaction: the caller is the edge that owns it. No network call belongs inside."""
        # The lock lets this process's writers wait for each other instead of polling in SQLite's busy handler.
        async with self._writing if self.sqlite else nullcontext(), self.engine.begin() as conn:
            conn.info.pop(MADE_DUE, None)
            yield conn
            made_due = conn.info.pop(MADE_DUE, False)
            if made_due and not self.sqlite:
                await conn.exec_driver_sql(f"NOTIFY {MADE_DUE}")
        outage.answered()
        if made_due:
            for tell in self.tell_due:
                tell()

    def wait_for_others(self) -> None:
        """Have writers of SQLite wait however long other processes write one transaction after the other.

        For commands with somebody to break them off. A request or a job has its end, after which it is answered 503 or
        made again.
        """
        self.engine.update_execution_options(patient=True)

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()


def database_url(settings: Settings) -> str:
    """The SQLAlchemy URL: the setting, or the embedded file in the data directory."""
    url = settings.database_url
    if not url:
        return f"sqlite+aiosqlite:///{(settings.data_dir / 'afterdrop.sqlite3').absolute()}"
    for plain in ("postgresql://", "postgres://"):
        if url.startswith(plain):
            return _of_libpq(url) or "postgresql+psycopg://" + url.removeprefix(plain)
    if url.startswith("sqlite:///"):
        return "sqlite+aiosqlite" + url.removeprefix("sqlite")
    if url.startswith(("sqlite+aiosqlite:", "postgresql+psycopg:")):
        return url
    raise SettingsError("database_url", "must start with postgresql:// or sqlite:///")


def _of_libpq(url: str) -> str | None:
    """A connection URI as libpq reads it: a socket's folder as host, several hosts. None for what it does not read.

    Source: PostgreSQL's documentation, 34.1.1.2 "Connection URIs". SQLAlchemy leaves hosts encoded.
    """
    try:
        query = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except ProgrammingError:
        return None
    host = port = None
    if _PLAIN_HOST.fullmatch(query.get("host", "localhost")):
        host, port = query.pop("host", None), query.pop("port", None)
    user, password, database = (query.pop(name, None) for name in ("user", "password", "dbname"))
    made = sa.URL.create(
        "postgresql+psycopg", user, password, host, int(port) if port else None, database, query
    )
    return made.render_as_string(hide_password=False)


def open_database(url: str, *, connections: int = 20) -> Database:
    """An engine for `url` (as `database_url` gives it); it connects when it is first used.

    `connections`: how many it has at most. Half of them are kept open once they were needed.
    """
    kept = max(connections // 2, 1)
    pool = {"pool_size": kept, "max_overflow": connections - kept}
    if file := sqlite_file(url):
        file.parent.mkdir(parents=True, exist_ok=True)
        # `read` and `write` end every transaction. The pool's own rollback would be one more trip to the driver's
        # thread with each of them, for nothing.
        engine = create_async_engine(
            parsed(url),
            **pool,
            pool_reset_on_return=None,
            async_creator=connector(file),
            json_serializer=json_text,
            json_deserializer=_from_json,
        )
        sa.event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        sa.event.listen(engine.sync_engine, "begin", _begin_sqlite)
    else:
        engine = create_async_engine(
            url,
            **pool,
            connect_args=CONNECT_ARGS,
            # What the statements are written for, whatever the database's or the role's own default is.
            isolation_level="READ COMMITTED",
            json_serializer=json_text,
            json_deserializer=_from_json,
        )
        sa.event.listen(engine.sync_engine, "begin", _begin_postgresql)
        sa.event.listen(engine.sync_engine, "checkout", _refuse_dead)
    sa.event.listen(engine.sync_engine, "after_cursor_execute", _note_due)
    keep_storable(engine.sync_engine)
    return Database(engine)


def _from_json(text: str) -> Any:
    """A stored JSON value. The fast reader refuses half a character pair, which version 1.0 stored in SQLite."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


def _prepare_sqlite(dbapi: Any, _record: object) -> None:
    cursor = dbapi.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    _enter_wal(cursor)
    cursor.close()


def _enter_wal(cursor: Any) -> None:
    """Switch the file to WAL, which it then keeps.

    Of several processes that open a new file at once, SQLite refuses all but one without asking the busy handler, as
    each holds the lock that the others wait for. So those try again.
    """
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            await_only(asyncio.sleep(0.02))
        else:
            return


def _begin_sqlite(conn: sa.Connection) -> None:
    options = conn.get_execution_options()
    if options.get("single"):
        return
    if options.get("read_only"):
        conn.exec_driver_sql("BEGIN")
        return
    while True:
        try:
            conn.exec_driver_sql("BEGIN IMMEDIATE")
        except sa.exc.OperationalError as error:
            busy = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
            if not (busy and options.get("patient")):
                raise
            log.info("another process keeps the database busy: waiting for it")
        else:
            return


def _begin_postgresql(conn: sa.Connection) -> None:
    options = conn.get_execution_options()
    if options.get("read_only") and not options.get("single"):
        conn.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _note_due(
    conn: sa.Connection, _cursor: object, _text: str, _values: object, context: Any, _many: bool
) -> None:
    """Note for the end of the transaction that it may have made rows due: it inserted some, or set their `due_at`."""
    written = context.compiled.statement if context.isinsert or context.isupdate else None
    if not isinstance(written, sa.Insert | sa.Update) or "due_at" not in written.table.c:
        return
    # Only a value that is set has the column's own name; those in conditions have a number behind it.
    if context.isinsert or context.compiled_parameters[0].get("due_at") is not None:
        conn.info[MADE_DUE] = True


def _refuse_dead(dbapi: Any, _record: object, _proxy: object) -> None:
    """Have a connection replaced when its server closed it while it was idle.

    The only data that an idle connection receives is the server's goodbye. A poll for it takes microseconds; the
    pool's own ping would be a round trip before every transaction.
    """
    connection, poller = dbapi.driver_connection, select.poll()
    if not connection.closed:
        poller.register(connection.fileno(), select.POLLIN)
    if connection.closed or poller.poll(0):
        raise sa.exc.DisconnectionError("the server closed an idle connection")
