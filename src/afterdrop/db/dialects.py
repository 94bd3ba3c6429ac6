"""The different spellings of SQLite and PostgreSQL: upserts, version numbers, locks on names, an order of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from afterdrop.db.schema import MADE_DUE


async def upsert(
    conn: AsyncConnection,
    table: sa.Table,
    rows: Sequence[Mapping[str, object]],
    keys: Iterable[str],
    update: Iterable[str] | None = None,
) -> None:
    """Insert rows; where `keys` exist, set the columns in `update` (None: all others; empty: leave the row).

    Rows must share one set of keys. At most 1,000 rows a call, the limit of a write transaction.
    """
    if not rows:
        return
    index, columns = tuple(keys), tuple(rows[0])
    names = tuple(name for name in columns if name not in index) if update is None else tuple(update)
    if "due_at" in columns:
        conn.info[MADE_DUE] = True
    await _Upsert.of(conn.dialect, table, index, names, columns).execute(conn, rows)


# Among values of these types, equal ones are stored alike. (True equals 1, and 1.0 does.)
_EQUAL_ALIKE = frozenset({int, str, datetime, type(None)})


@dataclass(frozen=True)
class _Upsert:
    """A compiled upsert: its text, and its columns in the order of the parameters, with what prepares their values.

    Rows come in hundreds. SQLAlchemy prepares each value of each row, which costs more than storing it; here each
    different value of a column is prepared once.
    """

    text: str
    columns: tuple[tuple[str, Callable[[object], object] | None], ...]
    positional: bool

    @staticmethod
    @lru_cache(maxsize=256)
    def of(
        dialect: sa.Dialect,
        table: sa.Table,
        index: tuple[str, ...],
        names: tuple[str, ...],
        columns: tuple[str, ...],
    ) -> _Upsert:
        """The statement that inserts `columns` and, where `index` exists, sets `names`."""
        insert = (postgresql.insert if dialect.name == "postgresql" else sqlite.insert)(table)
        wanted: Any = insert.on_conflict_do_nothing(index_elements=index)
        if names:
            changed = {name: insert.excluded[name] for name in names}
            wanted = insert.on_conflict_do_update(index_elements=index, set_=changed)
        compiled = wanted.compile(dialect=dialect, column_keys=list(columns))
        types = {name: table.c[name].type.dialect_impl(dialect) for name in compiled.positiontup or columns}
        prepared = tuple((name, kind.bind_processor(dialect)) for name, kind in types.items())
        return _Upsert(str(compiled), prepared, compiled.positional)

    async def execute(self, conn: AsyncConnection, rows: Sequence[Mapping[str, object]]) -> None:
        """Store the rows."""
        values = [_prepared(prepare, [row[name] for row in rows]) for name, prepare in self.columns]
        bound = list(zip(*values, strict=True))
        if self.positional:
            await conn.exec_driver_sql(self.text, bound)
        else:
            names = [name for name, _ in self.columns]
            await conn.exec_driver_sql(self.text, [dict(zip(names, one, strict=True)) for one in bound])


def _prepared(prepare: Callable[[object], object] | None, values: list[object]) -> list[object]:
    if prepare is None:
        return values
    if _EQUAL_ALIKE.issuperset(map(type, values)):
        known = {value: prepare(value) for value in set(values)}
        return [known[value] for value in values]
    return list(map(prepare, values))


async def insert_once(
    conn: AsyncConnection, table: sa.Table, row: Mapping[str, object], keys: Iterable[str]
) -> bool:
    """Insert one row unless its `keys` exist; True when this call inserted it."""
    make = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    names = list(keys)
    statement = make(table).values(**row).on_conflict_do_nothing(index_elements=names)
    # RETURNING tells on both databases whether a row was inserted; on PostgreSQL an INSERT's rowcount does not.
    made = await conn.execute(statement.returning(table.c[names[0]]))
    return made.first() is not None


async def insert_each_once(
    conn: AsyncConnection,
    table: sa.Table,
    rows: Sequence[Mapping[str, object]],
    keys: Iterable[str],
    giving: Sequence[sa.SQLColumnExpression[object]],
) -> list[Sequence[Any]]:
    """Insert the rows whose `keys` do not exist; gives the columns `giving` of the inserted ones.

    Rows must share one set of keys. At most 1,000 rows a call.
    """
    if not rows:
        return []
    make = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    statement = make(table).on_conflict_do_nothing(index_elements=list(keys)).returning(*giving)
    made = await conn.execute(statement, [dict(row) for row in rows])
    return [tuple(row) for row in made]


async def bump_version(conn: AsyncConnection, name: str) -> None:
    """Raise the named version number (table versions), so that caches in every process notice a change."""
    versions = sa.table("versions", sa.column("name", sa.String), sa.column("value", sa.BigInteger))
    done = await conn.execute(
        sa.update(versions).where(versions.c.name == name).values(value=versions.c.value + 1)
    )
    if done.rowcount == 0:
        make = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
        made = make(versions).values(name=name, value=1)
        await conn.execute(
            made.on_conflict_do_update(index_elements=["name"], set_={"value": versions.c.value + 1})
        )


async def lock_names(conn: AsyncConnection, names: Iterable[str]) -> None:
    """Make other transactions that lock any of these names wait until this one ends.

    It works where no row exists that could be locked. SQLite has one writer at a time anyway.
    """
    if conn.dialect.name == "postgresql":
        for name in sorted(names):  # in one order everywhere, so that no two wait for each other
            await conn.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0))))


class ByCodePoint(FunctionElement[str]):
    """A text to be sorted by the code points of its characters, as Python and SQLite do.

    PostgreSQL sorts by the language that a database was made for: hyphens come last there, or do not count.
    """

    inherit_cache = True
    type = sa.Text()

    def __init__(self, text: sa.ColumnElement[str]) -> None:
        super().__init__(text)


@compiles(ByCodePoint, "sqlite")
def _by_code_point_sqlite(element: ByCodePoint, compiler: SQLCompiler, **more: object) -> str:
    return compiler.process(element.clauses, **more)


@compiles(ByCodePoint, "postgresql")
def _by_code_point_postgresql(element: ByCodePoint, compiler: SQLCompiler, **more: object) -> str:
    return f'({compiler.process(element.clauses, **more)} COLLATE "C")'
