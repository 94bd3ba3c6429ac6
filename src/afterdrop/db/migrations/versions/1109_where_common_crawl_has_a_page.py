"""Where Common Crawl's files have an archived page, so that its text costs one request."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1109"
down_revision = "1108"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("archived_pages", schema=None) as batch_op:
        batch_op.add_column(sa.Column("place", sa.Text(), nullable=True))
