"""What an account keeps for itself: notes and tags on domains, saved filters, what it has seen, links it shares."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.tables.schema import metadata
from afterdrop.db.types import Domain, Id, Instant, Json


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
