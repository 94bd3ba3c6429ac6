"""Which schema a database has. Most commands ask this first, so alembic is not loaded for it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

# Of two processes that start at once one migrates, which takes a while in a large file; the other waits for it.
_BUSY_SECONDS: Final = 600
_MIGRATIONS: Final = Path(__file__).with_name("migrations") / "versions"
# Of a database: `newer` is one that a later version has migrated.
SchemaState = Literal["current", "older", "newer"]


def plain_engine(url: str) -> sa.Engine:
    """An engine for work on the database as a whole, without a pool. `url` as `engine.database_url` gives it."""
    patience = {"timeout": _BUSY_SECONDS} if url.startswith("sqlite") else {}
    engine = sa.create_engine(
        url.replace("sqlite+aiosqlite", "sqlite"), poolclass=NullPool, connect_args=patience
    )
    if engine.dialect.name == "sqlite":
        # Foreign keys stay off while migrating: a batch rebuild of a table would cascade.
        sa.event.listen(engine, "connect", lambda dbapi, _: setattr(dbapi, "isolation_level", None))
        sa.event.listen(engine, "begin", lambda conn: conn.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def revisions() -> list[str]:
    """This version's revisions, oldest first. The files' names begin with them, and they are counted up."""
    return sorted(path.name.partition("_")[0] for path in _MIGRATIONS.glob("[0-9]*.py"))


def schema_state(connection: sa.Connection) -> SchemaState:
    """Whether an open database has the schema of this version."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return "older"
    version: sa.ColumnClause[str] = sa.column("version_num")
    stored = connection.scalar(sa.select(version).select_from(sa.table("alembic_version")))
    known = revisions()
    if stored == known[-1]:
        return "current"
    return "older" if stored is None or stored in known else "newer"


def stored_state(url: str) -> SchemaState | None:
    """Whether the database at `url` has the schema of this version; None where there is no file yet."""
    if url.startswith("sqlite") and not Path(url.partition("///")[2]).exists():
        return None
    with plain_engine(url).connect() as connection:
        return schema_state(connection)
