"""A new SQLite file that several processes open at once serves all of them."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from afterdrop.db.engine import open_database

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
