"""Endless offers of feeds that are not configured (any more): no file will ever withdraw them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import listings
from afterdrop.feeds.row_outcome import UNSEEN
from afterdrop.feeds.store import due_candidates


async def expire_unconfigured(
    conn: AsyncConnection, feeds: Collection[str], scan_id: int, now: datetime, limit: int
) -> int:
    """Give up to `limit` endless offers of other feeds than these the end that an incomplete feed's have.

    The candidates of listed names become due, so that the catalogue hears of it. Gives how many offers.
    """
    c = listings.c
    endless = sa.and_(c.live_until.is_(None), c.withdrawn_at.is_(None), c.feed.not_in(feeds))
    rows = (await conn.execute(sa.select(c.id, c.domain, c.last_seen_at).where(endless).limit(limit))).all()
    if not rows:
        return 0
    await conn.execute(
        sa.update(listings)
        .where(c.id == sa.bindparam("which"))
        .values(live_until=sa.bindparam("end", type_=c.live_until.type)),
        [{"which": row.id, "end": row.last_seen_at + UNSEEN} for row in rows],
    )
    listed = sa.select(domains.c.domain).where(
        domains.c.domain.in_({row.domain for row in rows}), domains.c.removed_at.is_(None)
    )
    await due_candidates(conn, list((await conn.scalars(listed)).all()), scan_id, now)
    return len(rows)
