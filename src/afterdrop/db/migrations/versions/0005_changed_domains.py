"""With which version of the catalogue each domain last changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "changed_domains",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_changed_domains")),
    )
    op.create_index("ix_changed_domains_version", "changed_domains", ["version"])


def downgrade() -> None:
    op.drop_table("changed_domains")
