"""History reviews, archived pages for the revival kit, and the archive's cached answers."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.tables.schema import claim_columns, metadata
from afterdrop.db.types import Domain, Instant, Json

# The latest finished review of a name; `history` is the whole frozen result as JSON.
reviews = sa.Table(
    "reviews",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("reviewed_at", Instant, nullable=False),
    sa.Column("valid_until", Instant, nullable=False),
    sa.Column("spam", sa.Boolean, nullable=False),
    sa.Column("history", Json, nullable=False),
    # Every claim of candidates counts the day's reviews.
    sa.Index("ix_reviews_reviewed_at", "reviewed_at"),
    sa.Index("ix_reviews_valid_until", "valid_until", "domain"),
)

# One of a domain's most archived pages. A queue of its own extracts the text after publication (due_at is set).
# content_state: none, wanted, stored, failed.
archived_pages = sa.Table(
    "archived_pages",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("path", sa.String(2000), primary_key=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("captures", sa.Integer, nullable=False),
    sa.Column("last_capture", sa.String(10), nullable=False),
    sa.Column("timestamp", sa.String(14), nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("words", sa.Integer),
    sa.Column("content_state", sa.String(8), nullable=False),
    sa.Column("content", sa.Text),
    *claim_columns(),
    sa.Index("ix_archived_pages_content_state", "content_state", "due_at"),
)

# Cached answers of the archive: index answers for days, those of past years and captures for good.
archive_answers = sa.Table(
    "archive_answers",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("headers", Json, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("fetched_at", Instant, nullable=False),
    sa.Column("keep_until", Instant),
    sa.Index("ix_archive_answers_keep_until", "keep_until"),
    # A look at the time itself would walk through every body.
    sa.Index("ix_archive_answers_fetched_at", "fetched_at"),
)
