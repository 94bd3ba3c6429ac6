"""The base of all tables: their metadata, column types that mean the same on SQLite and PostgreSQL, claimable rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB


class Instant(sa.types.TypeDecorator[datetime]):
    """An aware UTC datetime in whole seconds, stored as seconds since 1970.

    An integer sorts and compares alike on both databases and cannot lose its zone.
    """

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:
        """Refuses a naive datetime (ValueError)."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a naive datetime cannot be stored: {value!r}")
        return int(value.timestamp())

    def process_result_value(self, value: int | None, dialect: sa.Dialect) -> datetime | None:
        """Gives UTC back."""
        return None if value is None else datetime.fromtimestamp(int(value), UTC)


# none_as_null: a Python None is SQL NULL, so that "not known" is one thing.
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
# Tables whose ids leave the service (in signed tokens, at receivers, in bookmarks) set sqlite_autoincrement. SQLite
# would reuse the id of a deleted row, and an old link would reach a new owner; PostgreSQL never reuses ids.
Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Domain = sa.String(253)


metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


# Noted in the `info` of a connection whose transaction may make claimable rows due, and the name of the channel on
# which PostgreSQL tells of its commit.
MADE_DUE: Final = "afterdrop_due"


def claim_columns() -> list[sa.Column[object]]:
    """The columns of a claimable row: when it is due, who holds it until when, how often it was claimed, its error."""
    return [
        sa.Column("due_at", Instant, nullable=True),
        sa.Column("claimed_by", sa.String(64), nullable=True),
        sa.Column("lease_until", Instant, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("error", sa.Text, nullable=True),
    ]
