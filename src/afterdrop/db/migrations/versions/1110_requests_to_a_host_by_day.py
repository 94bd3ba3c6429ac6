"""How many requests a host was asked on a day, which is shown against what it allows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1110"
down_revision = "1109"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("host_pace", schema=None) as batch_op:
        batch_op.add_column(sa.Column("day", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("taken", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("host_pace", schema=None) as batch_op:
        batch_op.drop_column("taken")
        batch_op.drop_column("day")
