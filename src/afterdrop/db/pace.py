"""Pace per host and per deployment: a worker leases its slot from a `host_pace` row by one conditional UPDATE.

Ten workers are then as polite as one, and a Retry-After blocks the host for everyone. Times are epoch seconds.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.statements import insert_once
from afterdrop.db.tables.feeds import host_pace


async def lease_slot(
    conn: AsyncConnection, host: str, interval: float, epoch: float, horizon: float
) -> float:
    """Take the next free slot of `host`, `interval` seconds after the one before; gives the time to ask at.

    A slot more than `horizon` seconds ahead is not taken: the value is negative, minus the time to come back at.
    """
    row = host_pace.c
    start = sa.case(
        (sa.and_(row.next_at >= row.blocked_until, row.next_at >= epoch), row.next_at),
        (sa.and_(row.blocked_until >= row.next_at, row.blocked_until >= epoch), row.blocked_until),
        else_=epoch,
    )
    take = (
        sa.update(host_pace)
        .where(row.host == host, start <= epoch + horizon)
        .values(next_at=start + interval)
        .returning(row.next_at)
    )
    taken = (await conn.execute(take)).scalar_one_or_none()
    if taken is not None:
        return float(taken) - interval
    if await insert_once(
        conn, host_pace, {"host": host, "next_at": epoch + interval, "blocked_until": 0.0}, ["host"]
    ):
        return epoch
    taken = (await conn.execute(take)).scalar_one_or_none()
    if taken is not None:
        return float(taken) - interval
    ahead = (await conn.execute(sa.select(start).where(row.host == host))).scalar_one()
    return -float(ahead)


async def block(conn: AsyncConnection, host: str, until: float, note: str) -> None:
    """Nobody asks `host` before `until` (a Retry-After, or our own pause after trouble). Never shortens a block."""
    row = {"host": host, "next_at": 0.0, "blocked_until": until, "note": note}
    if not await insert_once(conn, host_pace, row, ["host"]):
        await conn.execute(
            sa.update(host_pace)
            .where(host_pace.c.host == host, host_pace.c.blocked_until < until)
            .values(blocked_until=until, note=note)
        )


async def blocked_until(conn: AsyncConnection, host: str) -> float:
    """Until when `host` is blocked, 0.0 when it is not."""
    found = await conn.execute(sa.select(host_pace.c.blocked_until).where(host_pace.c.host == host))
    return float(found.scalar_one_or_none() or 0.0)
