"""An index on the age of the archive's answers, so that the oldest can be pruned.

Revision ID: 0010
Revises: 0005
Create Date: 2026-11-22
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_archive_answers_fetched_at", "archive_answers", ["fetched_at"])


def downgrade() -> None:
    op.drop_index("ix_archive_answers_fetched_at", "archive_answers")
