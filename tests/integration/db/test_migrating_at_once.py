"""Two processes may migrate at once: one does it, the other waits."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.db import migrate
from afterdrop.db.schema_version import plain_engine, revisions, stored_state
from tests.integration.db.test_moving import own_database
from tests.support.commands import run_afterdrop

SECRET = "the-key-of-a-new-service"


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables."""
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "new.sqlite3")) as conn:
            conn.execute("VACUUM")
        yield f"sqlite+aiosqlite:///{tmp_path}/new.sqlite3"
        return
    with own_database(request.getfixturevalue("postgres_url"), f"t_new_{os.getpid()}") as url:
        yield url


def _psycopg(url: str) -> psycopg.Connection[Any]:
    plain = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(plain, autocommit=True)


@contextmanager
def _held(url: str) -> Iterator[sqlite3.Connection | psycopg.Connection[Any]]:
    """Hold what a migration waits for."""
    with ExitStack() as stack:
        if url.startswith("sqlite"):
            file = sqlite3.connect(url.partition("///")[2], isolation_level=None)
            stack.callback(file.close)
            file.execute("BEGIN IMMEDIATE")
            yield file
        else:
            server = _psycopg(url)
            stack.callback(server.close)
            server.execute("SELECT pg_advisory_lock(727001)")
            yield server


def _waiting(url: str, held: sqlite3.Connection | psycopg.Connection[Any]) -> int:
    """How many processes are about to migrate: they wait for the lock, or have the file open."""
    if isinstance(held, psycopg.Connection):
        asked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        return int(held.execute(asked).fetchone()[0])  # type: ignore[index]
    file = url.partition("///")[2]
    others = [path for path in Path("/proc").glob("[0-9]*") if path.name != str(os.getpid())]
    return sum(any(_is(fd, file) for fd in _descriptors(process)) for process in others)


def _descriptors(process: Path) -> list[Path]:
    try:
        return list((process / "fd").iterdir())
    except OSError:
        return []


def _is(descriptor: Path, file: str) -> bool:
    try:
        return str(descriptor.readlink()) == file
    except OSError:
        return False


@pytest.mark.long
async def test_two_that_start_at_once_migrate_once(empty_database: str, tmp_path: Path) -> None:
    """The second waits, however long the first takes, and finds the work done."""
    environment = {"AFTERDROP_DATABASE_URL": empty_database, "AFTERDROP_SECRET_KEYS": SECRET}
    with _held(empty_database) as held:
        starting = [asyncio.create_task(run_afterdrop(tmp_path, "migrate", **environment)) for _ in range(2)]
        async with asyncio.timeout(180):
            while _waiting(empty_database, held) < 2 and not any(task.done() for task in starting):
                await asyncio.sleep(0.2)
    ended = await asyncio.gather(*starting)
    assert [code for code, _ in ended] == [0, 0], ended
    assert stored_state(empty_database) == "current"
    migrate.differences(empty_database)
    with plain_engine(empty_database).connect() as conn:
        assert conn.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all() == [
            revisions()[-1]
        ]
