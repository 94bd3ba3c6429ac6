"""Pace per host and per deployment: a worker leases its slot from a `host_pace` row by one conditional UPDATE.

Ten workers are then as polite as one, and a Retry-After blocks the host for all of them. Times are seconds since 1970.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.feeds import host_pace

_ROW = host_pace.c
_SINCE: sa.BindParameter[float] = sa.bindparam("since", type_=sa.Float())
_START = sa.case(
    (sa.and_(_ROW.next_at >= _ROW.blocked_until, _ROW.next_at >= _SINCE), _ROW.next_at),
    (sa.and_(_ROW.blocked_until >= _ROW.next_at, _ROW.blocked_until >= _SINCE), _ROW.blocked_until),
    else_=_SINCE,
)
# Built once: a statement of this size costs more to build than to run, and every request runs it.
_TAKE = (
    sa.update(host_pace)
    .where(_ROW.host == sa.bindparam("to"), _SINCE + sa.bindparam("ahead", type_=sa.Float()) >= _START)
    .values(next_at=_START + sa.bindparam("every", type_=sa.Float()))
    .returning(_ROW.next_at)
)
_NEXT = sa.select(_START).where(_ROW.host == sa.bindparam("to"))


async def lease_slot(
    conn: AsyncConnection, host: str, interval: float, epoch: float, horizon: float
) -> float:
    """Lease the next free slot of `host`, `interval` seconds after the last one; gives the slot's time.

    A slot more than `horizon` seconds ahead is not leased; the result is then minus the time to come back at.
    """
    asked = {"to": host, "every": interval, "since": epoch, "ahead": horizon}
    taken = (await conn.execute(_TAKE, asked)).scalar_one_or_none()
    if taken is not None:
        return float(taken) - interval
    if await insert_once(
        conn, host_pace, {"host": host, "next_at": epoch + interval, "blocked_until": 0.0}, ["host"]
    ):
        return epoch
    taken = (await conn.execute(_TAKE, asked)).scalar_one_or_none()
    if taken is not None:
        return float(taken) - interval
    ahead = (await conn.execute(_NEXT, asked)).scalar_one()
    return -float(ahead)


async def free_at(conn: AsyncConnection, host: str) -> float:
    """The time of the host's next free slot, which may be long past; 0.0 for a host that was never asked."""
    found = await conn.execute(sa.select(host_pace.c.next_at).where(host_pace.c.host == host))
    return float(found.scalar_one_or_none() or 0.0)


async def block(conn: AsyncConnection, host: str, until: float, note: str) -> None:
    """Block `host` until `until` (a Retry-After, or our own pause after trouble). A block is never shortened."""
    row = {"host": host, "next_at": 0.0, "blocked_until": until, "note": note}
    if not await insert_once(conn, host_pace, row, ["host"]):
        await conn.execute(
            sa.update(host_pace)
            .where(host_pace.c.host == host, host_pace.c.blocked_until < until)
            .values(blocked_until=until, note=note)
        )


async def unblock(conn: AsyncConnection, host: str) -> None:
    """Let `host` be asked at once again."""
    await conn.execute(sa.delete(host_pace).where(host_pace.c.host == host))


async def blocked_until(conn: AsyncConnection, host: str) -> float:
    """The time until which `host` is blocked, 0.0 when it is not."""
    found = await conn.execute(sa.select(host_pace.c.blocked_until).where(host_pace.c.host == host))
    return float(found.scalar_one_or_none() or 0.0)
