"""Scans, feed runs, listings, candidates and link metrics."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.schema import Domain, Id, Instant, Json, claim_columns, metadata

# One daily scan. `counts` holds the number of names per reason (below_filter, no_metrics, …).
scans = sa.Table(
    "scans",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("deadline_at", Instant, nullable=False),
    sa.Column("intake_done_at", Instant),
    sa.Column("finished_at", Instant),
    sa.Column("scanned", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("passed_authority_filter", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("counts", Json, nullable=False),
    sa.Column("claimed_by", sa.String(64)),
    sa.Column("lease_until", Instant),
    sa.Index("ix_scans_finished_at", "finished_at"),
)

# One feed within one scan. state: pending, running, done, suspect, failed.
source_runs = sa.Table(
    "source_runs",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("scan_id", Id, sa.ForeignKey("scans.id", ondelete="CASCADE"), nullable=False),
    sa.Column("feed", sa.String(200), nullable=False),
    sa.Column("source", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("started_at", Instant),
    sa.Column("finished_at", Instant),
    sa.Column("rows", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("good", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("passed", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("counts", Json, nullable=False),
    sa.Column("samples", Json, nullable=False),
    sa.Column("sketch", Json),
    sa.Column("accepted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("error", sa.Text),
    sa.UniqueConstraint("scan_id", "feed"),
    sa.Index("ix_source_runs_feed", "feed", "id"),
)

# One offer of one domain. It is live while not withdrawn and `live_until` is null or ahead.
# live_until = ends_at where the feed names an end; else null (complete feed: until it vanishes) or
# last_seen_at + 3 days (incomplete feed).
listings = sa.Table(
    "listings",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("source", sa.String(64), nullable=False),
    sa.Column("feed", sa.String(200), nullable=False),
    sa.Column("external_id", sa.String(500), nullable=False),
    sa.Column("domain", Domain, nullable=False),
    sa.Column("type", sa.String(16), nullable=False),
    sa.Column("price_usd", sa.BigInteger),
    sa.Column("price_note", sa.Text),
    sa.Column("bids", sa.Integer, nullable=False, server_default="0"),
    sa.Column("ends_at", Instant),
    sa.Column("live_until", Instant),
    sa.Column("exact_drop", sa.Boolean, nullable=False, server_default=sa.false()),
    # until then the name only may drop; null where that was certain from the first
    sa.Column("certain_from", Instant),
    sa.Column("url", sa.Text),
    sa.Column("attribution", Json),
    sa.Column("first_seen_at", Instant, nullable=False),
    sa.Column("last_seen_at", Instant, nullable=False),
    sa.Column("seen_run", Id, nullable=False),
    sa.Column("withdrawn_at", Instant),
    # what the feed's file calls the marketplace; null where it does not say
    sa.Column("source_title", sa.String(100)),
    sa.UniqueConstraint("source", "external_id"),
    sa.Index("ix_listings_domain", "domain"),
    sa.Index("ix_listings_feed", "feed", "live_until"),
)

# One name that passed the authority filter. state: due, held, settled.
# outcome once settled: published, rejected, refreshed, unreadable, not_reviewed_in_time, failed, banned.
candidates = sa.Table(
    "candidates",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("scan_id", Id, sa.ForeignKey("scans.id", ondelete="SET NULL")),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("outcome", sa.String(32)),
    sa.Column("reasons", Json),
    sa.Column("score", sa.Integer),
    sa.Column("authority", sa.Float, nullable=False, server_default="0"),
    sa.Column("ends_at", Instant),
    sa.Column("first_seen_at", Instant, nullable=False),
    sa.Column("settled_at", Instant),
    *claim_columns(),
    # The order of claiming, with all that a claim asks of a row.
    sa.Index("ix_candidates_state", "state", "authority", "domain", "ends_at", "due_at", "lease_until"),
    sa.Index("ix_candidates_lease_until", "state", "lease_until"),
    sa.Index("ix_candidates_scan", "scan_id", "state", "domain"),
)

# A known link metric of a stored name, with its provenance. `provider` is `feed:NAME` or a provider's name.
metric_values = sa.Table(
    "metric_values",
    metadata,
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("role", sa.String(64), primary_key=True),
    sa.Column("provider", sa.String(200), primary_key=True),
    sa.Column("value", Json),
    sa.Column("fetched_at", Instant, nullable=False),
    sa.Column("attribution", Json),
)

# What a metric provider answered about a name, kept for its cache time whether or not the name passed.
provider_answers = sa.Table(
    "provider_answers",
    metadata,
    sa.Column("provider", sa.String(200), primary_key=True),
    sa.Column("domain", Domain, primary_key=True),
    sa.Column("asked_at", Instant, nullable=False),
    sa.Column("found", sa.Boolean, nullable=False),
    sa.Column("metrics", Json, nullable=False),
    sa.Index("ix_provider_answers_asked_at", "asked_at"),
)

# Units spent with a provider in a UTC day (2026-11-20) or month (2026-11).
provider_spend = sa.Table(
    "provider_spend",
    metadata,
    sa.Column("provider", sa.String(200), primary_key=True),
    sa.Column("period", sa.String(10), primary_key=True),
    sa.Column("units", sa.BigInteger, nullable=False),
)

# Last good reference rate: units of `currency` for one US dollar's worth, with the bank's own date.
exchange_rates = sa.Table(
    "exchange_rates",
    metadata,
    sa.Column("currency", sa.String(3), primary_key=True),
    sa.Column("per_usd", sa.Float, nullable=False),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("fetched_at", Instant, nullable=False),
)

# A provider that has not answered since it refused a name, or was given up: then `fault` says why, and nobody asks it
# before `cools_until` (epoch seconds). Gone once it answers.
provider_faults = sa.Table(
    "provider_faults",
    metadata,
    sa.Column("provider", sa.String(200), primary_key=True),
    sa.Column("refused_name", Domain),
    sa.Column("cools_until", sa.Float, nullable=False),
    sa.Column("fault", sa.Text),
)

# Pace towards one host, shared by every worker of the deployment. Times are epoch seconds with fractions.
# refused_at: when it was last seen to refuse every request, and `refusal` what it answered; null once it answers.
# taken: how many slots were leased on `day`, which counts UTC days since 1970.
host_pace = sa.Table(
    "host_pace",
    metadata,
    sa.Column("host", sa.String(300), primary_key=True),
    sa.Column("next_at", sa.Float, nullable=False),
    sa.Column("blocked_until", sa.Float, nullable=False),
    sa.Column("note", sa.Text),
    sa.Column("refused_at", sa.Float),
    sa.Column("refusal", sa.Text),
    sa.Column("day", sa.Integer, nullable=False, server_default="0"),
    sa.Column("taken", sa.Integer, nullable=False, server_default="0"),
)

# Hosts that did not answer when they were last asked. Times are epoch seconds with fractions.
host_outages = sa.Table(
    "host_outages",
    metadata,
    sa.Column("host", sa.String(300), primary_key=True),
    sa.Column("since", sa.Float, nullable=False),
    sa.Column("next_try_at", sa.Float, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
)
