"""Scopes of API keys, first answers to repeated requests, and the order in which events are read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.types import Id

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("scope", sa.String(length=12), nullable=False, server_default="full"))
    op.create_table(
        "answered_requests",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("request", sa.String(length=64), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_answered_requests_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "key_hash", name=op.f("pk_answered_requests")),
    )
    op.create_index("ix_answered_requests_began_at", "answered_requests", ["began_at"])
    op.add_column("events", sa.Column("position", sa.BigInteger(), nullable=True))
    op.drop_index("ix_events_account_id", table_name="events")
    op.create_index("ix_events_account_id", "events", ["account_id", "position"])


def downgrade() -> None:
    op.drop_index("ix_events_account_id", table_name="events")
    op.create_index("ix_events_account_id", "events", ["account_id"])
    op.drop_column("events", "position")
    op.drop_table("answered_requests")
    op.drop_column("api_keys", "scope")
