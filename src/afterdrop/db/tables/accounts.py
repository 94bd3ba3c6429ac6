"""Accounts, API keys, credits, usage counters, site sessions and sign-in attempts."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.schema import Id, Instant, Json, metadata

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("email", sa.String(254), nullable=False, unique=True),
    sa.Column("password_hash", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("verified_at", Instant),
    sa.Column("plan_until", Instant),
    sa.Column("operator", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("zone", sa.String(64), nullable=False, server_default="UTC"),
    sa.Column("digest_hour", sa.Integer, nullable=False, server_default="8"),
    sa.Column("reminder_hours", Json, nullable=False),
    sa.Column("mail_alerts", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("mail_watches", sa.Boolean, nullable=False, server_default=sa.true()),
    # reminders and drop notices for rule matches too
    sa.Column("mail_rule_reminders", sa.Boolean, nullable=False, server_default=sa.false()),
    # the columns of each list as the account arranged them, by the list's name; null as they are by default
    sa.Column("list_columns", Json),
    # the free plan's weekly mail about its open domains
    sa.Column("mail_weekly", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("mail_checks", sa.Boolean, nullable=False, server_default=sa.false()),
    # rises with a password change or sign-out everywhere; signed links and cookies carry it
    sa.Column("token_version", sa.Integer, nullable=False, server_default="0"),
    sqlite_autoincrement=True,
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("hint", sa.String(16), nullable=False),
    # full, read_only or no_spending
    sa.Column("scope", sa.String(12), nullable=False, server_default="full"),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("last_used_at", Instant),
    sa.Index("ix_api_keys_account_id", "account_id"),
    sqlite_autoincrement=True,
)

# The ledger of check credits. bucket: plan, welcome, purchased. Balances are sums and never below 0.
credit_ledger = sa.Table(
    "credit_ledger",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("bucket", sa.String(12), nullable=False),
    sa.Column("delta", sa.Integer, nullable=False),
    sa.Column("reason", sa.String(40), nullable=False),
    sa.Column("reference", sa.String(200), nullable=False, unique=True),
    sa.Column("month", sa.String(7), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Index("ix_credit_ledger_account_id", "account_id"),
)

# Grants of plan time or credits from outside (a payment hook), once per reference.
grants = sa.Table(
    "grants",
    metadata,
    sa.Column("reference", sa.String(200), primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("content", Json, nullable=False),
)

# First answers to requests that were sent with an Idempotency-Key, of which the hash is kept. `status` and `body`
# (compressed) are null until the request is answered; `request` is a hash of what was asked.
answered_requests = sa.Table(
    "answered_requests",
    metadata,
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("key_hash", sa.String(64), primary_key=True),
    sa.Column("request", sa.String(64), nullable=False),
    sa.Column("began_at", Instant, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("body", sa.LargeBinary),
    sa.Index("ix_answered_requests_began_at", "began_at"),
)

# Requests, looked-up domains and exports per account. kind: as in `rate_limits`; start: when the window began.
usage_counters = sa.Table(
    "usage_counters",
    metadata,
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("kind", sa.String(8), primary_key=True),
    sa.Column("start", Instant, primary_key=True),
    sa.Column("used", sa.BigInteger, nullable=False),
)

site_sessions = sa.Table(
    "site_sessions",
    metadata,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Index("ix_site_sessions_account_id", "account_id"),
)

# Attempts at the forms that anyone may send (sign-in, mails), counted per account and network: `sign_in_limits`.
sign_in_attempts = sa.Table(
    "sign_in_attempts",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("subject", sa.String(300), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Index("ix_sign_in_attempts_subject", "subject", "at"),
)
