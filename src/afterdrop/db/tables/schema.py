"""The metadata that all tables share, and the columns of rows that workers claim."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.types import Instant

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def claim_columns() -> list[sa.Column[object]]:
    """The columns of a claimable row: when it is due, who holds it until when, how often it was claimed, its error."""
    return [
        sa.Column("due_at", Instant, nullable=True),
        sa.Column("claimed_by", sa.String(64), nullable=True),
        sa.Column("lease_until", Instant, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("error", sa.Text, nullable=True),
    ]
