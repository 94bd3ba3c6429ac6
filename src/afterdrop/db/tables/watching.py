"""Tables of an account: watches, rules, matches, reminders, notices; notes, tags, saved filters, links."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.schema import Domain, Id, Instant, Json, claim_columns, metadata

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
    sa.Column("mail", sa.Boolean, nullable=False, server_default=sa.true()),
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


def _account(*, primary_key: bool = False) -> sa.Column[int]:
    owner = sa.ForeignKey("accounts.id", ondelete="CASCADE")
    return sa.Column("account_id", Id, owner, primary_key=primary_key, nullable=False)


domain_notes = sa.Table(
    "domain_notes",
    metadata,
    _account(primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("written_at", Instant, nullable=False),
)

domain_tags = sa.Table(
    "domain_tags",
    metadata,
    _account(primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("tag", sa.String(30), primary_key=True),
    sa.Column("tagged_at", Instant, nullable=False),
    sa.Index("ix_domain_tags_tag", "account_id", "tag"),
)

# list: live, available or archive; query: the tidy query string of the list's address.
saved_filters = sa.Table(
    "saved_filters",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _account(),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("list", sa.String(12), nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("saved_at", Instant, nullable=False),
    sa.UniqueConstraint("account_id", "name"),
    sqlite_autoincrement=True,
)

# seen_at: when a list showed the domain to the account for the first time.
seen_domains = sa.Table(
    "seen_domains",
    metadata,
    _account(primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("seen_at", Instant, nullable=False),
    sa.Index("ix_seen_domains_seen_at", "seen_at"),
    sa.Index("ix_seen_domains_account_id", "account_id", "seen_at"),
)

# The visit under way or last made, and when the one before it ended.
list_visits = sa.Table(
    "list_visits",
    metadata,
    _account(primary_key=True),
    sa.Column("began_at", Instant, nullable=False),
    sa.Column("last_at", Instant, nullable=False),
    sa.Column("previous_at", Instant),
)

# A link names domains and nothing else about them. Only the hash of its token is stored.
share_links = sa.Table(
    "share_links",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _account(),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("domains", Json, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Index("ix_share_links_account_id", "account_id"),
    sa.Index("ix_share_links_expires_at", "expires_at"),
    sqlite_autoincrement=True,
)
