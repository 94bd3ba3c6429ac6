"""The copy of everything an account owns, for its owner. Secrets and hashes are left out."""

from __future__ import annotations

from typing import Any, Final

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.tables.accounts import accounts, api_keys, credit_ledger
from afterdrop.db.tables.checks import check_batches, checks
from afterdrop.db.tables.delivery import webhook_endpoints
from afterdrop.db.tables.watching import (
    alert_matches,
    alert_rules,
    domain_notes,
    domain_tags,
    list_visits,
    saved_filters,
    seen_domains,
    share_links,
    watches,
)

_ACCOUNT: Final = (
    "email", "created_at", "verified_at", "plan_until", "zone", "digest_hour", "reminder_hours",
    "list_columns",
    "mail_alerts", "mail_watches", "mail_rule_reminders", "mail_weekly", "mail_checks",
)  # fmt: skip
_OWNED: Final[tuple[tuple[sa.Table, tuple[str, ...]], ...]] = (
    (api_keys, ("name", "scope", "hint", "created_at", "last_used_at")),
    (watches, ("domain", "created_at")),
    (domain_notes, ("domain", "note", "written_at")),
    (domain_tags, ("domain", "tag", "tagged_at")),
    (saved_filters, ("name", "list", "query", "saved_at")),
    (share_links, ("domains", "made_at", "expires_at")),
    (seen_domains, ("domain", "seen_at")),
    (list_visits, ("began_at", "last_at", "previous_at")),
    (alert_rules, ("id", "name", "active", "frequency", "mail", "criteria", "match_count", "created_at")),
    (alert_matches, ("rule_id", "domain", "matched_at")),
    (webhook_endpoints, ("url", "events", "active", "created_at", "last_delivered_at")),
    (checks, ("id", "domain", "status", "created_at", "finished_at", "score", "verdict", "report")),
    (check_batches, ("id", "created_at", "items")),
    (credit_ledger, ("bucket", "delta", "reason", "month", "at")),
)


async def account_row(conn: AsyncConnection, account_id: int) -> dict[str, Any]:
    """The account's row: address, plan, time zone, digest hour, reminder hours and mail switches."""
    chosen = [accounts.c[name] for name in _ACCOUNT]
    row = (await conn.execute(sa.select(*chosen).where(accounts.c.id == account_id))).mappings().one()
    return {str(name): value for name, value in row.items()}


async def export_account(conn: AsyncConnection, account_id: int) -> bytes:
    """All rows of the account as a JSON document, by table."""
    content: dict[str, Any] = {"account": await account_row(conn, account_id)}
    for table, names in _OWNED:
        columns = [table.c[name] for name in names]
        chosen = sa.select(*columns).where(table.c.account_id == account_id)
        found = (await conn.execute(chosen)).mappings()
        content[str(table.name)] = [{str(name): value for name, value in row.items()} for row in found]
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)
