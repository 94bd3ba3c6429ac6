"""Webhook endpoints, events, deliveries and mails."""

from __future__ import annotations

from typing import TypedDict

import sqlalchemy as sa

from afterdrop.db.schema import Id, Instant, Json, claim_columns, metadata


class _Where(TypedDict):
    sqlite_where: sa.TextClause
    postgresql_where: sa.TextClause


def _only(condition: str) -> _Where:
    """The condition of a partial index, for both databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


# slow_at: when it last answered slowly; null again after a prompt answer.
webhook_endpoints = sa.Table(
    "webhook_endpoints",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("url", sa.String(2048), nullable=False),
    sa.Column("events", Json, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("disabled_at", Instant),
    sa.Column("consecutive_failures", sa.Integer, nullable=False, server_default="0"),
    sa.Column("last_delivered_at", Instant),
    sa.Column("slow_at", Instant),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    sa.Index("ix_webhook_endpoints_account_id", "account_id"),
    sqlite_autoincrement=True,
)

# An event is recorded once per `occasion` (unique where it is set), so that recording it again is harmless.
# `body` is the envelope as every attempt sends it. `position` numbers the events of an account in the order in which
# they can be read; it is given when they are first read, so that none is ever numbered below one that was read before.
events = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.String(30), primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    sa.Column("type", sa.String(32), nullable=False),
    sa.Column("occasion", sa.String(400), unique=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("position", sa.BigInteger),
    sa.Index("ix_events_created_at", "created_at"),
    sa.Index("ix_events_account_id", "account_id", "position"),
)

# status: pending, delivered, failed. `tries` counts finished attempts (the interface's `attempts`), `attempts` counts
# claims; the difference is the number of lost leases. expires_at: a reminder is worthless after the listing's end.
# redelivery_requested_at: when the owner last asked for one more attempt; it gets a single attempt then.
deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("event_id", sa.String(30), sa.ForeignKey("events.id", ondelete="CASCADE"), nullable=False),
    sa.Column("endpoint_id", Id, sa.ForeignKey("webhook_endpoints.id", ondelete="CASCADE"), nullable=False),
    sa.Column("event", sa.String(32), nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("response_code", sa.Integer),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant),
    sa.Column("delivered_at", Instant),
    sa.Column("settled_at", Instant),
    sa.Column("redelivery_requested_at", Instant),
    *claim_columns(),
    sa.UniqueConstraint("event_id", "endpoint_id"),
    sa.Index("ix_deliveries_endpoint_id", "endpoint_id", "created_at"),
    # A claim reads whether anything is due, and the oldest few deliveries of every endpoint; of an inactive endpoint
    # it reads the oldest test event.
    sa.Index("ix_deliveries_due_at", "due_at", **_only("status = 'pending'")),
    sa.Index("ix_deliveries_waiting", "endpoint_id", "due_at", "id", **_only("status = 'pending'")),
    sa.Index("ix_deliveries_event", "event", "endpoint_id", "due_at", "id", **_only("status = 'pending'")),
    sqlite_autoincrement=True,
)

# status: pending, sent, failed, kept (no SMTP configured). `occasion` is unique where set.
mails = sa.Table(
    "mails",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, sa.ForeignKey("accounts.id", ondelete="CASCADE")),
    sa.Column("recipient", sa.String(254), nullable=False),
    sa.Column("kind", sa.String(24), nullable=False),
    sa.Column("occasion", sa.String(400), unique=True),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("html", sa.Text),
    sa.Column("headers", Json, nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("sent_at", Instant),
    *claim_columns(),
    sa.Index("ix_mails_status", "status", "due_at"),
)
