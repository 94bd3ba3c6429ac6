"""When the state before a change was last confirmed: whoever follows a name only since then is not told of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2001"
down_revision = "2000"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("registry_changes", "visits"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("known_at", sa.BigInteger(), nullable=True))
