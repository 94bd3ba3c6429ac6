"""History reviews, archived pages for the revival kit, and the cached answers of the archive, registries and DNS."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.schema import Domain, Id, Instant, Json, claim_columns, metadata

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

# One of the most archived pages of one owner of a domain (`era`, from 1); `overall`: among those of all owners, where
# an address is one row. A queue of its own extracts the text after publication (due_at is set).
# `place`: where Common Crawl has the page, null where it does not. content_state: none, wanted, stored, failed.
archived_pages = sa.Table(
    "archived_pages",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("era", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("path", sa.String(2000), primary_key=True),
    sa.Column("overall", sa.Boolean, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("captures", sa.Integer, nullable=False),
    sa.Column("last_capture", sa.String(10), nullable=False),
    sa.Column("timestamp", sa.String(14), nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("words", sa.Integer),
    sa.Column("content_state", sa.String(8), nullable=False),
    sa.Column("content", sa.Text),
    sa.Column("place", sa.Text),
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


# key: `rdap:DOMAIN`, `dns:HOST` or `rating:DOMAIN`.
lookup_answers = sa.Table(
    "lookup_answers",
    metadata,
    sa.Column("key", sa.String(300), primary_key=True),
    sa.Column("answer", Json, nullable=False),
    sa.Column("asked_at", Instant, nullable=False),
    sa.Column("keep_until", Instant, nullable=False),
    sa.Index("ix_lookup_answers_keep_until", "keep_until"),
)

# The daily canary of a registry's server for one extension. `right_at`: when it was last right, None if it never was.
# A server of IANA's bootstrap has no canary: its row says when it last told us of a registration.
registry_canaries = sa.Table(
    "registry_canaries",
    metadata,
    sa.Column("server", sa.String(300), primary_key=True),
    sa.Column("extension", sa.String(63), primary_key=True),
    sa.Column("checked_at", Instant, nullable=False),
    sa.Column("next_at", Instant, nullable=False),
    sa.Column("right_at", Instant),
    sa.Column("holds", sa.Boolean, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
)

# How many questions a WHOIS server was asked on one UTC day, which begins at `day`.
whois_days = sa.Table(
    "whois_days",
    metadata,
    sa.Column("host", sa.String(300), primary_key=True),
    sa.Column("day", Instant, primary_key=True),
    sa.Column("asked", sa.Integer, nullable=False),
)

# A visit of a name that was seen to be registered anew (or sold) at `began_at`, `day` days later: what stood there.
# `registrar`, `registered_at`: as its registry said then; `dropped_at`: when it was first seen free before. `ours` is
# the outcome that its scan had before. `kind` is null before the visit, `evidence` the SHA-256 of the WARC record.
# `label`: what a person says of the kind, right or wrong. Accounts up to `after_account` are told; `told_at`: all are.
visits = sa.Table(
    "visits",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("began_at", Instant, primary_key=True),
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("registrar", sa.Text),
    sa.Column("registered_at", Instant),
    sa.Column("dropped_at", Instant),
    sa.Column("ours", sa.String(32)),
    sa.Column("visited_at", Instant),
    sa.Column("kind", sa.String(12)),
    sa.Column("title", sa.Text),
    sa.Column("category", sa.String(24)),
    sa.Column("quotes", Json),
    sa.Column("price", sa.String(60)),
    sa.Column("leads_to", Domain),
    sa.Column("note", sa.Text),
    sa.Column("url", sa.Text),
    sa.Column("evidence", sa.String(64)),
    sa.Column("label", sa.String(8)),
    sa.Column("labelled_at", Instant),
    sa.Column("after_account", Id, nullable=False, server_default="0"),
    sa.Column("told_at", Instant),
    sa.Column("known_at", Instant),
    *claim_columns(),
    sa.Index("ix_visits_due_at", "due_at"),
    sa.Index("ix_visits_visited_at", "visited_at"),
    sa.Index("ix_visits_told_at", "told_at", "visited_at"),
)

# How many pages with links to names were looked at on a UTC day, by all workers together.
live_days = sa.Table(
    "live_days",
    metadata,
    sa.Column("day", Instant, primary_key=True),
    sa.Column("pages", sa.Integer, nullable=False),
)

# One re-check pass over one registry host: how many were asked, how many turned 404, and the warning if too many.
registry_passes = sa.Table(
    "registry_passes",
    metadata,
    sa.Column("host", sa.String(300), primary_key=True),
    sa.Column("pass_at", Instant, primary_key=True),
    sa.Column("asked", sa.Integer, nullable=False),
    sa.Column("turned_free", sa.Integer, nullable=False),
    sa.Column("withheld", sa.Boolean, nullable=False),
)

# What the registry last said of a name that is asked about: of an ended listing, or followed. `stage` as in drop
# estimates, null before the first answer; `since`: when it was first seen. `term_ends_at`: the expiry that a renewal is
# told from. `ended_at`: the end of the listing after which the lists want to know. `due_at`: when it is asked again.
registry_states = sa.Table(
    "registry_states",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("stage", sa.String(16)),
    sa.Column("since", Instant),
    sa.Column("checked_at", Instant),
    sa.Column("source", sa.String(8)),
    sa.Column("registrar", sa.Text),
    sa.Column("registered_at", Instant),
    sa.Column("expires_at", Instant),
    sa.Column("term_ends_at", Instant),
    sa.Column("earliest", sa.String(10)),
    sa.Column("latest", sa.String(10)),
    sa.Column("first_free_at", Instant),
    sa.Column("ended_at", Instant),
    *claim_columns(),
    sa.Index("ix_registry_states_due_at", "due_at"),
)

# A change of such a name, with the state it led to; `known_at` is when the state before it was last confirmed, of a
# name on no list.
# Accounts up to `after_account` are told; `told_at`: all are.
registry_changes = sa.Table(
    "registry_changes",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("seen_at", Instant, primary_key=True),
    sa.Column("change", sa.String(16), nullable=False),
    sa.Column("stage", sa.String(16), nullable=False),
    sa.Column("source", sa.String(8)),
    sa.Column("registrar", sa.Text),
    sa.Column("registered_at", Instant),
    sa.Column("expires_at", Instant),
    sa.Column("earliest", sa.String(10)),
    sa.Column("latest", sa.String(10)),
    sa.Column("after_account", Id, nullable=False, server_default="0"),
    sa.Column("told_at", Instant),
    sa.Column("known_at", Instant),
    sa.Index("ix_registry_changes_told_at", "told_at", "seen_at"),
)
