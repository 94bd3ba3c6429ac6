"""Whether a database has the newest schema. Most commands ask this first, so alembic is not loaded for it."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

_MIGRATIONS = Path(__file__).with_name("migrations") / "versions"


def sync_engine(url: str) -> sa.Engine:
    """An engine for `url` (as `engine.database_url` gives it) that needs no event loop."""
    engine = sa.create_engine(url.replace("sqlite+aiosqlite", "sqlite"), poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        # Foreign keys stay off while migrating: a batch rebuild of a table would cascade.
        sa.event.listen(engine, "connect", lambda dbapi, _: setattr(dbapi, "isolation_level", None))
        sa.event.listen(engine, "begin", lambda conn: conn.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def newest_revision() -> str:
    """The revision of the last migration. The files' names begin with their revisions, which are counted up."""
    return max(path.name.partition("_")[0] for path in _MIGRATIONS.glob("[0-9]*.py"))


def is_current(url: str) -> bool:
    """True when no migration is missing; False too for an empty database."""
    if url.startswith("sqlite") and not Path(url.partition("///")[2]).exists():
        return False
    with sync_engine(url).connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return False
        version_num: sa.ColumnClause[str] = sa.column("version_num")
        applied = connection.scalar(sa.select(version_num).select_from(sa.table("alembic_version")))
    return bool(applied == newest_revision())
