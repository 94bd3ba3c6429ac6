"""The published domains, the daily draw of open ones, and operators' decisions."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.packed_json import PackedJson
from afterdrop.db.schema import Domain, Id, Instant, Json, metadata

# One row per published domain. Status is computed from live_until, announced and the clock, never stored.
# It is live while `live_until` is null or ahead (null = some listing without an end); that is the latest end of all
# listings, so that a domain is ended only when none is live. The listing columns hold the best listing until
# `next_listing_at`; `next_listings` are the ones that follow as listings end, each with its `shown_from` (seconds since
# 1970).
domains = sa.Table(
    "domains",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("tld", sa.String(100), nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("found_at", Instant, nullable=False),
    sa.Column("hunt_day", sa.String(10), nullable=False),
    sa.Column("rank_on_hunt_day", sa.Integer),
    sa.Column("language", sa.String(2)),
    sa.Column("title", sa.Text),
    sa.Column("search", sa.Text, nullable=False),
    sa.Column("archive_years", sa.Integer),
    sa.Column("archive_first_year", sa.Integer),
    sa.Column("archive_last_year", sa.Integer),
    # the eras of its home page as `review.history.life.packed` writes them; null in rows of earlier versions
    sa.Column("life", sa.String(400)),
    # what the registry says after the end, as the lists show it; `registry_states` has what is to be asked
    sa.Column("availability", sa.String(12)),
    sa.Column("announced", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("checked_at", Instant),
    sa.Column("available_since", Instant),
    sa.Column("registrar", sa.Text),
    sa.Column("registered_at", Instant),
    sa.Column("expires_at", Instant),
    sa.Column("registry_host", sa.String(300)),
    sa.Column("estimated_drop", sa.String(10)),
    sa.Column("caught_after_drop", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("resolved_at", Instant),
    sa.Column("last_open_on", sa.String(10)),
    sa.Column("open_now", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("removed_at", Instant),
    sa.Column("removed_reason", sa.Text),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column("score", sa.Integer, nullable=False),
    sa.Column("verdict", sa.String(8), nullable=False),
    sa.Column("flags", Json, nullable=False),
    sa.Column("flag_count", sa.Integer, nullable=False),
    sa.Column("topic", sa.String(20)),
    sa.Column("domain_rating", sa.Integer),
    sa.Column("trust_flow", sa.Integer),
    sa.Column("citation_flow", sa.Integer),
    sa.Column("referring_domains", sa.BigInteger),
    # what marketplaces say of the name, never part of the score
    sa.Column("valuation_usd", sa.BigInteger),
    sa.Column("search_volume", sa.BigInteger),
    sa.Column("cost_per_click_cents", sa.BigInteger),
    sa.Column("extensions_taken", sa.BigInteger),
    sa.Column("adult", sa.Boolean),
    # the percentage of the known links that the site's last owner earned
    sa.Column("last_owner_links", sa.Integer),
    sa.Column("live_links", sa.Integer),
    sa.Column("source", sa.String(64), nullable=False),
    sa.Column("source_title", sa.String(100)),
    sa.Column("type", sa.String(16), nullable=False),
    sa.Column("price_usd", sa.BigInteger),
    sa.Column("bids", sa.Integer, nullable=False),
    sa.Column("ends_at", Instant),
    sa.Column("certain_from", Instant),
    sa.Column("url", sa.Text),
    sa.Column("live_until", Instant),
    sa.Column("next_listing_at", Instant),
    sa.Column("next_listings", Json),
    sa.Index("ix_domains_live_until", "live_until"),
    sa.Index("ix_domains_next_listing_at", "next_listing_at"),
    sa.Index("ix_domains_score", "score"),
    sa.Index(
        "ix_domains_unresolved",
        "live_until",
        sqlite_where=sa.text("resolved_at IS NULL"),
        postgresql_where=sa.text("resolved_at IS NULL"),
    ),
    sa.Index("ix_domains_hunt_day", "hunt_day"),
)

# What a report adds to a domain's row, ready to be merged (metrics, breakdown, anchors, risk checks …). It is most of a
# domain's bytes, and lists never read it. `varying_severity`: how grave `conclusion.VARYING` is, which lists tell.
reports = sa.Table(
    "reports",
    metadata,
    sa.Column("domain", Domain, sa.ForeignKey("domains.domain", ondelete="CASCADE"), primary_key=True),
    sa.Column("varying_severity", sa.String(8)),
    sa.Column("report", PackedJson, nullable=False),
)

# One draw per UTC date; the domains it opened.
open_draws = sa.Table(
    "open_draws",
    metadata,
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("drawn_at", Instant, nullable=False),
    sa.Column("scan_id", Id),
)
open_domains = sa.Table(
    "open_domains",
    metadata,
    sa.Column("day", sa.String(10), sa.ForeignKey("open_draws.day", ondelete="CASCADE"), primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
)

# Operators' decisions, kept over re-scans: action remove, restore, review, ban, unban.
operator_actions = sa.Table(
    "operator_actions",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("action", sa.String(16), nullable=False),
    sa.Column("domain", Domain, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Index("ix_operator_actions_domain", "domain"),
)
banned_domains = sa.Table(
    "banned_domains",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("banned_at", Instant, nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)

# The catalogue's version with which a domain last changed for a reader; none where it has not changed since this table
# was made. Readers that keep the lists in memory ask for what is newer than theirs.
changed_domains = sa.Table(
    "changed_domains",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Index("ix_changed_domains_version", "version"),
)

# Numbers that rise when something changed, so that caches in every process notice: catalogue, accounts. Beside them
# stands whose deployment it is (`core.audience`).
versions = sa.Table(
    "versions",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", sa.BigInteger, nullable=False),
)
