"""The service's figures: the last scan and the three lists, the same for every caller."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.queries import ended, live, on_list
from afterdrop.catalogue.summary import instant
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import scans


async def stats(conn: AsyncConnection, now: datetime) -> dict[str, Any]:
    """The stats object. `last_scan` is the last finished one, null before the first."""
    return {"last_scan": await _last_scan(conn), **await _lists(conn, now)}


async def _last_scan(conn: AsyncConnection) -> dict[str, Any] | None:
    finished = sa.select(scans).where(scans.c.finished_at.is_not(None))
    newest = finished.order_by(scans.c.finished_at.desc(), scans.c.id.desc()).limit(1)
    row = (await conn.execute(newest)).mappings().one_or_none()
    if row is None:
        return None
    return {
        "started_at": instant(row["started_at"]),
        "finished_at": instant(row["finished_at"]),
        "scanned": row["scanned"],
        "passed_authority_filter": row["passed_authority_filter"],
    }


async def _lists(conn: AsyncConnection, now: datetime) -> dict[str, Any]:
    row, public = domains.c, on_list(domains, operator=False)
    soon = sa.and_(row.ends_at > now, row.ends_at <= now + timedelta(hours=24))
    running = sa.select(
        sa.func.count(),
        sa.func.count().filter(row.open_now.is_(True)),
        sa.func.count().filter(soon),
        sa.func.count(row.score),
        sa.func.sum(row.score),
        sa.func.count(row.domain_rating),
        sa.func.sum(row.domain_rating),
    ).where(public, live(domains, now))
    count, open_, ending, scored, scores, rated, ratings = (await conn.execute(running)).one()
    over = sa.select(sa.func.count(), sa.func.count().filter(row.announced.is_(True)))
    archived, available = (await conn.execute(over.where(public, ended(domains, now)))).one()
    return {
        "live": {
            "domains": count,
            "open_on_free_plan": open_,
            "ending_within_24h": ending,
            "average_score": average(scores, scored),
            "average_domain_rating": average(ratings, rated),
        },
        "available_now": available,
        "archive": archived,
    }


def average(total: int | None, count: int) -> float | None:
    """To one decimal, half up; None of nothing."""
    if not count:
        return None
    return float((Decimal(int(total or 0)) / count).quantize(Decimal("0.1"), ROUND_HALF_UP))
