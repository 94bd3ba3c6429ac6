"""Pace per host and per deployment: a worker leases its slot from a `host_pace` row by one conditional UPDATE.

Ten workers are then as polite as one, and a Retry-After blocks the host for all of them. Times are seconds since 1970.
A time beyond what any of our own writes reaches was written by a machine whose clock is wrong: it counts as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once, upsert
from afterdrop.db.tables.feeds import host_pace

# No block reaches further: a Retry-After counts for an hour at most, and the clocks of two machines may differ.
LONGEST_BLOCK: Final = 7200.0

_ROW = host_pace.c
_SINCE: sa.BindParameter[float] = sa.bindparam("since", type_=sa.Float())
_EVERY: sa.BindParameter[float] = sa.bindparam("every", type_=sa.Float())


def _believed(column: sa.ColumnElement[float], most: sa.ColumnElement[float]) -> sa.ColumnElement[float]:
    return sa.case((column > most, 0.0), else_=column)


_BLOCKED = _believed(_ROW.blocked_until, _SINCE + LONGEST_BLOCK)
# The next slot is one interval behind the last, which was leased at most half a minute or an interval ahead.
_FREE = _believed(_ROW.next_at, _SINCE + LONGEST_BLOCK + 2 * _EVERY)
_START = sa.case(
    (sa.and_(_FREE >= _BLOCKED, _FREE >= _SINCE), _FREE),
    (sa.and_(_BLOCKED >= _FREE, _BLOCKED >= _SINCE), _BLOCKED),
    else_=_SINCE,
)
# Built once: a statement of this size costs more to build than to run, and every request runs it.
_TAKE = (
    sa.update(host_pace)
    .where(_ROW.host == sa.bindparam("to"), _SINCE + sa.bindparam("ahead", type_=sa.Float()) >= _START)
    .values(next_at=_START + _EVERY)
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


async def free_at(conn: AsyncConnection, host: str, interval: float, epoch: float) -> float:
    """The time of the host's next free slot, which may be long past; 0.0 for a host that was never asked."""
    found = await conn.execute(sa.select(_FREE).where(_ROW.host == host), {"every": interval, "since": epoch})
    return float(found.scalar_one_or_none() or 0.0)


async def block(conn: AsyncConnection, host: str, until: float, note: str) -> None:
    """Block `host` until `until` (a Retry-After, or our own pause after trouble). A block that counts is never
    shortened."""
    row = {"host": host, "next_at": 0.0, "blocked_until": until, "note": note}
    if not await insert_once(conn, host_pace, row, ["host"]):
        shorter = sa.update(host_pace).where(_ROW.host == host, ends_before(_ROW.blocked_until, until))
        await conn.execute(shorter.values(blocked_until=until, note=note))


def ends_before(column: sa.Column[float], until: float) -> sa.ColumnElement[bool]:
    """Whether a time that is kept gives way to `until`: it is no later, or a wrong clock wrote it."""
    return sa.or_(column <= until, column > until + LONGEST_BLOCK)


async def note_refusal(conn: AsyncConnection, host: str, at: float | None, refusal: str | None) -> None:
    """Keep that `host` refuses every request, when that was seen and what it answered; None ends it."""
    row = {"host": host, "next_at": 0.0, "blocked_until": 0.0, "refused_at": at, "refusal": refusal}
    await upsert(conn, host_pace, [row], ["host"], ["refused_at", "refusal"])


async def unblock(conn: AsyncConnection, host: str) -> bool:
    """Let `host` be asked at once again. False when nothing was kept of it."""
    return bool((await conn.execute(sa.delete(host_pace).where(_ROW.host == host))).rowcount)


async def blocked_until(conn: AsyncConnection, host: str, epoch: float) -> float:
    """The time until which `host` is blocked, 0.0 or a time before `epoch` when it is not."""
    found = await conn.execute(sa.select(_ROW.blocked_until).where(_ROW.host == host))
    until = float(found.scalar_one_or_none() or 0.0)
    return until if until <= epoch + LONGEST_BLOCK else 0.0


class KeptPace(NamedTuple):
    """What is kept of a host: its next slot, its block and why, and what it answers if it refuses every request."""

    host: str
    next_at: float
    blocked_until: float
    note: str | None
    refusal: str | None


async def kept(conn: AsyncConnection) -> Sequence[KeptPace]:
    """What is kept of each host, by name."""
    chosen = sa.select(*(_ROW[name] for name in KeptPace._fields)).order_by(_ROW.host)
    return [KeptPace(*row) for row in await conn.execute(chosen)]
