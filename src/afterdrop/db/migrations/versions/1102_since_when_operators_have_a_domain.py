"""Since when operators have a domain that became public later: everybody else found it then."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1102"
down_revision = "1101"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("operators_found_at", sa.BigInteger(), nullable=True)
    if op.get_bind().dialect.name != "sqlite":
        op.add_column("domains", column)
        return
    # SQLite adds columns at the end, and would walk through the large ones there to read it.
    with op.batch_alter_table("domains", schema=None, recreate="always") as batch_op:
        batch_op.add_column(column, insert_after="operators_open_now")
