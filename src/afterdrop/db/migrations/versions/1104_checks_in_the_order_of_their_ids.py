"""An account's checks are read in the order of their ids: times are those of several clocks."""

from __future__ import annotations

from alembic import op

revision = "1104"
down_revision = "1102"
branch_labels = None
depends_on = None

_INDEX = "ix_checks_account_id"


def upgrade() -> None:
    op.drop_index(_INDEX, "checks")
    op.create_index(_INDEX, "checks", ["account_id", "id"])
