"""Checks of people without an account, and mails about finished checks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.types import Json

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "visitor_checks",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("report", Json),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("claimed_by", sa.String(length=64)),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text()),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_visitor_checks")),
    )
    op.create_index("ix_visitor_checks_day", "visitor_checks", ["day", "network"])
    op.create_index("ix_visitor_checks_status", "visitor_checks", ["status", "created_at"])
    op.create_index("ix_visitor_checks_created_at", "visitor_checks", ["created_at"])
    op.add_column(
        "accounts", sa.Column("mail_checks", sa.Boolean(), server_default=sa.false(), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("accounts", "mail_checks")
    op.drop_table("visitor_checks")
