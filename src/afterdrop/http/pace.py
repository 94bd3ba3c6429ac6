"""Pace per host and per deployment: a worker leases its slot from a `host_pace` row by one conditional UPDATE.

Ten workers are then as polite as one, and a Retry-After blocks the host for all of them. Times are seconds since 1970.
A time beyond what any of our own writes reaches was written by a machine whose clock is wrong: it counts as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.feeds import host_pace

# No block reaches further: a Retry-After counts for an hour at most, and the clocks of two machines may differ.
LONGEST_BLOCK: Final = 7200.0

_ROW = host_pace.c
_SINCE: sa.BindParameter[float] = sa.bindparam("since", type_=sa.Float())
_EVERY: sa.BindParameter[float] = sa.bindparam("every", type_=sa.Float())

# Rows that mark what refuses: a host by this before its name, a provider by `given_up_key`.
REFUSING: Final = "refusing "


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
    result = await conn.execute(
        sa.select(_FREE).where(_ROW.host == host), {"every": interval, "since": epoch}
    )
    return float(result.scalar_one_or_none() or 0.0)


async def block(conn: AsyncConnection, host: str, until: float, note: str) -> None:
    """Block `host` until `until` (a Retry-After, or our own pause after trouble). A block that counts is never
    shortened."""
    row = {"host": host, "next_at": 0.0, "blocked_until": until, "note": note}
    if not await insert_once(conn, host_pace, row, ["host"]):
        shorter = sa.or_(_ROW.blocked_until <= until, _ROW.blocked_until > until + LONGEST_BLOCK)
        await conn.execute(
            sa.update(host_pace).where(_ROW.host == host, shorter).values(blocked_until=until, note=note)
        )


async def unblock(conn: AsyncConnection, host: str) -> bool:
    """Let `host` be asked at once again. False when nothing was kept of it."""
    return bool((await conn.execute(sa.delete(host_pace).where(_ROW.host == host))).rowcount)


async def blocked_until(conn: AsyncConnection, host: str, epoch: float) -> float:
    """The time until which `host` is blocked, 0.0 or a time before `epoch` when it is not."""
    result = await conn.execute(sa.select(_ROW.blocked_until).where(_ROW.host == host))
    until = float(result.scalar_one_or_none() or 0.0)
    return until if until <= epoch + LONGEST_BLOCK else 0.0


class KeptPace(NamedTuple):
    """What is kept of a host, or of `provider NAME` and `refusing HOST`: its next slot, its block, and why."""

    host: str
    next_at: float
    blocked_until: float
    note: str | None


async def kept(conn: AsyncConnection, prefix: str = "") -> Sequence[KeptPace]:
    """All rows whose name begins with `prefix`, by name."""
    chosen = sa.select(_ROW.host, _ROW.next_at, _ROW.blocked_until, _ROW.note)
    result = await conn.execute(
        chosen.where(_ROW.host.startswith(prefix, autoescape=True)).order_by(_ROW.host)
    )
    return [KeptPace(*row) for row in result]


def given_up_key(provider: str) -> str:
    """The row of a provider that was given up: why, and until when it is not asked. Gone once it answers."""
    return f"provider {provider}"
