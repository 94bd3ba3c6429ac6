"""Rows that an operator wrote of a name that only operators may see are marked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1101"
down_revision = "1000"
branch_labels = None
depends_on = None

_MARKED = ("watches", "alert_matches", "seen_domains")


def upgrade() -> None:
    for table in _MARKED:
        # In place: a copy of the table would lose AUTOINCREMENT, and with it that ids are never used again.
        with op.batch_alter_table(table, schema=None, recreate="never") as batch_op:
            batch_op.add_column(
                sa.Column("reserved", sa.Boolean(), server_default=sa.false(), nullable=False)
            )
        op.execute(
            f"UPDATE {table} SET reserved = true "
            "WHERE domain IN (SELECT domain FROM domains WHERE gated) "
            "AND account_id IN (SELECT id FROM accounts WHERE operator)"
        )
    # What a registry said of a followed name is told whatever list the name is on.
    op.execute("UPDATE events SET domain = NULL WHERE type LIKE 'registration.%' AND NOT reserved")
