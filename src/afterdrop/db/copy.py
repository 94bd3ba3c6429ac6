"""Copy a whole database into an empty one, also from SQLite to PostgreSQL and back, and compare the counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from afterdrop.core.errors import AfterdropError
from afterdrop.db.migrate import upgrade
from afterdrop.db.schema_version import plain_engine, stored_state
from afterdrop.db.tables import metadata

_AT_ONCE: Final = 1000
# Called with a table's name and how many of its rows were copied.
Told = Callable[[str, int], None]


def copy_database(source: str, target: str, tell: Told = lambda table, rows: None) -> dict[str, int]:
    """Copy every row of `source` to `target`, whose schema is made; gives the rows by table.

    What is read is one snapshot. Nothing is written when the target has rows already, or when the counts differ in the
    end. Raises AfterdropError.
    """
    if stored_state(source) != "current":
        raise AfterdropError(
            "copy-database", "the source does not have this version's schema: run `afterdrop migrate` first"
        )
    upgrade(target)
    with plain_engine(source).connect() as reading, plain_engine(target).begin() as writing:
        if reading.dialect.name == "postgresql":
            reading.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        filled = [name for name, number in table_counts(writing).items() if number]
        if filled:
            raise AfterdropError("copy-database", f"the target is not empty: {', '.join(filled)}")
        for table in metadata.sorted_tables:
            tell(table.name, _copy_table(reading, writing, table))
        _go_on_counting(reading, writing)
        expected, found = table_counts(reading), table_counts(writing)
        if expected != found:
            wrong = [name for name, number in expected.items() if found[name] != number]
            raise AfterdropError("copy-database", f"the counts differ: {', '.join(wrong)}")
    return found


def table_counts(connection: sa.Connection) -> dict[str, int]:
    """The number of rows of each table."""
    return {
        str(table.name): int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
        for table in metadata.sorted_tables
    }


def _copy_table(reading: sa.Connection, writing: sa.Connection, table: sa.Table) -> int:
    count = 0
    for rows in _batches(reading, table):
        writing.execute(sa.insert(table), rows)
        count += len(rows)
    return count


def _batches(reading: sa.Connection, table: sa.Table) -> Iterator[list[Mapping[str, Any]]]:
    found = reading.execution_options(yield_per=_AT_ONCE).execute(sa.select(table))
    for rows in found.mappings().partitions():
        yield [{str(name): value for name, value in row.items()} for row in rows]


def _go_on_counting(reading: sa.Connection, writing: sa.Connection) -> None:
    """Let the target count on from the source's last ids, so that an id of a deleted row is never given again."""
    for table in metadata.sorted_tables:
        [*columns] = table.primary_key.columns
        if len(columns) != 1 or not isinstance(columns[0].type, sa.BigInteger):
            continue
        used = _last_id(reading, table.name, columns[0].name)
        if used and writing.dialect.name == "postgresql":
            sequence = sa.func.pg_get_serial_sequence(table.name, columns[0].name)
            writing.execute(sa.select(sa.func.setval(sequence, used)))
        elif used and table.dialect_options["sqlite"]["autoincrement"]:
            values = {"used": used, "name": table.name}
            writing.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": table.name})
            writing.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :used)"), values)


def _last_id(reading: sa.Connection, table: str, column: str) -> int:
    """The last id that was given in a table, also to a row that is deleted by now; 0 for none."""
    if reading.dialect.name == "postgresql":
        sequence = reading.scalar(sa.select(sa.func.pg_get_serial_sequence(table, column)))
        if sequence is None:
            return 0
        last, called = reading.exec_driver_sql(f"SELECT last_value, is_called FROM {sequence}").one()
        return int(last) if called else 0
    kept = reading.scalar(sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table})
    highest = reading.scalar(sa.select(sa.func.max(sa.column(column))).select_from(sa.table(table)))
    return max(int(kept or 0), int(highest or 0))


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a SQLite file while others write it, and check the copy. Raises AfterdropError when it is damaged."""
    with (
        closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new, pages=10_000)
        # One file, without a log beside it.
        new.execute("PRAGMA journal_mode=DELETE")
        [found] = new.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise AfterdropError(str(target), f"is damaged: {found}")
