"""The name that a feed's file gives its marketplace, beside the identifier, wherever a listing is kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_VIEWS = ("domains", "reserved_views")


def _title() -> sa.Column[str]:
    return sa.Column("source_title", sa.String(length=100), nullable=True)


def upgrade() -> None:
    op.add_column("listings", _title())
    for table in _VIEWS:
        if op.get_bind().dialect.name != "sqlite":
            op.add_column(table, _title())
            continue
        # SQLite would walk through the large report to a column behind it, so the table is built anew.
        with op.batch_alter_table(table, recreate="always") as batch:
            batch.add_column(_title(), insert_after="source")


def downgrade() -> None:
    for table in ("listings", *_VIEWS):
        with op.batch_alter_table(table) as batch:
            batch.drop_column("source_title")
