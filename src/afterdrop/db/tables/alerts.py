"""Watches, alert rules, matches, the queue of domains to match, reminders and drop notices."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.tables.schema import claim_columns, metadata
from afterdrop.db.types import Domain, Id, Instant, Json

watches = sa.Table(
    "watches",
    metadata,
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index("ix_watches_domain", "domain"),
)

# `criteria` holds the restricting members only (min_score … keywords), as the interface names them.
alert_rules = sa.Table(
    "alert_rules",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("frequency", sa.String(8), nullable=False),
    sa.Column("criteria", Json, nullable=False),
    sa.Column("match_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("last_matched_at", Instant),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index("ix_alert_rules_account_id", "account_id"),
    sqlite_autoincrement=True,
)

# mailed_at: when it was put into an instant mail or a digest.
alert_matches = sa.Table(
    "alert_matches",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("rule_id", Id, sa.ForeignKey("alert_rules.id", ondelete="CASCADE"), nullable=False),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("domain", Domain, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("matched_at", Instant, nullable=False),
    sa.Column("mailed_at", Instant),
    sa.UniqueConstraint("rule_id", "domain", "round"),
    sa.Index("ix_alert_matches_account_id", "account_id", "matched_at"),
    sa.Index("ix_alert_matches_domain", "domain", "round"),
    sqlite_autoincrement=True,
)

# A domain to match, written by the transaction that published (kind listed) or announced it (kind available). Accounts
# up to `after_account` are matched, so that another worker goes on from there when one dies.
to_match = sa.Table(
    "to_match",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(12), primary_key=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("after_account", Id, nullable=False, server_default="0"),
    *claim_columns(),
    sa.Index("ix_to_match_due_at", "due_at"),
)

reminders = sa.Table(
    "reminders",
    metadata,
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("hour", sa.Integer, primary_key=True),
    sa.Column("sent_at", Instant, nullable=False),
    sa.Index("ix_reminders_domain", "domain", "round"),
)

drop_notices = sa.Table(
    "drop_notices",
    metadata,
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("sent_at", Instant, nullable=False),
)
