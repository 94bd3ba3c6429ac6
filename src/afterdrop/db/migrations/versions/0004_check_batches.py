"""Checks that were ordered together."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.types import Id, Json

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "check_batches",
        sa.Column("id", sa.String(length=30), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("items", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_check_batches_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_check_batches")),
    )
    op.create_index("ix_check_batches_account_id", "check_batches", ["account_id", "created_at"])


def downgrade() -> None:
    op.drop_table("check_batches")
