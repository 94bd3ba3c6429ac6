"""A domain's eras in short beside its figures, and the columns of the lists as an account arranged them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.types import Json

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    life = sa.Column("life", sa.String(length=400), nullable=True)
    if op.get_bind().dialect.name == "sqlite":
        # SQLite would walk through the large report to a column behind it, so the table is built anew.
        with op.batch_alter_table("domains", recreate="always") as batch:
            batch.add_column(life, insert_after="archive_last_year")
    else:
        op.add_column("domains", life)
    op.add_column("accounts", sa.Column("list_columns", Json, nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("domains") as batch:
        batch.drop_column("life")
    with op.batch_alter_table("accounts") as batch:
        batch.drop_column("list_columns")
