"""A new SQLite file may be opened by several processes at once; rows come whole, in parts or one by one."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from afterdrop.db.engine import Database, open_database
from afterdrop.db.outages import remedy

_AT_ONCE, _FILES = 8, 80


async def _insert(url: str) -> None:
    database = open_database(url)
    async with database.write() as conn:
        await conn.exec_driver_sql("INSERT INTO seen VALUES (1)")
    await database.close()


async def test_all_who_open_a_new_file_at_once_write_to_it(tmp_path: Path) -> None:
    """A file that was restored or migrated, but never served, has SQLite's other journal."""
    for number in range(_FILES):
        path = tmp_path / f"{number}.sqlite3"
        with closing(sqlite3.connect(path)) as fresh:
            fresh.execute("CREATE TABLE seen (n INTEGER)")
        await asyncio.gather(*(_insert(f"sqlite+aiosqlite:///{path}") for _ in range(_AT_ONCE)))
        with closing(sqlite3.connect(path)) as written:
            assert written.execute("SELECT count(*) FROM seen").fetchone() == (_AT_ONCE,)
            assert written.execute("PRAGMA journal_mode").fetchone() == ("wal",)


_COUNT = (
    "WITH RECURSIVE seen(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seen LIMIT :most) SELECT n FROM seen"
)


@pytest.mark.parametrize("most", [0, 1, 999, 1000, 1001, 2500])
async def test_a_statement_gives_all_its_rows_however_they_are_taken(tmp_path: Path, most: int) -> None:
    database = open_database(f"sqlite+aiosqlite:///{tmp_path}/some.sqlite3")
    statement, wanted = sa.text(_COUNT).bindparams(most=most), list(range(1, most + 1))
    async with database.read() as conn:
        assert list(await conn.scalars(statement)) == wanted
        async with conn.stream_scalars(statement) as found:
            assert [number async for some in found.partitions(7) for number in some] == wanted
        async with conn.stream_scalars(statement) as found:
            assert [number async for number in found] == wanted
        async with conn.stream(statement) as left:
            assert (await left.fetchone() or (0,))[0] == min(most, 1)
        async with conn.stream(statement) as left:
            assert len(await left.fetchmany(3)) == min(most, 3)
            assert len(await left.fetchall()) == max(most - 3, 0)
    async with database.write() as conn:  # the statements that were left are ended, and hold nothing
        await conn.exec_driver_sql("CREATE TABLE other (n INTEGER)")
        await conn.execute(
            sa.text("INSERT INTO other VALUES (:n)"), [{"n": number} for number in [0, *wanted]]
        )
        assert (await conn.execute(sa.text("SELECT count(*) FROM other"))).scalar_one() == most + 1
        changed = await conn.execute(sa.text("UPDATE other SET n = 0 RETURNING n"))
        assert len(changed.all()) == most + 1
        assert (await conn.execute(sa.text("DELETE FROM other"))).rowcount == most + 1
    await database.close()


async def test_a_wrong_statement_is_told_and_the_connection_stays_usable(tmp_path: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{tmp_path}/some.sqlite3")
    async with database.read() as conn:
        with pytest.raises(sa.exc.OperationalError, match="no such table"):
            await conn.exec_driver_sql("SELECT * FROM nowhere")
        assert (await conn.execute(sa.text("SELECT 1"))).scalar_one() == 1
    await database.close()


@pytest.mark.parametrize("calls", [1, 3])
async def test_what_a_cancelled_task_wrote_locks_nobody_out(tmp_path: Path, calls: int) -> None:
    """Whoever asks why the task ended holds its cursors; the transaction ends all the same."""
    database = open_database(f"sqlite+aiosqlite:///{tmp_path / 'a.sqlite3'}")
    async with database.write() as conn:
        await conn.execute(sa.text("CREATE TABLE things (n INTEGER)"))
    begun = asyncio.Event()

    async def insert() -> None:
        async with database.write() as conn:
            begun.set()
            rows = [{"n": n} for n in range(200_000)]
            await conn.execute(sa.text("INSERT INTO things VALUES (:n)"), rows)

    task = asyncio.create_task(insert())
    await begun.wait()
    for _ in range(calls):
        await asyncio.sleep(0.005)
        task.cancel()
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await task
    async with asyncio.timeout(180), database.write() as conn:
        assert (await conn.execute(sa.text("SELECT count(*) FROM things"))).scalar() == 0
    assert cancelled.traceback
    await database.close()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            'connection to server at "10.0.0.9", port 5432 failed: Connection refused',
            "nothing listens at db.example:5433",
        ),
        ('FATAL:  password authentication failed for user "ann"', "PostgreSQL refuses the password of ann"),
        ('FATAL:  role "ann" does not exist', "createuser --pwprompt ann"),
        ('FATAL:  database "drops" does not exist', "createdb --owner ann drops"),
        ("permission denied for schema public", "ann may not create tables"),
        ("could not translate host name", "there is no host db.example"),
        ("something new", "cannot be used: something new"),
    ],
)
def test_what_the_database_says_becomes_a_remedy(said: str, told: str) -> None:
    url = sa.make_url("postgresql://ann:hidden@db.example:5433/drops")
    shown = remedy(url, sa.exc.OperationalError("SELECT", None, Exception(said)))
    assert told in shown and "hidden" not in shown


async def test_a_statement_of_a_cancelled_task_is_broken_off(database: Database) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    async def ask() -> None:
        async with database.read(single=True) as conn:
            await conn.execute(sa.text(numbers))

    task = asyncio.create_task(ask())
    await asyncio.sleep(0.2)
    task.cancel()
    # Closing a connection waits for its statement: a service that stops would wait, too.
    async with asyncio.timeout(180):
        with pytest.raises(asyncio.CancelledError):
            await task
        await database.close()


class _Waits(logging.Handler):
    """Tells when a writer has found the database busy a third time."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.seen, self.often = 0, asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.seen += "keeps the database busy" in record.getMessage()
        if self.seen == 3:
            self.often.set()


async def test_a_command_waits_while_another_process_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("afterdrop.db.engine._PRAGMAS", ("busy_timeout=1",))
    path, log, waits = tmp_path / "busy.sqlite3", logging.getLogger("afterdrop.database"), _Waits()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE seen (n INTEGER)")
        other.execute("PRAGMA journal_mode=WAL")
        database = open_database(f"sqlite+aiosqlite:///{path}")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sa.exc.OperationalError, match="locked"):
            async with database.write():
                pass
        database.wait_for_others()
        log.addHandler(waits)
        caplog.set_level(logging.INFO, log.name)
        monkeypatch.setattr(log, "disabled", False)
        try:
            writing = asyncio.create_task(_insert_into(database))
            async with asyncio.timeout(60):
                await waits.often.wait()
            assert not writing.done()
            other.execute("COMMIT")
            await writing
        finally:
            log.removeHandler(waits)
        assert other.execute("SELECT count(*) FROM seen").fetchone() == (1,)
        await database.close()


async def _insert_into(database: Database) -> None:
    async with database.write() as conn:
        await conn.exec_driver_sql("INSERT INTO seen VALUES (1)")
