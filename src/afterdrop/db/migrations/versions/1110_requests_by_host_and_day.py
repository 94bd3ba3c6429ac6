"""How many slots of a host were leased on a day stands beside its pace. Nodes of 1.0 lease without counting."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1110"
down_revision = "1109"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("host_pace", schema=None) as batch_op:
        batch_op.add_column(sa.Column("day", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("taken", sa.Integer(), server_default="0", nullable=False))
