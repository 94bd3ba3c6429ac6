"""The public part of a feed's run: nothing where its rows are for operators only. No keys in hosts' names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1105"
down_revision = "1104"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("source_runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("gated", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("public_passed", sa.BigInteger(), server_default="0", nullable=False))
    # The feeds' files are not at hand here; what they listed says whose rows they are.
    op.execute(
        "UPDATE source_runs SET gated = true WHERE feed IN (SELECT DISTINCT feed FROM listings WHERE gated)"
    )
    op.execute("UPDATE source_runs SET public_passed = passed WHERE NOT gated")
    # Rows of versions that kept a feed's key in the name of its host.
    for table in ("host_pace", "host_outages"):
        op.execute(f"DELETE FROM {table} WHERE host LIKE '%@%'")
