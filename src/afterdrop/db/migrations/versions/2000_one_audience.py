"""Nothing that is stored for an account is reserved for operators any more: the marks that said so go."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2000"
down_revision = "1112"
branch_labels = None
depends_on = None

_MARKED = ("watches", "alert_matches", "seen_domains", "events", "mails", "checks")


def upgrade() -> None:
    for table in _MARKED:
        # SQLite drops it in place; a copy of the table would lose what Alembic does not read of it, as AUTOINCREMENT.
        with op.batch_alter_table(table, schema=None, recreate="never") as batch_op:
            batch_op.drop_column("reserved")


def downgrade() -> None:
    for table in _MARKED:
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(
                sa.Column("reserved", sa.Boolean(), server_default=sa.false(), nullable=False)
            )
