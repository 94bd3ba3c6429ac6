"""A table for reports, which 2000 moves there. Two indexes that nothing asks go."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1106"
down_revision = "1105"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reports",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("operators", sa.Boolean(), nullable=False),
        sa.Column("varying_severity", sa.String(length=8), nullable=True),
        sa.Column("report", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["domain"], ["domains.domain"], name=op.f("fk_reports_domain_domains"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("domain", "operators", name=op.f("pk_reports")),
    )
    op.drop_index("ix_domains_found_at", "domains")
    op.drop_index("ix_domains_announced", "domains")
