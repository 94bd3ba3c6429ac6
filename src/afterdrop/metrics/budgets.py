"""What a metric provider may still cost: units per UTC day and month, kept in the database for all workers together.

Units are reserved before a request and given back when the request surely was not served. Each limit is one
conditional UPDATE, so that any number of workers together never pass it.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.feeds import provider_spend
from afterdrop.metrics.provider_spec import Budget


def periods(now: datetime) -> tuple[str, str]:
    """The UTC month (2026-11) and day (2026-11-20) that units spent at `now` count in."""
    day = now.date().isoformat()
    return day[:7], day


async def reserve(conn: AsyncConnection, provider: str, budget: Budget, units: int, now: datetime) -> bool:
    """Take `units` from both budgets, or nothing and False when one of them has not that much left.

    The month's row is always locked before the day's, so that two workers never wait for each other.
    """
    month, day = periods(now)
    if not await _take(conn, provider, month, units, budget.per_month):
        return False
    if await _take(conn, provider, day, units, budget.per_day):
        return True
    await _put_back(conn, provider, month, units)
    return False


async def give_back(conn: AsyncConnection, provider: str, units: int, now: datetime) -> None:
    """Return what `reserve` took at `now`: the provider did not serve the request."""
    for period in periods(now):
        await _put_back(conn, provider, period, units)


async def spent(conn: AsyncConnection, provider: str, now: datetime) -> tuple[int, int]:
    """Units spent in this month and on this day."""
    rows = await conn.execute(
        sa.select(provider_spend.c.period, provider_spend.c.units).where(
            provider_spend.c.provider == provider, provider_spend.c.period.in_(periods(now))
        )
    )
    by_period = {period: int(units) for period, units in rows}
    month, day = periods(now)
    return by_period.get(month, 0), by_period.get(day, 0)


async def units_left(conn: AsyncConnection, provider: str, budget: Budget, now: datetime) -> int | None:
    """Units that may still be spent now; None without any limit."""
    in_month, in_day = await spent(conn, provider, now)
    left = [
        max(limit - used, 0)
        for limit, used in ((budget.per_month, in_month), (budget.per_day, in_day))
        if limit is not None
    ]
    return min(left) if left else None


async def _take(conn: AsyncConnection, provider: str, period: str, units: int, limit: int | None) -> bool:
    row = provider_spend.c
    fits = sa.true() if limit is None else row.units + units <= limit
    take = (
        sa.update(provider_spend)
        .where(row.provider == provider, row.period == period, fits)
        .values(units=row.units + units)
    )
    if (await conn.execute(take)).rowcount == 1:
        return True
    # Full, or not there yet. Whoever makes the row, the same statement decides again.
    row_of_none = {"provider": provider, "period": period, "units": 0}
    await insert_once(conn, provider_spend, row_of_none, ["provider", "period"])
    return (await conn.execute(take)).rowcount == 1


async def _put_back(conn: AsyncConnection, provider: str, period: str, units: int) -> None:
    row = provider_spend.c
    await conn.execute(
        sa.update(provider_spend)
        .where(row.provider == provider, row.period == period)
        .values(units=sa.case((row.units > units, row.units - units), else_=0))
    )
