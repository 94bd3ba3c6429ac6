"""One deployment has one audience (`core.audience`): no row is reserved for operators any more, and none is there twice.

Reserved rows are told from their marks a last time. A team sees everything: where operators had a view of their own,
that is the row. A public service has nothing of the kind: it is forgotten where somebody said so, else the upgrade is
refused and nothing has changed.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from alembic import context, op

from afterdrop.core import clock
from afterdrop.core.audience import MEMBERS_PLAN, STORED, check_change
from afterdrop.core.errors import SettingsError
from afterdrop.db.packed_json import pack
from afterdrop.db.schema import Instant, Json

revision = "2000"
down_revision = "1112"
branch_labels = None
depends_on = None

# The columns of a view of a domain, as 1.x kept it once for the public and once for operators.
_VIEW: Final = (
    *("score", "verdict", "flags", "flag_count", "topic", "domain_rating", "trust_flow", "citation_flow"),
    *(
        "referring_domains",
        "valuation_usd",
        "search_volume",
        "cost_per_click_cents",
        "extensions_taken",
        "adult",
    ),
    *("last_owner_links", "live_links", "source", "source_title", "type", "price_usd", "bids", "ends_at"),
    *("certain_from", "url", "live_until", "next_listing_at", "next_listings", "report"),
)
_VIEWED: Final = ", ".join(f"{name} = v.{name}" for name in _VIEW)
_THEIRS: Final = "domain IN (SELECT domain FROM domains WHERE gated)"
_LATER_EVENTS: Final = f"reserved OR {_THEIRS}"
_ONLY_THEIRS: Final = (
    "domain IN (SELECT domain FROM listings WHERE gated)"
    " AND domain NOT IN (SELECT domain FROM listings WHERE NOT gated)"
)
# What a public service forgets, in the order in which nothing is left that refers to what is gone: name, table, rows.
_FORGOTTEN: Final = (
    ("deliveries", "deliveries", f"event_id IN (SELECT id FROM events WHERE {_LATER_EVENTS})"),
    ("events", "events", _LATER_EVENTS),
    ("mails", "mails", "reserved"),
    ("repeatable answers", "answered_requests", "1 = 1"),
    ("matches", "alert_matches", f"reserved OR {_THEIRS}"),
    ("seen names", "seen_domains", f"reserved OR {_THEIRS}"),
    ("names to match", "to_match", _THEIRS),
    ("archived pages", "archived_pages", _THEIRS),
    ("operators' views", "reserved_views", "1 = 1"),
    ("reports", "reports", f"operators OR {_THEIRS}"),
    ("domains", "domains", "gated"),
    (
        "vendors' answers",
        "provider_answers",
        "provider IN (SELECT DISTINCT provider FROM metric_values WHERE gated)",
    ),
    ("figures", "metric_values", "gated"),
    ("candidates", "candidates", _ONLY_THEIRS),
    ("listings", "listings", "gated"),
    ("runs of feeds", "source_runs", "gated"),
)
_CHECKS: Final = (
    "UPDATE checks SET score = NULL, verdict = NULL, would_list = NULL, reject_reasons = NULL, report = NULL"
    " WHERE reserved"
)
_PRESENT: Final = (
    ("listings", "gated"),
    ("metric_values", "gated"),
    ("domains", "gated"),
    ("reserved_views", "1 = 1"),
    *((table, "reserved") for table in ("events", "mails", "checks")),
)
_AS_OPERATORS_SAW: Final = (
    f"UPDATE domains SET {_VIEWED} FROM reserved_views v WHERE v.domain = domains.domain",
    "DELETE FROM reports WHERE NOT operators AND domain IN (SELECT domain FROM reports WHERE operators)",
    "UPDATE domains SET found_at = COALESCE(operators_found_at, found_at),"
    " rank_on_hunt_day = operators_rank_on_hunt_day, last_open_on = operators_last_open_on,"
    " open_now = operators_open_now",
    # What our own look found on pages that only operators knew of.
    "DELETE FROM metric_values WHERE provider = 'live_pages' AND domain IN"
    " (SELECT domain FROM metric_values WHERE provider = 'live_pages_reserved')",
    "UPDATE metric_values SET provider = 'live_pages' WHERE provider = 'live_pages_reserved'",
)


def upgrade() -> None:
    audience = context.config.attributes["audience"]
    if audience == "team":
        _take_in()
        for statement in _AS_OPERATORS_SAW:
            op.execute(statement)
        _keep_draws("operators")
    else:
        _forget()
        op.execute("DELETE FROM reports WHERE operators")
        _keep_draws("public")
    op.bulk_insert(
        sa.table("versions", sa.column("name", sa.String), sa.column("value", sa.BigInteger)),
        [{"name": "audience", "value": STORED[audience]}],
    )
    _drop()


def _take_in() -> None:
    """Let the accounts that no operator has see everything, where somebody said how many they are."""
    count = _count("accounts", "NOT operator")
    check_change("team", None, count, context.config.attributes.get("accounts"))
    accounts = sa.table("accounts", sa.column("operator", sa.Boolean), sa.column("plan_until", Instant))
    others = sa.update(accounts).where(accounts.c.operator.is_(False))
    op.execute(others.values(plan_until=clock.now() + MEMBERS_PLAN))


def _forget() -> None:
    bind = op.get_bind()
    if not any(_count(table, where) for table, where in _PRESENT):
        return
    counts = [(what, _count(table, where)) for what, table, where in _FORGOTTEN]
    counts.append(("reports of checks", _count("checks", "reserved")))
    if not context.config.attributes.get("forget_own_use"):
        told = ", ".join(f"{count:,} {what}" for what, count in counts if count)
        raise SettingsError(
            "audience",
            f'is public, and the database has what is for your own use ({told}): with audience = "team" it stays,'
            " with `afterdrop migrate --forget-own-use` it is deleted",
        )
    for what, count in counts:
        context.config.attributes["tell"](f"forgotten: {count:,} {what}")
    bind.exec_driver_sql(_CHECKS)
    for _, table, where in _FORGOTTEN:
        bind.exec_driver_sql(f"DELETE FROM {table} WHERE {where}")


def _count(table: str, where: str) -> int:
    return int(op.get_bind().exec_driver_sql(f"SELECT count(*) FROM {table} WHERE {where}").scalar_one())


def _keep_draws(audience: str) -> None:
    """The draws of one audience, in tables that have no other."""
    bind = op.get_bind()
    draws, opened = (
        [
            dict(row)
            for row in bind.execute(
                sa.text(f"SELECT {columns} FROM {table} WHERE audience = :mine"), {"mine": audience}
            ).mappings()
        ]
        for columns, table in (("day, drawn_at, scan_id", "open_draws"), ("day, domain", "open_domains"))
    )
    op.drop_table("open_domains")
    op.drop_table("open_draws")
    made = op.create_table(
        "open_draws",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("drawn_at", sa.BigInteger(), nullable=False),
        sa.Column("scan_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_open_draws")),
    )
    names = op.create_table(
        "open_domains",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.ForeignKeyConstraint(
            ["day"], ["open_draws.day"], name=op.f("fk_open_domains_day_open_draws"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("day", "domain", name=op.f("pk_open_domains")),
    )
    op.bulk_insert(made, draws)
    op.bulk_insert(names, opened)


def _move_reports() -> None:
    """Move the reports that 1.0 kept in the rows of lists to their own table, some at a time."""
    bind, last = op.get_bind(), ""
    listed = sa.table("domains", sa.column("domain", sa.String), sa.column("report", Json))
    kept = sa.table("reports", *map(sa.column, ("domain", "varying_severity", "report")))
    page = (
        sa.select(listed).where(listed.c.domain > sa.bindparam("last")).order_by(listed.c.domain).limit(500)
    )
    while rows := bind.execute(page, {"last": last}).all():
        last = rows[-1].domain
        moved = [
            {"domain": domain, "varying_severity": _severity(report), "report": pack(report)}
            for domain, report in rows
            if report
        ]
        bind.execute(sa.delete(kept).where(kept.c.domain.in_([row["domain"] for row in moved])))
        op.bulk_insert(kept, moved)


def _severity(report: dict[str, Any]) -> str:
    """How grave it is that a name was parked (`conclusion.VARYING`), which lists tell."""
    checks = report.get("risk_checks", ())
    found = (check["severity"] for check in checks if (check["flag"], check["result"]) == ("parked", "found"))
    return next(found, "info")


def _drop() -> None:
    op.drop_table("reserved_views")
    op.execute("CREATE TABLE kept_reports AS SELECT domain, varying_severity, report FROM reports")
    op.drop_table("reports")
    op.create_table(
        "reports",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("varying_severity", sa.String(length=8), nullable=True),
        sa.Column("report", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["domain"], ["domains.domain"], name=op.f("fk_reports_domain_domains"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_reports")),
    )
    op.execute("INSERT INTO reports SELECT domain, varying_severity, report FROM kept_reports")
    op.drop_table("kept_reports")
    _move_reports()
    # One copy of so large a table on SQLite, instead of one for each column.
    with op.batch_alter_table("domains", schema=None) as batch_op:
        for column in (
            *("gated", "operators_rank_on_hunt_day", "operators_last_open_on", "operators_open_now"),
            *(
                "operators_found_at",
                "first_free_at",
                "recheck_at",
                "recheck_claimed_by",
                "recheck_lease_until",
                "report",
            ),
        ):
            batch_op.drop_column(column)
    for table, columns in (
        *((table, ("reserved",)) for table in ("watches", "alert_matches", "seen_domains")),
        ("events", ("reserved", "domain")),
        *((table, ("reserved",)) for table in ("mails", "checks")),
        *((table, ("gated",)) for table in ("listings", "metric_values")),
        ("source_runs", ("gated", "public_passed")),
        ("registry_states", ("quiet_until",)),
    ):
        # SQLite drops them in place; a copy would lose what Alembic does not read of a table, as AUTOINCREMENT.
        with op.batch_alter_table(table, schema=None, recreate="never") as batch_op:
            for column in columns:
                batch_op.drop_column(column)
