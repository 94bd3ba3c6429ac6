"""The SQL of what accounts saved: alert rules, their matches, watched domains."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.alerts import alert_matches, alert_rules, watches
from afterdrop.db.tables.catalogue import domains

_rule = alert_rules.c
_watch = watches.c


async def count_rules(conn: AsyncConnection, account_id: int) -> int:
    """How many rules an account has, the paused ones included."""
    mine = sa.select(sa.func.count()).where(_rule.account_id == account_id)
    return int(await conn.scalar(mine.select_from(alert_rules)) or 0)


async def rules_of(conn: AsyncConnection, account_id: int) -> list[dict[str, Any]]:
    """An account's rules by id."""
    rows = await conn.execute(sa.select(alert_rules).where(_rule.account_id == account_id).order_by(_rule.id))
    return [dict(row) for row in rows.mappings()]


async def rule(
    conn: AsyncConnection, account_id: int, rule_id: int, *, lock: bool = False
) -> dict[str, Any] | None:
    """One of the account's rules; `lock` holds it until the transaction ends."""
    chosen = sa.select(alert_rules).where(_rule.id == rule_id, _rule.account_id == account_id)
    row = (await conn.execute(chosen.with_for_update() if lock else chosen)).mappings().first()
    return dict(row) if row else None


async def insert_rule(conn: AsyncConnection, values: dict[str, Any]) -> dict[str, Any]:
    """Add a rule."""
    row = await conn.execute(sa.insert(alert_rules).values(**values).returning(alert_rules))
    return dict(row.mappings().one())


async def update_rule(conn: AsyncConnection, rule_id: int, values: dict[str, Any]) -> dict[str, Any]:
    """Change a rule that is locked."""
    statement = sa.update(alert_rules).where(_rule.id == rule_id).values(**values).returning(alert_rules)
    return dict((await conn.execute(statement)).mappings().one())


async def delete_rule(conn: AsyncConnection, account_id: int, rule_id: int) -> bool:
    """Delete one of the account's rules with its matches; False when it has no such rule."""
    done = await conn.execute(
        sa.delete(alert_rules).where(_rule.id == rule_id, _rule.account_id == account_id)
    )
    return done.rowcount == 1


async def matches_of(
    conn: AsyncConnection, viewer: Viewer, *, since: datetime | None, before: datetime | None, limit: int
) -> list[dict[str, Any]]:
    """The viewer's matches, newest first: matched_at, domain, rule_id, name. Those are absent, and not counted in
    `limit`, whose domain `catalogue.store.summaries` has no summary of for this viewer.
    """
    match = alert_matches.c
    known = sa.exists().where(domains.c.domain == match.domain)
    chosen = (
        sa.select(match.matched_at, match.domain, match.rule_id, _rule.name)
        .join(alert_rules, _rule.id == match.rule_id)
        .where(
            match.account_id == viewer.account_id,
            known if viewer.operator else known.where(domains.c.gated.is_(False)),
        )
        .order_by(match.matched_at.desc(), match.id.desc())
        .limit(limit)
    )
    if since is not None:
        chosen = chosen.where(match.matched_at >= since)
    if before is not None:
        chosen = chosen.where(match.matched_at < before)
    return [dict(row) for row in (await conn.execute(chosen)).mappings()]


async def count_watches(conn: AsyncConnection, account_id: int) -> int:
    """How many domains an account watches."""
    mine = sa.select(sa.func.count()).select_from(watches).where(_watch.account_id == account_id)
    return int(await conn.scalar(mine) or 0)


async def watches_domain(conn: AsyncConnection, account_id: int, domain: str) -> bool:
    """Whether the account watches the domain."""
    found = await conn.scalar(
        sa.select(_watch.domain).where(_watch.account_id == account_id, _watch.domain == domain)
    )
    return found is not None


async def watched_domains(conn: AsyncConnection, account_id: int) -> list[str]:
    """The names an account watches."""
    return list(await conn.scalars(sa.select(_watch.domain).where(_watch.account_id == account_id)))


async def insert_watch(conn: AsyncConnection, account_id: int, domain: str, now: datetime) -> None:
    """Watch a domain; harmless when it is watched."""
    row = {"account_id": account_id, "domain": domain, "created_at": now}
    await insert_once(conn, watches, row, ["account_id", "domain"])


async def delete_watch(conn: AsyncConnection, account_id: int, domain: str) -> bool:
    """Stop watching; False when it was not watched."""
    done = await conn.execute(
        sa.delete(watches).where(_watch.account_id == account_id, _watch.domain == domain)
    )
    return done.rowcount == 1
