"""Refusals have columns: hosts in `host_pace`, providers in a table of their own. Names with blanks were keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1107"
down_revision = "1106"
branch_labels = None
depends_on = None

_CARRIED = (
    "INSERT INTO host_pace (host, next_at, blocked_until) SELECT substr(host, 10), 0, 0 FROM host_pace"
    " WHERE host LIKE 'refusing %' AND substr(host, 10) NOT IN (SELECT host FROM host_pace)",
    "UPDATE host_pace SET"
    " refused_at = (SELECT old.blocked_until FROM host_pace old WHERE old.host = 'refusing ' || host_pace.host),"
    " refusal = (SELECT old.note FROM host_pace old WHERE old.host = 'refusing ' || host_pace.host)",
    "INSERT INTO provider_faults (provider, cools_until, fault)"
    " SELECT substr(host, 10), blocked_until, note FROM host_pace WHERE host LIKE 'provider %'",
    "INSERT INTO provider_faults (provider, cools_until) SELECT substr(host, 12), 0 FROM host_pace"
    " WHERE host LIKE 'refused by %' AND substr(host, 12) NOT IN (SELECT provider FROM provider_faults)",
    "UPDATE provider_faults SET"
    " refused_name = (SELECT note FROM host_pace WHERE host = 'refused by ' || provider)",
    "DELETE FROM host_pace WHERE host LIKE '% %'",
)


def upgrade() -> None:
    op.create_table(
        "provider_faults",
        sa.Column("provider", sa.String(length=200), nullable=False),
        sa.Column("refused_name", sa.String(length=253), nullable=True),
        sa.Column("cools_until", sa.Float(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("provider", name=op.f("pk_provider_faults")),
    )
    with op.batch_alter_table("host_pace", schema=None) as batch_op:
        batch_op.add_column(sa.Column("refused_at", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("refusal", sa.Text(), nullable=True))
    for statement in _CARRIED:
        op.execute(statement)
