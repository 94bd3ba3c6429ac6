"""Which schema a database has, by its number and by its tables.

Most commands ask this first, so alembic is not loaded for it.

All compared parts mean the same on both databases: columns and whether they may be null, indexes by name, unique and
primary keys and references by their columns. Columns, indexes and tables that somebody added are left out, unless
rows could not be inserted with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from afterdrop.core.errors import DatabaseUnusable
from afterdrop.db.stored_text import json_text, keep_storable
from afterdrop.db.tables import metadata

_SQLITE: Final = (
    'SELECT m.name, c.name, c."notnull" OR c.pk, c.dflt_value IS NOT NULL FROM sqlite_master m, '
    "pragma_table_info(m.name) c WHERE m.type = 'table'",
    "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'",
    "SELECT m.name, (SELECT group_concat(c.name) FROM pragma_index_info(i.name) c) FROM sqlite_master m, "
    "pragma_index_list(m.name) i WHERE m.type = 'table' AND i.\"unique\" AND NOT i.partial UNION ALL "
    "SELECT m.name, group_concat(c.name) FROM sqlite_master m, pragma_table_info(m.name) c "
    "WHERE m.type = 'table' AND c.pk GROUP BY m.name",
    'SELECT m.name, group_concat(f."from"), f."table" FROM sqlite_master m, pragma_foreign_key_list(m.name) f '
    "WHERE m.type = 'table' GROUP BY m.name, f.id, f.\"table\"",
)
_COLUMNS_OF: Final = (
    "(SELECT string_agg(a.attname, ',') FROM pg_attribute a WHERE a.attrelid = {0} AND a.attnum = ANY({1}))"
)
_OURS: Final = "t.relnamespace = quote_ident(current_schema())::regnamespace"
_POSTGRESQL: Final = (
    f"SELECT t.relname, a.attname, a.attnotnull, a.atthasdef OR a.attidentity <> '' FROM pg_class t "
    f"JOIN pg_attribute a ON a.attrelid = t.oid WHERE {_OURS} AND t.relkind = 'r' AND a.attnum > 0 "
    f"AND NOT a.attisdropped",
    f"SELECT t.relname, i.relname FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid "
    f"JOIN pg_class i ON i.oid = x.indexrelid WHERE {_OURS} AND x.indisvalid",
    f"SELECT t.relname, {_COLUMNS_OF.format('t.oid', 'x.indkey')} FROM pg_index x "
    f"JOIN pg_class t ON t.oid = x.indrelid WHERE {_OURS} AND x.indisunique AND x.indisvalid AND x.indpred IS NULL",
    f"SELECT t.relname, {_COLUMNS_OF.format('t.oid', 'f.conkey')}, o.relname FROM pg_constraint f "
    f"JOIN pg_class t ON t.oid = f.conrelid JOIN pg_class o ON o.oid = f.confrelid WHERE {_OURS} AND f.contype = 'f'",
)
# A set of columns, in no order.
_Columns = frozenset[str]


@dataclass(frozen=True)
class _Tables:
    """Columns (may they be null, have they a default), names of indexes, unique keys and references, by table."""

    columns: dict[tuple[str, str], tuple[bool, bool]]
    indexes: set[tuple[str, str]]
    unique: set[tuple[str, _Columns]]
    references: set[tuple[str, _Columns, str]]


def schema_faults(connection: sa.Connection) -> list[str]:
    """The missing or different parts of the database, in words; empty where it has this version's tables."""
    wanted, found = _defined(), _real(connection)
    tables = {table for table, _ in found.columns}
    gone = sorted({table for table, _ in wanted.columns} - tables)
    faults = [f"table {table} is missing" for table in gone]
    faults += [text for table, text in _differences(wanted, found) if table not in gone]
    return faults


def _differences(wanted: _Tables, found: _Tables) -> Iterator[tuple[str, str]]:
    for (table, name), (null, _) in wanted.columns.items():
        real = found.columns.get((table, name))
        if real is None:
            yield table, f"column {table}.{name} is missing"
        elif real[0] != null:
            yield table, f"column {table}.{name} must {'' if null else 'not '}be nullable"
    ours = {table for table, _ in wanted.columns}
    for (table, name), (null, default) in found.columns.items():
        if table in ours and (table, name) not in wanted.columns and not (null or default):
            yield table, f"column {table}.{name} is not of this version and needs a value"
    for table, name in sorted(wanted.indexes - found.indexes):
        yield table, f"index {name} is missing"
    for table, columns in wanted.unique - found.unique:
        yield table, f"{table}: ({', '.join(sorted(columns))}) is not unique"
    for table, columns, other in wanted.references - found.references:
        yield table, f"{table}: ({', '.join(sorted(columns))}) does not refer to {other}"


@lru_cache(maxsize=1)
def _defined() -> _Tables:
    unique: set[tuple[str, _Columns]] = set()
    references: set[tuple[str, _Columns, str]] = set()
    for table in metadata.tables.values():
        for each in table.constraints:
            columns = frozenset(column.name for column in getattr(each, "columns", ()))
            if isinstance(each, sa.UniqueConstraint | sa.PrimaryKeyConstraint) and columns:
                unique.add((table.name, columns))
            elif isinstance(each, sa.ForeignKeyConstraint):
                references.add((table.name, columns, each.referred_table.name))
    return _Tables(
        {
            (c.table.name, c.name): (bool(c.nullable), False)
            for t in metadata.tables.values()
            for c in t.columns
        },
        {(table.name, str(index.name)) for table in metadata.tables.values() for index in table.indexes},
        unique,
        references,
    )


