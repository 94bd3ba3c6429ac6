"""The SQL of checks as accounts see them: ordered, listed, read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.tables.checks import checks

_SUMMARY = (
    checks.c.id,
    checks.c.domain,
    checks.c.status,
    checks.c.created_at,
    checks.c.finished_at,
    checks.c.score,
    checks.c.verdict,
)


async def standing_check(
    conn: AsyncConnection, account_id: int, domain: str, since: datetime
) -> dict[str, Any] | None:
    """The account's newest check of a domain that still stands: queued, running, or done and made after `since`."""
    row = await conn.execute(
        sa.select(*_SUMMARY)
        .where(
            checks.c.account_id == account_id,
            checks.c.domain == domain,
            sa.or_(
                checks.c.status.in_(("queued", "running")),
                sa.and_(checks.c.status == "done", checks.c.created_at > since),
            ),
        )
        .order_by(checks.c.created_at.desc(), checks.c.id.desc())
        .limit(1)
    )
    found = row.mappings().first()
    return dict(found) if found else None


async def newest_id(conn: AsyncConnection, account_id: int, since: datetime) -> str | None:
    """The highest id among the account's checks made at or after `since`."""
    found: str | None = await conn.scalar(
        sa.select(sa.func.max(checks.c.id)).where(
            checks.c.account_id == account_id, checks.c.created_at >= since
        )
    )
    return found


async def insert_check(conn: AsyncConnection, values: dict[str, Any]) -> dict[str, Any]:
    """Add a check. Another one in progress for the same account and domain is the database's unique violation."""
    row = await conn.execute(sa.insert(checks).values(**values).returning(*_SUMMARY))
    return dict(row.mappings().one())


async def queue_position(conn: AsyncConnection, check_id: str, created_at: datetime) -> int:
    """The place of a queued check among all queued ones, from 1."""
    earlier = sa.or_(
        checks.c.created_at < created_at,
        sa.and_(checks.c.created_at == created_at, checks.c.id < check_id),
    )
    before = sa.select(sa.func.count()).select_from(checks).where(checks.c.status == "queued", earlier)
    return int(await conn.scalar(before) or 0) + 1


async def count_checks(conn: AsyncConnection, account_id: int) -> int:
    """How many checks an account ever ordered."""
    mine = sa.select(sa.func.count()).select_from(checks).where(checks.c.account_id == account_id)
    return int(await conn.scalar(mine) or 0)


async def checks_of(
    conn: AsyncConnection, account_id: int, *, page: int, per_page: int
) -> list[dict[str, Any]]:
    """A page of an account's checks, newest first."""
    rows = await conn.execute(
        sa.select(*_SUMMARY)
        .where(checks.c.account_id == account_id)
        .order_by(checks.c.created_at.desc(), checks.c.id.desc())
        .limit(per_page)
        .offset((page - 1) * per_page)
    )
    return [dict(row) for row in rows.mappings()]


async def check_row(conn: AsyncConnection, account_id: int, check_id: str) -> dict[str, Any] | None:
    """One of the account's checks with everything it found, or None."""
    row = await conn.execute(
        sa.select(checks).where(checks.c.id == check_id, checks.c.account_id == account_id)
    )
    found = row.mappings().first()
    return dict(found) if found else None
