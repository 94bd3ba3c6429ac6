"""The registry's state of a name stands once, whoever wants to know: the lists or who follows it.

The columns of `domains` that it was asked by are empty from then on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1108"
down_revision = "1107"
branch_labels = None
depends_on = None

_ASKED = "FROM domains WHERE removed_at IS NULL AND recheck_at IS NOT NULL"
_CARRIED = (
    "UPDATE registry_states SET quiet_until = due_at,"
    " first_free_at = (SELECT d.first_free_at FROM domains d WHERE d.domain = registry_states.domain),"
    " due_at = (SELECT d.recheck_at FROM domains d WHERE d.domain = registry_states.domain),"
    " ended_at = (SELECT d.live_until FROM domains d WHERE d.domain = registry_states.domain)"
    f" WHERE domain IN (SELECT domain {_ASKED})",
    "INSERT INTO registry_states (domain, checked_at, registrar, registered_at, expires_at, term_ends_at,"
    " first_free_at, ended_at, due_at, attempts)"
    " SELECT domain, checked_at, registrar, registered_at, expires_at, expires_at, first_free_at, live_until,"
    f" recheck_at, 0 {_ASKED} AND resolved_at IS NULL AND domain NOT IN (SELECT domain FROM registry_states)",
)


def upgrade() -> None:
    with op.batch_alter_table("registry_states", schema=None) as batch_op:
        batch_op.add_column(sa.Column("ended_at", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("quiet_until", sa.BigInteger(), nullable=True))
    for statement in _CARRIED:
        op.execute(statement)
    op.drop_index("ix_domains_recheck_at", "domains")
    op.create_index(
        "ix_domains_unresolved",
        "domains",
        ["live_until"],
        sqlite_where=sa.text("resolved_at IS NULL"),
        postgresql_where=sa.text("resolved_at IS NULL"),
    )
