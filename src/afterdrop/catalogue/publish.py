"""Publishing: from a finished review to the lists, in the transaction of whoever settles the review."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import writing
from afterdrop.catalogue.listings import next_listings
from afterdrop.catalogue.placement import Placement, place
from afterdrop.catalogue.vetting import vet
from afterdrop.db.dialects import bump_version
from afterdrop.db.tables.catalogue import domains, reserved_views
from afterdrop.review.history.domain_history import History


async def publish(conn: AsyncConnection, history: History, now: datetime, day: str) -> Placement:
    """Publish, refresh or reject a domain whose review has just finished; `day` is the scan's (2026-11-20).

    Reads its listings and metrics, writes the domain, its revival kit and, for a new round, one `to_match` row. The
    answer's `outcome`, `score` and `reasons` are the candidate's. A banned name is rejected.
    """
    domain = history.domain
    if await writing.is_banned(conn, domain):
        return Placement("rejected", reasons=("An operator banned the name.",))
    known = (await writing.known(conn, [domain], now))[domain]
    placed = place(history, replace(known, fresh=True), partial(vet, now=now), now, day)
    await writing.store(conn, domain, placed, now)
    if placed.row is not None:
        await writing.put_pages(conn, domain, history.pages, now)
    # Last: every publisher waits for the one who raised the version until that one commits.
    if placed.changes:
        await bump_version(conn, writing.CATALOGUE)
    return placed


async def refresh(
    conn: AsyncConnection, names: Collection[str], now: datetime, day: str
) -> dict[str, Placement]:
    """Bring published domains among `names` up to their listings and metrics as they are now.

    Price, end and listing follow, the score is made anew, a new round begins where no listing was live for 7 days
    and the review is still valid. Nothing is fetched. Names never published are left out.
    """
    histories = await writing.histories(conn, names)
    known = await writing.known(conn, histories, now)
    placed: dict[str, Placement] = {}
    for name, history in histories.items():
        if known[name].standing is not None:
            placed[name] = place(history, known[name], partial(vet, now=now), now, day)
            await writing.store(conn, name, placed[name], now)
    if any(each.changes for each in placed.values()):
        await bump_version(conn, writing.CATALOGUE)
    return placed


async def advance_listings(conn: AsyncConnection, now: datetime, limit: int = 200) -> int:
    """Write down which listing domains show now where a better one has ended; call every minute. Gives how many.

    Readers see the right listing without it; this keeps filters and order right as well.
    """
    count = 0
    for table in (domains, reserved_views):
        columns = [table.c[name] for name in ("domain", "turns_at", "later")]
        due = sa.select(*columns).where(table.c.turns_at <= now).order_by(table.c.turns_at).limit(limit)
        for row in (await conn.execute(due)).mappings().all():
            # Only as it was read: a refresh in between knows better.
            same = sa.and_(table.c.domain == row["domain"], table.c.turns_at == row["turns_at"])
            done = await conn.execute(sa.update(table).where(same).values(**next_listings(dict(row), now)))
            count += done.rowcount
    if count:
        await bump_version(conn, writing.CATALOGUE)
    return count
