"""A database that nobody gets at for a while."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import psycopg
import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.outages import outage


@asynccontextmanager
async def away(database: Database, url: str) -> AsyncIterator[None]:
    """Nobody gets at the database: PostgreSQL ends and refuses every connection, SQLite's write lock is taken."""
    outage.since = None  # whatever earlier tests left
    parsed = sa.make_url(url)
    if parsed.drivername.startswith("sqlite"):
        with closing(sqlite3.connect(str(parsed.database), isolation_level=None)) as other:
            # SQLite's lock is no queue: beside a worker that takes it again at once, one may never get it. So the
            # worker's own writers are held back until the lock is ours; then they find it taken.
            async with database._writing:
                other.execute("BEGIN IMMEDIATE")
            yield
        return
    admin = parsed.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(admin, autocommit=True) as conn:
        allow = f'ALTER DATABASE "{parsed.database}" ALLOW_CONNECTIONS '
        conn.execute((allow + "false").encode())
        try:
            dismiss(conn, str(parsed.database))
            yield
        finally:
            conn.execute((allow + "true").encode())


def dismiss(conn: psycopg.Connection[tuple[object, ...]], database: str) -> None:
    """End every connection to a database, as a restart of its server does."""
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    assert conn.execute(ended, [database]).fetchall()