def _real(connection: sa.Connection) -> _Tables:
    columns, indexes, unique, references = (
        connection.exec_driver_sql(text).all()
        for text in (_SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL)
    )
    return _Tables(
        {(table, name): (not needed, bool(default)) for table, name, needed, default in columns},
        {(table, name) for table, name in indexes},
        {(table, _set(names)) for table, names in unique},
        {(table, _set(names), other) for table, names, other in references},
    )


def _set(names: object) -> _Columns:
    """The columns of a key; none for an index on an expression."""
    return frozenset(str(names or "").split(","))


# Of two processes that start at once one migrates, which takes a while in a large file; the other waits for it.
_BUSY_SECONDS: Final = 600
_MIGRATIONS: Final = Path(__file__).with_name("migrations") / "versions"
# Of a database: `newer` is one that a later version has migrated, `different` one with this version's number and other
# tables, `unreleased` one made before 1.0.0 was released, when schemas came and went without migrations between them.
SchemaState = Literal["current", "older", "newer", "different", "unreleased"]


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite URL; None for PostgreSQL."""
    return Path(url.partition("///")[2]) if url.startswith("sqlite") else None


def parsed(url: str) -> sa.URL:
    """A URL for SQLAlchemy. The rest after `sqlite:///` is a path to the letter: in it `?` begins no options."""
    if file := sqlite_file(url):
        return sa.URL.create(url.partition(":")[0], database=str(file))
    return sa.make_url(url)


def plain_engine(url: str) -> sa.Engine:
    """An engine for work on the database as a whole, without a pool. `url` as `engine.database_url` gives it."""
    patience = {"timeout": _BUSY_SECONDS} if url.startswith("sqlite") else {}
    address = parsed(url.replace("sqlite+aiosqlite", "sqlite"))
    engine = sa.create_engine(address, poolclass=NullPool, connect_args=patience, json_serializer=json_text)
    keep_storable(engine)
    if engine.dialect.name == "sqlite":
        # Foreign keys stay off while migrating: a batch rebuild of a table would cascade.
        sa.event.listen(engine, "connect", lambda dbapi, _: setattr(dbapi, "isolation_level", None))
        sa.event.listen(engine, "begin", lambda conn: conn.exec_driver_sql("BEGIN IMMEDIATE"))
    else:
        sa.event.listen(engine, "connect", _keep_to_one_schema, insert=True)
        # Before anything is asked, by SQLAlchemy, too: nobody can read what such a database answers.
        sa.event.listen(engine, "connect", _refuse_encoding, insert=True)
    return engine


def _refuse_encoding(dbapi: Any, _record: object) -> None:
    """Raise DatabaseUnusable where a PostgreSQL database cannot hold every character of a title or a name."""
    encoding, name = dbapi.info.parameter_status("server_encoding"), dbapi.info.dbname
    if encoding != "UTF8":
        raise DatabaseUnusable(
            f"database {name}",
            f"stores text as {encoding}, and Afterdrop needs UTF8: make another with "
            f"`createdb --encoding UTF8 --template template0 NAME`",
        )


def _keep_to_one_schema(dbapi: Any, _record: object) -> None:
    """Look for tables where they are made: another application's `alembic_version` may be on the search path, too."""
    with dbapi.cursor() as cursor:
        path, first = cursor.execute("SELECT current_setting('search_path'), current_schema()").fetchone()
        if first is None:
            raise DatabaseUnusable(
                f"database {dbapi.info.dbname}",
                f"has none of the schemas of its search_path ({path}): make one with `CREATE SCHEMA`",
            )
        cursor.execute("SELECT set_config('search_path', quote_ident(%s), false)", [first])
    dbapi.commit()


def revisions() -> list[str]:
    """This version's revisions, oldest first. The files' names begin with them, and they are counted up."""
    return sorted(path.name.partition("_")[0] for path in _MIGRATIONS.glob("[0-9]*.py"))


def stored_revision(connection: sa.Connection) -> str | None:
    """The revision that a database was migrated to; None for none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version: sa.ColumnClause[str] = sa.column("version_num")
    return connection.scalar(sa.select(version).select_from(sa.table("alembic_version")))


def schema_state(connection: sa.Connection) -> SchemaState:
    """Whether an open database has the schema of this version."""
    stored, known = stored_revision(connection), revisions()
    if stored == known[-1]:
        return "different" if schema_faults(connection) else "current"
    if stored is None or stored in known:
        return "older"
    return "unreleased" if stored < known[0] else "newer"


def stored_state(url: str) -> SchemaState | None:
    """Whether the database at `url` has the schema of this version; None where there is no file yet."""
    file = sqlite_file(url)
    if file and not file.exists():
        return None
    with plain_engine(url).connect() as connection:
        return schema_state(connection)
