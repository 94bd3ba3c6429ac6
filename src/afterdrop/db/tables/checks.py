"""Domain checks: full reports that are ordered for a credit and made by workers."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.schema import Domain, Id, Instant, Json, claim_columns, metadata

# An account's ids rise in the order in which it ordered (`checks.order.next_id`); times are those of several clocks.
# `slot` is `account:domain` while the check is queued or running, else null. It is unique, so that simultaneous orders
# of one domain make one check and use one credit.
checks = sa.Table(
    "checks",
    metadata,
    sa.Column("id", sa.String(30), primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("domain", Domain, nullable=False),
    sa.Column("status", sa.String(8), nullable=False),
    sa.Column("slot", sa.String(300), unique=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("started_at", Instant),
    sa.Column("finished_at", Instant),
    sa.Column("progress", sa.Text),
    sa.Column("score", sa.Integer),
    sa.Column("verdict", sa.String(8)),
    sa.Column("would_list", sa.Boolean),
    sa.Column("reject_reasons", Json),
    sa.Column("report", Json),
    sa.Column("registration", Json),
    *claim_columns(),
    sa.Index("ix_checks_account_id", "account_id", "id"),
    sa.Index("ix_checks_status", "status", "created_at"),
)

# Names ordered together. `items` has an object for each: `domain`, `known` (listed, checked or new when it was ordered)
# and the id of its `check`, null for a listed one.
check_batches = sa.Table(
    "check_batches",
    metadata,
    sa.Column("id", sa.String(30), primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("items", Json, nullable=False),
    sa.Index("ix_check_batches_account_id", "account_id", "created_at"),
)

# Checks of people without an account; `hash` is of the token in the address of the result, `network` of the network
# they came from. status: queued, done, failed. A day's rows are the day's quota.
visitor_checks = sa.Table(
    "visitor_checks",
    metadata,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("network", sa.String(64), nullable=False),
    sa.Column("domain", Domain, nullable=False),
    sa.Column("status", sa.String(8), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("finished_at", Instant),
    sa.Column("report", Json),
    *claim_columns(),
    sa.Index("ix_visitor_checks_day", "day", "network"),
    sa.Index("ix_visitor_checks_status", "status", "created_at"),
    sa.Index("ix_visitor_checks_created_at", "created_at"),
)
