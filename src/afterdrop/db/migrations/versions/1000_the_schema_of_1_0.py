"""The schema of 1.0. It is released: each later change is a migration of its own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.schema import Id, Json

revision = "1000"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", Id, nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("verified_at", sa.BigInteger(), nullable=True),
        sa.Column("plan_until", sa.BigInteger(), nullable=True),
        sa.Column("operator", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("zone", sa.String(length=64), server_default="UTC", nullable=False),
        sa.Column("digest_hour", sa.Integer(), server_default="8", nullable=False),
        sa.Column("reminder_hours", Json, nullable=False),
        sa.Column("mail_alerts", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("mail_watches", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("mail_rule_reminders", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("list_columns", Json, nullable=True),
        sa.Column("mail_weekly", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("mail_checks", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("token_version", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("email", name=op.f("uq_accounts_email")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "archive_answers",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", Json, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("fetched_at", sa.BigInteger(), nullable=False),
        sa.Column("keep_until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_archive_answers")),
    )
    with op.batch_alter_table("archive_answers", schema=None) as batch_op:
        batch_op.create_index("ix_archive_answers_fetched_at", ["fetched_at"], unique=False)
        batch_op.create_index("ix_archive_answers_keep_until", ["keep_until"], unique=False)

    op.create_table(
        "archived_pages",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("era", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("path", sa.String(length=2000), nullable=False),
        sa.Column("overall", sa.Boolean(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("captures", sa.Integer(), nullable=False),
        sa.Column("last_capture", sa.String(length=10), nullable=False),
        sa.Column("timestamp", sa.String(length=14), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("words", sa.Integer(), nullable=True),
        sa.Column("content_state", sa.String(length=8), nullable=False),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("domain", "era", "path", name=op.f("pk_archived_pages")),
    )
    with op.batch_alter_table("archived_pages", schema=None) as batch_op:
        batch_op.create_index("ix_archived_pages_content_state", ["content_state", "due_at"], unique=False)

    op.create_table(
        "banned_domains",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("banned_at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_banned_domains")),
    )
    op.create_table(
        "changed_domains",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_changed_domains")),
    )
    with op.batch_alter_table("changed_domains", schema=None) as batch_op:
        batch_op.create_index("ix_changed_domains_version", ["version"], unique=False)

    op.create_table(
        "domains",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("tld", sa.String(length=100), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("found_at", sa.BigInteger(), nullable=False),
        sa.Column("hunt_day", sa.String(length=10), nullable=False),
        sa.Column("rank_on_hunt_day", sa.Integer(), nullable=True),
        sa.Column("language", sa.String(length=2), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("archive_years", sa.Integer(), nullable=True),
        sa.Column("archive_first_year", sa.Integer(), nullable=True),
        sa.Column("archive_last_year", sa.Integer(), nullable=True),
        sa.Column("life", sa.String(length=400), nullable=True),
        sa.Column("gated", sa.Boolean(), nullable=False),
        sa.Column("availability", sa.String(length=12), nullable=True),
        sa.Column("announced", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("checked_at", sa.BigInteger(), nullable=True),
        sa.Column("first_free_at", sa.BigInteger(), nullable=True),
        sa.Column("available_since", sa.BigInteger(), nullable=True),
        sa.Column("registrar", sa.Text(), nullable=True),
        sa.Column("registered_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("registry_host", sa.String(length=300), nullable=True),
        sa.Column("estimated_drop", sa.String(length=10), nullable=True),
        sa.Column("caught_after_drop", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("recheck_at", sa.BigInteger(), nullable=True),
        sa.Column("resolved_at", sa.BigInteger(), nullable=True),
        sa.Column("recheck_claimed_by", sa.String(length=64), nullable=True),
        sa.Column("recheck_lease_until", sa.BigInteger(), nullable=True),
        sa.Column("last_open_on", sa.String(length=10), nullable=True),
        sa.Column("open_now", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("operators_rank_on_hunt_day", sa.Integer(), nullable=True),
        sa.Column("operators_last_open_on", sa.String(length=10), nullable=True),
        sa.Column("operators_open_now", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.Column("removed_reason", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=8), nullable=False),
        sa.Column("flags", Json, nullable=False),
        sa.Column("flag_count", sa.Integer(), nullable=False),
        sa.Column("topic", sa.String(length=20), nullable=True),
        sa.Column("domain_rating", sa.Integer(), nullable=True),
        sa.Column("trust_flow", sa.Integer(), nullable=True),
        sa.Column("citation_flow", sa.Integer(), nullable=True),
        sa.Column("referring_domains", sa.BigInteger(), nullable=True),
        sa.Column("valuation_usd", sa.BigInteger(), nullable=True),
        sa.Column("search_volume", sa.BigInteger(), nullable=True),
        sa.Column("cost_per_click_cents", sa.BigInteger(), nullable=True),
        sa.Column("extensions_taken", sa.BigInteger(), nullable=True),
        sa.Column("adult", sa.Boolean(), nullable=True),
        sa.Column("last_owner_links", sa.Integer(), nullable=True),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("source_title", sa.String(length=100), nullable=True),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("price_usd", sa.BigInteger(), nullable=True),
        sa.Column("bids", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("certain_from", sa.BigInteger(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("live_until", sa.BigInteger(), nullable=True),
        sa.Column("next_listing_at", sa.BigInteger(), nullable=True),
        sa.Column("next_listings", Json, nullable=True),
        sa.Column("report", Json, nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_domains")),
    )
    with op.batch_alter_table("domains", schema=None) as batch_op:
        batch_op.create_index("ix_domains_announced", ["announced", "live_until"], unique=False)
        batch_op.create_index("ix_domains_found_at", ["found_at"], unique=False)
        batch_op.create_index("ix_domains_hunt_day", ["hunt_day"], unique=False)
        batch_op.create_index("ix_domains_live_until", ["live_until"], unique=False)
        batch_op.create_index("ix_domains_next_listing_at", ["next_listing_at"], unique=False)
        batch_op.create_index("ix_domains_recheck_at", ["recheck_at"], unique=False)
        batch_op.create_index("ix_domains_score", ["score"], unique=False)

    op.create_table(
        "exchange_rates",
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("per_usd", sa.Float(), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("fetched_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("currency", name=op.f("pk_exchange_rates")),
    )
    op.create_table(
        "host_outages",
        sa.Column("host", sa.String(length=300), nullable=False),
        sa.Column("since", sa.Float(), nullable=False),
        sa.Column("next_try_at", sa.Float(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_host_outages")),
    )
    op.create_table(
        "host_pace",
        sa.Column("host", sa.String(length=300), nullable=False),
        sa.Column("next_at", sa.Float(), nullable=False),
        sa.Column("blocked_until", sa.Float(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_host_pace")),
    )
    op.create_table(
        "job_runs",
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column("moment", sa.BigInteger(), nullable=False),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("result", Json, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("job", "moment", name=op.f("pk_job_runs")),
    )
    op.create_table(
        "listings",
        sa.Column("id", Id, nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("feed", sa.String(length=200), nullable=False),
        sa.Column("external_id", sa.String(length=500), nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("price_usd", sa.BigInteger(), nullable=True),
        sa.Column("price_note", sa.Text(), nullable=True),
        sa.Column("bids", sa.Integer(), server_default="0", nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("live_until", sa.BigInteger(), nullable=True),
        sa.Column("exact_drop", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("certain_from", sa.BigInteger(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("gated", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("attribution", Json, nullable=True),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_run", Id, nullable=False),
        sa.Column("withdrawn_at", sa.BigInteger(), nullable=True),
        sa.Column("source_title", sa.String(length=100), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_listings")),
        sa.UniqueConstraint("source", "external_id", name=op.f("uq_listings_source_external_id")),
    )
    with op.batch_alter_table("listings", schema=None) as batch_op:
        batch_op.create_index("ix_listings_domain", ["domain"], unique=False)
        batch_op.create_index("ix_listings_feed", ["feed", "live_until"], unique=False)

    op.create_table(
        "lookup_answers",
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("answer", Json, nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("keep_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_lookup_answers")),
    )
    with op.batch_alter_table("lookup_answers", schema=None) as batch_op:
        batch_op.create_index("ix_lookup_answers_keep_until", ["keep_until"], unique=False)

    op.create_table(
        "metric_values",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("provider", sa.String(length=200), nullable=False),
        sa.Column("value", Json, nullable=True),
        sa.Column("fetched_at", sa.BigInteger(), nullable=False),
        sa.Column("gated", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("attribution", Json, nullable=True),
        sa.PrimaryKeyConstraint("domain", "role", "provider", name=op.f("pk_metric_values")),
    )
    op.create_table(
        "open_draws",
        sa.Column("audience", sa.String(length=10), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("drawn_at", sa.BigInteger(), nullable=False),
        sa.Column("scan_id", Id, nullable=True),
        sa.PrimaryKeyConstraint("audience", "day", name=op.f("pk_open_draws")),
    )
    op.create_table(
        "operator_actions",
        sa.Column("id", Id, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operator_actions")),
    )
    with op.batch_alter_table("operator_actions", schema=None) as batch_op:
        batch_op.create_index("ix_operator_actions_domain", ["domain"], unique=False)

    op.create_table(
        "provider_answers",
        sa.Column("provider", sa.String(length=200), nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("found", sa.Boolean(), nullable=False),
        sa.Column("metrics", Json, nullable=False),
        sa.PrimaryKeyConstraint("provider", "domain", name=op.f("pk_provider_answers")),
    )
    with op.batch_alter_table("provider_answers", schema=None) as batch_op:
        batch_op.create_index("ix_provider_answers_asked_at", ["asked_at"], unique=False)

    op.create_table(
        "provider_spend",
        sa.Column("provider", sa.String(length=200), nullable=False),
        sa.Column("period", sa.String(length=10), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("provider", "period", name=op.f("pk_provider_spend")),
    )
    op.create_table(
        "registry_canaries",
        sa.Column("server", sa.String(length=300), nullable=False),
        sa.Column("extension", sa.String(length=63), nullable=False),
        sa.Column("checked_at", sa.BigInteger(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("right_at", sa.BigInteger(), nullable=True),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("server", "extension", name=op.f("pk_registry_canaries")),
    )
    op.create_table(
        "whois_days",
        sa.Column("host", sa.String(length=300), nullable=False),
        sa.Column("day", sa.BigInteger(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("host", "day", name=op.f("pk_whois_days")),
    )
    op.create_table(
        "registry_passes",
        sa.Column("host", sa.String(length=300), nullable=False),
        sa.Column("pass_at", sa.BigInteger(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("turned_free", sa.Integer(), nullable=False),
        sa.Column("withheld", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("host", "pass_at", name=op.f("pk_registry_passes")),
    )
    op.create_table(
        "registry_states",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=True),
        sa.Column("since", sa.BigInteger(), nullable=True),
        sa.Column("checked_at", sa.BigInteger(), nullable=True),
        sa.Column("source", sa.String(length=8), nullable=True),
        sa.Column("registrar", sa.Text(), nullable=True),
        sa.Column("registered_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("term_ends_at", sa.BigInteger(), nullable=True),
        sa.Column("earliest", sa.String(length=10), nullable=True),
        sa.Column("latest", sa.String(length=10), nullable=True),
        sa.Column("first_free_at", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_registry_states")),
    )
    with op.batch_alter_table("registry_states", schema=None) as batch_op:
        batch_op.create_index("ix_registry_states_due_at", ["due_at"], unique=False)

    op.create_table(
        "registry_changes",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("change", sa.String(length=16), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("source", sa.String(length=8), nullable=True),
        sa.Column("registrar", sa.Text(), nullable=True),
        sa.Column("registered_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("earliest", sa.String(length=10), nullable=True),
        sa.Column("latest", sa.String(length=10), nullable=True),
        sa.Column("after_account", Id, server_default="0", nullable=False),
        sa.Column("told_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("domain", "seen_at", name=op.f("pk_registry_changes")),
    )
    with op.batch_alter_table("registry_changes", schema=None) as batch_op:
        batch_op.create_index("ix_registry_changes_told_at", ["told_at", "seen_at"], unique=False)

    op.create_table(
        "reviews",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("reviewed_at", sa.BigInteger(), nullable=False),
        sa.Column("valid_until", sa.BigInteger(), nullable=False),
        sa.Column("spam", sa.Boolean(), nullable=False),
        sa.Column("history", Json, nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_reviews")),
    )
    with op.batch_alter_table("reviews", schema=None) as batch_op:
        batch_op.create_index("ix_reviews_reviewed_at", ["reviewed_at"], unique=False)
        batch_op.create_index("ix_reviews_valid_until", ["valid_until", "domain"], unique=False)

    op.create_table(
        "scans",
        sa.Column("id", Id, nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("deadline_at", sa.BigInteger(), nullable=False),
        sa.Column("intake_done_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("scanned", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("passed_authority_filter", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("counts", Json, nullable=False),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scans")),
    )
    with op.batch_alter_table("scans", schema=None) as batch_op:
        batch_op.create_index("ix_scans_finished_at", ["finished_at"], unique=False)

    op.create_table(
        "sign_in_attempts",
        sa.Column("id", Id, nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_attempts")),
    )
    with op.batch_alter_table("sign_in_attempts", schema=None) as batch_op:
        batch_op.create_index("ix_sign_in_attempts_subject", ["subject", "at"], unique=False)

    op.create_table(
        "to_match",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("after_account", Id, server_default="0", nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("domain", "round", "kind", name=op.f("pk_to_match")),
    )
    with op.batch_alter_table("to_match", schema=None) as batch_op:
        batch_op.create_index("ix_to_match_due_at", ["due_at"], unique=False)

    op.create_table(
        "versions",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_versions")),
    )
    op.create_table(
        "visitor_checks",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("report", Json, nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_visitor_checks")),
    )
    with op.batch_alter_table("visitor_checks", schema=None) as batch_op:
        batch_op.create_index("ix_visitor_checks_created_at", ["created_at"], unique=False)
        batch_op.create_index("ix_visitor_checks_day", ["day", "network"], unique=False)
        batch_op.create_index("ix_visitor_checks_status", ["status", "created_at"], unique=False)

    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("heartbeat_at", sa.BigInteger(), nullable=False),
        sa.Column("stopped_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "alert_rules",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("frequency", sa.String(length=8), nullable=False),
        sa.Column("mail", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("criteria", Json, nullable=False),
        sa.Column("match_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_matched_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_alert_rules_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_rules")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("alert_rules", schema=None) as batch_op:
        batch_op.create_index("ix_alert_rules_account_id", ["account_id"], unique=False)

    op.create_table(
        "answered_requests",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("request", sa.String(length=64), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_answered_requests_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "key_hash", name=op.f("pk_answered_requests")),
    )
    with op.batch_alter_table("answered_requests", schema=None) as batch_op:
        batch_op.create_index("ix_answered_requests_began_at", ["began_at"], unique=False)

    op.create_table(
        "api_keys",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("hint", sa.String(length=16), nullable=False),
        sa.Column("scope", sa.String(length=12), server_default="full", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_api_keys_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_keys_hash")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.create_index("ix_api_keys_account_id", ["account_id"], unique=False)

    op.create_table(
        "candidates",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("scan_id", Id, nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=True),
        sa.Column("reasons", Json, nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("authority", sa.Float(), server_default="0", nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["scan_id"], ["scans.id"], name=op.f("fk_candidates_scan_id_scans"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_candidates")),
    )
    with op.batch_alter_table("candidates", schema=None) as batch_op:
        batch_op.create_index("ix_candidates_lease_until", ["state", "lease_until"], unique=False)
        batch_op.create_index("ix_candidates_scan", ["scan_id", "state", "domain"], unique=False)
        batch_op.create_index(
            "ix_candidates_state",
            ["state", "authority", "domain", "ends_at", "due_at", "lease_until"],
            unique=False,
        )

    op.create_table(
        "check_batches",
        sa.Column("id", sa.String(length=30), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("items", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_check_batches_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_check_batches")),
    )
    with op.batch_alter_table("check_batches", schema=None) as batch_op:
        batch_op.create_index("ix_check_batches_account_id", ["account_id", "created_at"], unique=False)

    op.create_table(
        "checks",
        sa.Column("id", sa.String(length=30), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("slot", sa.String(length=300), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("progress", sa.Text(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("verdict", sa.String(length=8), nullable=True),
        sa.Column("would_list", sa.Boolean(), nullable=True),
        sa.Column("reject_reasons", Json, nullable=True),
        sa.Column("report", Json, nullable=True),
        sa.Column("registration", Json, nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("reserved", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_checks_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checks")),
        sa.UniqueConstraint("slot", name=op.f("uq_checks_slot")),
    )
    with op.batch_alter_table("checks", schema=None) as batch_op:
        batch_op.create_index("ix_checks_account_id", ["account_id", "created_at"], unique=False)
        batch_op.create_index("ix_checks_status", ["status", "created_at"], unique=False)

    op.create_table(
        "credit_ledger",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("bucket", sa.String(length=12), nullable=False),
        sa.Column("delta", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("reference", sa.String(length=200), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_credit_ledger_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credit_ledger")),
        sa.UniqueConstraint("reference", name=op.f("uq_credit_ledger_reference")),
    )
    with op.batch_alter_table("credit_ledger", schema=None) as batch_op:
        batch_op.create_index("ix_credit_ledger_account_id", ["account_id"], unique=False)

    op.create_table(
        "domain_notes",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("written_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_domain_notes_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "domain", name=op.f("pk_domain_notes")),
    )
    op.create_table(
        "domain_tags",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("tag", sa.String(length=30), nullable=False),
        sa.Column("tagged_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_domain_tags_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "domain", "tag", name=op.f("pk_domain_tags")),
    )
    with op.batch_alter_table("domain_tags", schema=None) as batch_op:
        batch_op.create_index("ix_domain_tags_tag", ["account_id", "tag"], unique=False)

    op.create_table(
        "drop_notices",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_drop_notices_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "domain", "round", name=op.f("pk_drop_notices")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.String(length=30), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("occasion", sa.String(length=400), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.Column("domain", sa.String(length=253), nullable=True),
        sa.Column("reserved", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_events_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("occasion", name=op.f("uq_events_occasion")),
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index("ix_events_account_id", ["account_id", "position"], unique=False)
        batch_op.create_index("ix_events_created_at", ["created_at"], unique=False)

    op.create_table(
        "grants",
        sa.Column("reference", sa.String(length=200), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("content", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_grants_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reference", name=op.f("pk_grants")),
    )
    op.create_table(
        "list_visits",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("previous_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_list_visits_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_list_visits")),
    )
    op.create_table(
        "mails",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=True),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("occasion", sa.String(length=400), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=True),
        sa.Column("headers", Json, nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("reserved", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_mails_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sa.UniqueConstraint("occasion", name=op.f("uq_mails_occasion")),
    )
    with op.batch_alter_table("mails", schema=None) as batch_op:
        batch_op.create_index("ix_mails_status", ["status", "due_at"], unique=False)

    op.create_table(
        "open_domains",
        sa.Column("audience", sa.String(length=10), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.ForeignKeyConstraint(
            ["audience", "day"],
            ["open_draws.audience", "open_draws.day"],
            name=op.f("fk_open_domains_audience_open_draws"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("audience", "day", "domain", name=op.f("pk_open_domains")),
    )
    op.create_table(
        "reminders",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_reminders_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "domain", "round", "hour", name=op.f("pk_reminders")),
    )
    with op.batch_alter_table("reminders", schema=None) as batch_op:
        batch_op.create_index("ix_reminders_domain", ["domain", "round"], unique=False)

    op.create_table(
        "reserved_views",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=8), nullable=False),
        sa.Column("flags", Json, nullable=False),
        sa.Column("flag_count", sa.Integer(), nullable=False),
        sa.Column("topic", sa.String(length=20), nullable=True),
        sa.Column("domain_rating", sa.Integer(), nullable=True),
        sa.Column("trust_flow", sa.Integer(), nullable=True),
        sa.Column("citation_flow", sa.Integer(), nullable=True),
        sa.Column("referring_domains", sa.BigInteger(), nullable=True),
        sa.Column("valuation_usd", sa.BigInteger(), nullable=True),
        sa.Column("search_volume", sa.BigInteger(), nullable=True),
        sa.Column("cost_per_click_cents", sa.BigInteger(), nullable=True),
        sa.Column("extensions_taken", sa.BigInteger(), nullable=True),
        sa.Column("adult", sa.Boolean(), nullable=True),
        sa.Column("last_owner_links", sa.Integer(), nullable=True),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("source_title", sa.String(length=100), nullable=True),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("price_usd", sa.BigInteger(), nullable=True),
        sa.Column("bids", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("certain_from", sa.BigInteger(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("live_until", sa.BigInteger(), nullable=True),
        sa.Column("next_listing_at", sa.BigInteger(), nullable=True),
        sa.Column("next_listings", Json, nullable=True),
        sa.Column("report", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["domain"], ["domains.domain"], name=op.f("fk_reserved_views_domain_domains"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_reserved_views")),
    )
    op.create_table(
        "saved_filters",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("list", sa.String(length=12), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_saved_filters_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_filters")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_saved_filters_account_id_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "seen_domains",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_seen_domains_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "domain", name=op.f("pk_seen_domains")),
    )
    with op.batch_alter_table("seen_domains", schema=None) as batch_op:
        batch_op.create_index("ix_seen_domains_account_id", ["account_id", "seen_at"], unique=False)
        batch_op.create_index("ix_seen_domains_seen_at", ["seen_at"], unique=False)

    op.create_table(
        "share_links",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("domains", Json, nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_share_links_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_share_links")),
        sa.UniqueConstraint("hash", name=op.f("uq_share_links_hash")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("share_links", schema=None) as batch_op:
        batch_op.create_index("ix_share_links_account_id", ["account_id"], unique=False)
        batch_op.create_index("ix_share_links_expires_at", ["expires_at"], unique=False)

    op.create_table(
        "site_sessions",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_site_sessions_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_site_sessions")),
    )
    with op.batch_alter_table("site_sessions", schema=None) as batch_op:
        batch_op.create_index("ix_site_sessions_account_id", ["account_id"], unique=False)

    op.create_table(
        "source_runs",
        sa.Column("id", Id, nullable=False),
        sa.Column("scan_id", Id, nullable=False),
        sa.Column("feed", sa.String(length=200), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("rows", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("good", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("passed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("counts", Json, nullable=False),
        sa.Column("samples", Json, nullable=False),
        sa.Column("sketch", Json, nullable=True),
        sa.Column("accepted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["scan_id"], ["scans.id"], name=op.f("fk_source_runs_scan_id_scans"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_runs")),
        sa.UniqueConstraint("scan_id", "feed", name=op.f("uq_source_runs_scan_id_feed")),
    )
    with op.batch_alter_table("source_runs", schema=None) as batch_op:
        batch_op.create_index("ix_source_runs_feed", ["feed", "id"], unique=False)

    op.create_table(
        "usage_counters",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_usage_counters_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "kind", "start", name=op.f("pk_usage_counters")),
    )
    op.create_table(
        "watches",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_watches_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "domain", name=op.f("pk_watches")),
    )
    with op.batch_alter_table("watches", schema=None) as batch_op:
        batch_op.create_index("ix_watches_domain", ["domain"], unique=False)

    op.create_table(
        "webhook_endpoints",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("events", Json, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.Column("consecutive_failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("slow_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_webhook_endpoints_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_endpoints")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("webhook_endpoints", schema=None) as batch_op:
        batch_op.create_index("ix_webhook_endpoints_account_id", ["account_id"], unique=False)

    op.create_table(
        "alert_matches",
        sa.Column("id", Id, nullable=False),
        sa.Column("rule_id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("matched_at", sa.BigInteger(), nullable=False),
        sa.Column("mailed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_alert_matches_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["rule_id"],
            ["alert_rules.id"],
            name=op.f("fk_alert_matches_rule_id_alert_rules"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_matches")),
        sa.UniqueConstraint("rule_id", "domain", "round", name=op.f("uq_alert_matches_rule_id_domain_round")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("alert_matches", schema=None) as batch_op:
        batch_op.create_index("ix_alert_matches_account_id", ["account_id", "matched_at"], unique=False)
        batch_op.create_index("ix_alert_matches_domain", ["domain", "round"], unique=False)

    op.create_table(
        "deliveries",
        sa.Column("id", Id, nullable=False),
        sa.Column("event_id", sa.String(length=30), nullable=False),
        sa.Column("endpoint_id", Id, nullable=False),
        sa.Column("event", sa.String(length=32), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("response_code", sa.Integer(), nullable=True),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("redelivery_requested_at", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name=op.f("fk_deliveries_endpoint_id_webhook_endpoints"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_deliveries_event_id_events"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
        sa.UniqueConstraint("event_id", "endpoint_id", name=op.f("uq_deliveries_event_id_endpoint_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.create_index(
            "ix_deliveries_due_at",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )
        batch_op.create_index("ix_deliveries_endpoint_id", ["endpoint_id", "created_at"], unique=False)
        batch_op.create_index(
            "ix_deliveries_event",
            ["event", "endpoint_id", "due_at", "id"],
            unique=False,
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )
        batch_op.create_index(
            "ix_deliveries_waiting",
            ["endpoint_id", "due_at", "id"],
            unique=False,
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )


def downgrade() -> None:
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_deliveries_waiting",
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )
        batch_op.drop_index(
            "ix_deliveries_event",
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )
        batch_op.drop_index("ix_deliveries_endpoint_id")
        batch_op.drop_index(
            "ix_deliveries_due_at",
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )

    op.drop_table("deliveries")
    with op.batch_alter_table("alert_matches", schema=None) as batch_op:
        batch_op.drop_index("ix_alert_matches_domain")
        batch_op.drop_index("ix_alert_matches_account_id")

    op.drop_table("alert_matches")
    with op.batch_alter_table("webhook_endpoints", schema=None) as batch_op:
        batch_op.drop_index("ix_webhook_endpoints_account_id")

    op.drop_table("webhook_endpoints")
    with op.batch_alter_table("watches", schema=None) as batch_op:
        batch_op.drop_index("ix_watches_domain")

    op.drop_table("watches")
    op.drop_table("usage_counters")
    with op.batch_alter_table("source_runs", schema=None) as batch_op:
        batch_op.drop_index("ix_source_runs_feed")

    op.drop_table("source_runs")
    with op.batch_alter_table("site_sessions", schema=None) as batch_op:
        batch_op.drop_index("ix_site_sessions_account_id")

    op.drop_table("site_sessions")
    with op.batch_alter_table("share_links", schema=None) as batch_op:
        batch_op.drop_index("ix_share_links_expires_at")
        batch_op.drop_index("ix_share_links_account_id")

    op.drop_table("share_links")
    with op.batch_alter_table("seen_domains", schema=None) as batch_op:
        batch_op.drop_index("ix_seen_domains_seen_at")
        batch_op.drop_index("ix_seen_domains_account_id")

    op.drop_table("seen_domains")
    op.drop_table("saved_filters")
    op.drop_table("reserved_views")
    with op.batch_alter_table("reminders", schema=None) as batch_op:
        batch_op.drop_index("ix_reminders_domain")

    op.drop_table("reminders")
    op.drop_table("open_domains")
    with op.batch_alter_table("mails", schema=None) as batch_op:
        batch_op.drop_index("ix_mails_status")

    op.drop_table("mails")
    op.drop_table("list_visits")
    op.drop_table("grants")
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.drop_index("ix_events_created_at")
        batch_op.drop_index("ix_events_account_id")

    op.drop_table("events")
    op.drop_table("drop_notices")
    with op.batch_alter_table("domain_tags", schema=None) as batch_op:
        batch_op.drop_index("ix_domain_tags_tag")

    op.drop_table("domain_tags")
    op.drop_table("domain_notes")
    with op.batch_alter_table("credit_ledger", schema=None) as batch_op:
        batch_op.drop_index("ix_credit_ledger_account_id")

    op.drop_table("credit_ledger")
    with op.batch_alter_table("checks", schema=None) as batch_op:
        batch_op.drop_index("ix_checks_status")
        batch_op.drop_index("ix_checks_account_id")

    op.drop_table("checks")
    with op.batch_alter_table("check_batches", schema=None) as batch_op:
        batch_op.drop_index("ix_check_batches_account_id")

    op.drop_table("check_batches")
    with op.batch_alter_table("candidates", schema=None) as batch_op:
        batch_op.drop_index("ix_candidates_state")
        batch_op.drop_index("ix_candidates_scan")
        batch_op.drop_index("ix_candidates_lease_until")

    op.drop_table("candidates")
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.drop_index("ix_api_keys_account_id")

    op.drop_table("api_keys")
    with op.batch_alter_table("answered_requests", schema=None) as batch_op:
        batch_op.drop_index("ix_answered_requests_began_at")

    op.drop_table("answered_requests")
    with op.batch_alter_table("alert_rules", schema=None) as batch_op:
        batch_op.drop_index("ix_alert_rules_account_id")

    op.drop_table("alert_rules")
    op.drop_table("workers")
    with op.batch_alter_table("visitor_checks", schema=None) as batch_op:
        batch_op.drop_index("ix_visitor_checks_status")
        batch_op.drop_index("ix_visitor_checks_day")
        batch_op.drop_index("ix_visitor_checks_created_at")

    op.drop_table("visitor_checks")
    op.drop_table("versions")
    with op.batch_alter_table("to_match", schema=None) as batch_op:
        batch_op.drop_index("ix_to_match_due_at")

    op.drop_table("to_match")
    with op.batch_alter_table("sign_in_attempts", schema=None) as batch_op:
        batch_op.drop_index("ix_sign_in_attempts_subject")

    op.drop_table("sign_in_attempts")
    with op.batch_alter_table("scans", schema=None) as batch_op:
        batch_op.drop_index("ix_scans_finished_at")

    op.drop_table("scans")
    with op.batch_alter_table("reviews", schema=None) as batch_op:
        batch_op.drop_index("ix_reviews_valid_until")
        batch_op.drop_index("ix_reviews_reviewed_at")

    op.drop_table("reviews")
    with op.batch_alter_table("registry_changes", schema=None) as batch_op:
        batch_op.drop_index("ix_registry_changes_told_at")

    op.drop_table("registry_changes")
    with op.batch_alter_table("registry_states", schema=None) as batch_op:
        batch_op.drop_index("ix_registry_states_due_at")

    op.drop_table("registry_states")
    op.drop_table("registry_passes")
    op.drop_table("whois_days")
    op.drop_table("registry_canaries")
    op.drop_table("provider_spend")
    with op.batch_alter_table("provider_answers", schema=None) as batch_op:
        batch_op.drop_index("ix_provider_answers_asked_at")

    op.drop_table("provider_answers")
    with op.batch_alter_table("operator_actions", schema=None) as batch_op:
        batch_op.drop_index("ix_operator_actions_domain")

    op.drop_table("operator_actions")
    op.drop_table("open_draws")
    op.drop_table("metric_values")
    with op.batch_alter_table("lookup_answers", schema=None) as batch_op:
        batch_op.drop_index("ix_lookup_answers_keep_until")

    op.drop_table("lookup_answers")
    with op.batch_alter_table("listings", schema=None) as batch_op:
        batch_op.drop_index("ix_listings_feed")
        batch_op.drop_index("ix_listings_domain")

    op.drop_table("listings")
    op.drop_table("job_runs")
    op.drop_table("host_pace")
    op.drop_table("host_outages")
    op.drop_table("exchange_rates")
    with op.batch_alter_table("domains", schema=None) as batch_op:
        batch_op.drop_index("ix_domains_score")
        batch_op.drop_index("ix_domains_recheck_at")
        batch_op.drop_index("ix_domains_next_listing_at")
        batch_op.drop_index("ix_domains_live_until")
        batch_op.drop_index("ix_domains_hunt_day")
        batch_op.drop_index("ix_domains_found_at")
        batch_op.drop_index("ix_domains_announced")

    op.drop_table("domains")
    with op.batch_alter_table("changed_domains", schema=None) as batch_op:
        batch_op.drop_index("ix_changed_domains_version")

    op.drop_table("changed_domains")
    op.drop_table("banned_domains")
    with op.batch_alter_table("archived_pages", schema=None) as batch_op:
        batch_op.drop_index("ix_archived_pages_content_state")

    op.drop_table("archived_pages")
    with op.batch_alter_table("archive_answers", schema=None) as batch_op:
        batch_op.drop_index("ix_archive_answers_keep_until")
        batch_op.drop_index("ix_archive_answers_fetched_at")

    op.drop_table("archive_answers")
    op.drop_table("accounts")
