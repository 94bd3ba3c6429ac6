"""Visits of names that were registered anew: what stands there, and what a person says of our verdict."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.schema import Id, Json

revision = "1112"
down_revision = "1111"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "visits",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("registrar", sa.Text(), nullable=True),
        sa.Column("registered_at", sa.BigInteger(), nullable=True),
        sa.Column("dropped_at", sa.BigInteger(), nullable=True),
        sa.Column("ours", sa.String(length=32), nullable=True),
        sa.Column("visited_at", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(length=12), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("category", sa.String(length=24), nullable=True),
        sa.Column("quotes", Json, nullable=True),
        sa.Column("price", sa.String(length=60), nullable=True),
        sa.Column("leads_to", sa.String(length=253), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("evidence", sa.String(length=64), nullable=True),
        sa.Column("label", sa.String(length=8), nullable=True),
        sa.Column("labelled_at", sa.BigInteger(), nullable=True),
        sa.Column("after_account", Id, nullable=False, server_default="0"),
        sa.Column("told_at", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("domain", "began_at", "day", name=op.f("pk_visits")),
    )
    for index, columns in (
        ("ix_visits_due_at", ["due_at"]),
        ("ix_visits_visited_at", ["visited_at"]),
        ("ix_visits_told_at", ["told_at", "visited_at"]),
    ):
        op.create_index(index, "visits", columns)
