"""The schema of 1.0, which databases of that release have: new ones are made of this version's tables at once."""

from __future__ import annotations

revision = "1000"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing runs this: a database without a revision is new."""
    raise NotImplementedError
