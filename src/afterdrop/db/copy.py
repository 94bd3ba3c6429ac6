"""Copy a whole database into an empty one, also from SQLite to PostgreSQL and back, and compare the counts."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from afterdrop.core.errors import AfterdropError
from afterdrop.db import postgres_tools
from afterdrop.db.migrate import upgrade, upgrade_open
from afterdrop.db.outages import outage_text
from afterdrop.db.schema_version import plain_engine, sqlite_file, stored_state
from afterdrop.db.tables import metadata

_AT_ONCE: Final = 1000
# Called with a table's name and how many of its rows were copied.
Told = Callable[[str, int], None]


def copy_database(source: str, target: str, tell: Told = lambda table, rows: None) -> dict[str, int]:
    """Copy every row of `source` to `target`, which is made if it is not there; gives the rows by table.

    The rows read are one snapshot. The target appears as a whole or not at all: a file is renamed into place, and on
    PostgreSQL tables and rows are one transaction. Raises AfterdropError when the target is in use, when the counts
    differ in the end, and when either database fails.
    """
    if stored_state(source) != "current":
        raise AfterdropError(
            "copy-database", "the source does not have this version's schema: run `afterdrop migrate` first"
        )
    with ExitStack() as stack:
        try:
            if file := sqlite_file(target):
                return _into_file(source, file, tell, stack)
            stack.enter_context(postgres_tools.made_if_missing(target))
            with plain_engine(target).begin() as writing:
                upgrade_open(writing)
                return _copy(source, writing, tell)
        except sa.exc.SQLAlchemyError as error:
            raise AfterdropError("copy-database", f"nothing was copied: {outage_text(error)}") from error


def _into_file(source: str, file: Path, tell: Told, stack: ExitStack) -> dict[str, int]:
    if file.exists():
        raise AfterdropError(str(file), "already exists; move it away first")
    draft = stack.enter_context(staging(file.parent)) / file.name
    url = f"sqlite+aiosqlite:///{draft}"
    upgrade(url)
    with plain_engine(url).begin() as writing:
        found = _copy(source, writing, tell)
    put_in_place(draft, file)
    return found


def _copy(source: str, writing: sa.Connection, tell: Told) -> dict[str, int]:
    with plain_engine(source).connect() as reading:
        if reading.dialect.name == "postgresql":
            reading.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        filled = [name for name, number in table_counts(writing).items() if number]
        if filled:
            raise AfterdropError("copy-database", f"the target is not empty: {', '.join(filled)}")
        for table in metadata.sorted_tables:
            count = 0
            for rows in _batches(reading, table):
                writing.execute(sa.insert(table), rows)
                count += len(rows)
            tell(table.name, count)
        _go_on_counting(reading, writing)
        expected, found = table_counts(reading), table_counts(writing)
    if expected != found:
        wrong = [name for name, number in expected.items() if found[name] != number]
        raise AfterdropError("copy-database", f"the counts differ, nothing was copied: {', '.join(wrong)}")
    return found


def table_counts(connection: sa.Connection) -> dict[str, int]:
    """The number of rows of each table of this service that is there."""
    there = set(sa.inspect(connection).get_table_names())
    return {
        str(table.name): int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
        for table in metadata.sorted_tables
        if table.name in there
    }


def _batches(reading: sa.Connection, table: sa.Table) -> Iterator[list[Mapping[str, object]]]:
    result = reading.execution_options(yield_per=_AT_ONCE).execute(sa.select(table))
    for rows in result.mappings().partitions():
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
    """Copy a SQLite file while others write it, and check the copy. Raises AfterdropError when that fails."""
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            # One snapshot: without an open transaction the copy would begin again after each write of others.
            old.execute("BEGIN")
            old.execute("SELECT count(*) FROM sqlite_master").fetchone()
            old.backup(new, pages=10_000, sleep=0)
            # One file, without a log beside it.
            new.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        raise AfterdropError(str(source), f"could not be copied: {error}") from error
    check_sqlite(target)


def check_sqlite(file: Path) -> None:
    """Read a SQLite file through. Raises AfterdropError when it is damaged."""
    try:
        with closing(sqlite3.connect(file)) as opened:
            [found] = opened.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.Error as error:
        found = str(error)
    if found != "ok":
        raise AfterdropError(file.name, f"is damaged: {found}")


_PREFIX: Final = ".afterdrop-"
_LOCK: Final = "lock"


@contextmanager
def staging(beside: Path) -> Iterator[Path]:
    """A private folder in `beside`, on the same disk, so that what is finished in it can be renamed into place.

    Folders that killed processes left there are removed first: nobody holds their lock any longer.
    """
    beside.mkdir(parents=True, exist_ok=True)
    _sweep(beside)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, suffix=".part", dir=beside))
    try:
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(beside: Path) -> None:
    for folder in beside.glob(f"{_PREFIX}*.part"):
        with suppress(OSError):
            if not (folder / _LOCK).exists():
                folder.rmdir()
                continue
            with (folder / _LOCK).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


def put_in_place(file: Path, target: Path) -> None:
    """Give a finished file its name, once it is safe on the disk. Raises FileExistsError; nothing is replaced."""
    with file.open("rb") as written:
        os.fsync(written.fileno())
    try:
        os.link(file, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError(17, "already exists", str(target)) from None
        file.rename(target)
    directory = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
