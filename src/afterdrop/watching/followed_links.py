"""The links to followed names are looked at once a month, whether the names are listed or not."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.publish import refresh
from afterdrop.db.tables.feeds import metric_values
from afterdrop.db.tables.watching import watches
from afterdrop.review.live_links import PROVIDER, looked_at, pages_taken
from afterdrop.sources.metrics.model import LINKS, LINKS_TODAY, TOP_REFERRING_DOMAINS, Metric
from afterdrop.sources.metrics.store import metrics_of, put_metrics
from afterdrop.worker_context import WorkerContext

# How many names a run of the job looks at, and for how many seconds at each.
_NAMES: Final = 20
_SECONDS: Final = 60.0


async def look_at_followed(context: WorkerContext) -> dict[str, int]:
    """Look at the links of followed names that nobody looked at lately; gives how many names. Call it every hour."""
    live = context.settings.live
    if not (live.links and live.followed and context.settings.contact):
        return {"names": 0}
    async with context.database.read() as conn:
        names = await _due(conn, context.now() - timedelta(days=live.valid_days))
    looked = 0
    for name in names:
        async with context.database.read() as conn:
            if await pages_taken(conn, context.now()) >= live.pages_per_day:
                break  # the others come first on another day
        await _look(context, name)
        looked += 1
    return {"names": looked}


async def _look(context: WorkerContext, domain: str) -> None:
    async with context.database.read() as conn:
        known = await metrics_of(conn, domain)
    seen = await looked_at(context, domain, known, _SECONDS)
    now = context.now()
    # A name with nothing to look at waits as long as the others.
    metric = seen or Metric(LINKS_TODAY, known.items(LINKS_TODAY) or [], PROVIDER, now)
    async with context.database.write() as conn:
        await put_metrics(conn, [(domain, metric)])
        await refresh(conn, [domain], now, f"{now:%Y-%m-%d}")


async def _due(conn: AsyncConnection, before: datetime) -> list[str]:
    """Followed names with known links whose links nobody has looked at since `before`."""
    mine, row = watches.c.domain, metric_values.c
    linked = sa.exists().where(row.domain == mine, row.role.in_((LINKS, TOP_REFERRING_DOMAINS)))
    looked = sa.exists().where(row.domain == mine, row.role == LINKS_TODAY, row.fetched_at > before)
    chosen = sa.select(mine).where(linked, ~looked).group_by(mine).order_by(mine).limit(_NAMES)
    return list(await conn.scalars(chosen))
