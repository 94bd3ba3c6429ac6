"""How many of the strongest links to a name are there today, and how many pages were looked at on a day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1111"
down_revision = "1110"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("domains", "reserved_views"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("live_links", sa.Integer(), nullable=True))
    op.create_table(
        "live_days",
        sa.Column("day", sa.BigInteger(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_live_days")),
    )
