"""Publishing: from a finished review to the lists, in the transaction of whoever settles the review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import writing
from afterdrop.catalogue.listings import turned
from afterdrop.catalogue.placement import Placement, place
from afterdrop.catalogue.vetting import vet
from afterdrop.db.engine import Database
from afterdrop.db.statements import bump
from afterdrop.db.tables.catalogue import domains, reserved_views
from afterdrop.db.tables.feeds import listings, metric_values
from afterdrop.review.history import History

# Placing a domain is a few milliseconds of work; a write transaction may take fifty.
_AT_ONCE = 8
_NAMES_AT_ONCE = 400


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
    return placed


async def refresh(
    conn: AsyncConnection, names: Collection[str], now: datetime, day: str
) -> dict[str, Placement]:
    """Bring published domains among `names` up to their listings and metrics as they are now; at most 8 names a call.

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
    return placed


async def refresh_changed(database: Database, since: datetime, now: datetime, day: str) -> Counter[str]:
    """Refresh every published domain whose listings or metrics were told anew at or after `since` (a scan's start).

    Each few domains in a transaction of their own; counts outcomes.
    """
    counts: Counter[str] = Counter()
    after = ""
    while True:
        async with database.read() as conn:
            names = await changed_names(conn, since, after)
        if not names:
            return counts
        after = names[-1]
        for start in range(0, len(names), _AT_ONCE):
            async with database.write() as conn:
                placed = await refresh(conn, names[start : start + _AT_ONCE], now, day)
            counts.update(each.outcome for each in placed.values())


async def changed_names(conn: AsyncConnection, since: datetime, after: str) -> list[str]:
    """Published names after `after` whose listings or metrics were told anew at or after `since`, in order."""
    name = domains.c.domain
    told = sa.exists().where(
        listings.c.domain == name,
        sa.or_(listings.c.last_seen_at >= since, listings.c.withdrawn_at >= since),
    )
    measured = sa.exists().where(metric_values.c.domain == name, metric_values.c.fetched_at >= since)
    chosen = sa.select(name).where(name > after, domains.c.removed_at.is_(None), sa.or_(told, measured))
    return list((await conn.scalars(chosen.order_by(name).limit(_NAMES_AT_ONCE))).all())


async def turn(conn: AsyncConnection, now: datetime, limit: int = 200) -> int:
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
            done = await conn.execute(sa.update(table).where(same).values(**turned(dict(row), now)))
            count += done.rowcount
    if count:
        await bump(conn, writing.CATALOGUE)
    return count
