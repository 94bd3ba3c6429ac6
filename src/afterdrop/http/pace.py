"""Pace per host and per deployment: a worker leases its slot from a `host_pace` row by one conditional UPDATE.

Ten workers are then as polite as one, and a Retry-After blocks the host for all of them. Times are seconds since 1970.
A time beyond what any of our own writes reaches was written by a machine whose clock is wrong: it counts as none.

A list of fifty names is fifty requests to a handful of registries, and leasing each slot alone costs ten times the
look-up itself. So urgent requests of one process that wait for one host share a lease of consecutive slots.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import UpstreamError
from afterdrop.db.dialects import insert_once, upsert
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_pace

# No block reaches further: a Retry-After counts for an hour at most, and the clocks of two machines may differ.
LONGEST_BLOCK: Final = 7200.0
DAY_SECONDS: Final = 86_400
# How many seconds ahead a slot may be leased, by urgency. The scan takes only the very next slot, so that a check,
# which may lease further ahead, always goes before it. A dead worker wastes no more than this.
_HORIZON: Final = {True: 30.0, False: 0.0}
# How many seconds of slots one lease may hold for urgent requests that wait. At a fast host it holds at least the slots
# of a tenth of a second, whether or not requests wait for them.
_LEASED_SECONDS: Final = 5.0
_BURST: Final = 0.1
_MOST_SLOTS: Final = 1000
# For how many seconds a read of the host's block is fresh.
_BLOCK_FRESH: Final = 0.25

_ROW = host_pace.c
_SINCE: sa.BindParameter[float] = sa.bindparam("since", type_=sa.Float())
_EVERY: sa.BindParameter[float] = sa.bindparam("every", type_=sa.Float())
_TODAY: sa.BindParameter[int] = sa.bindparam("today", type_=sa.Integer())
_COUNT: sa.BindParameter[int] = sa.bindparam("count", type_=sa.Integer())


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
    .values(
        next_at=_START + _EVERY,
        day=_TODAY,
        taken=sa.case((_ROW.day == _TODAY, _ROW.taken + _COUNT), else_=_COUNT),
    )
    .returning(_ROW.next_at)
)
# Whether anything but the day's count is kept of a host.
_STANDS = sa.or_(_ROW.next_at > 0, _ROW.blocked_until > 0, _ROW.refused_at.is_not(None))
_NEXT = sa.select(_START).where(_ROW.host == sa.bindparam("to"))


async def lease_slot(
    conn: AsyncConnection, host: str, interval: float, epoch: float, horizon: float, count: int = 1
) -> float:
    """Lease the next free slot of `host` and the `count` - 1 behind it, `interval` seconds apart; gives the first's
    time. They count as taken on the UTC day of `epoch`.

    A slot more than `horizon` seconds ahead is not leased; the result is then minus the time to come back at.
    """
    every, today = interval * count, _day(epoch)
    asked = {"to": host, "every": every, "since": epoch, "ahead": horizon, "today": today, "count": count}
    behind = (await conn.execute(_TAKE, asked)).scalar_one_or_none()
    if behind is not None:
        return float(behind) - every
    row = {"host": host, "next_at": epoch + every, "blocked_until": 0.0, "day": today, "taken": count}
    if await insert_once(conn, host_pace, row, ["host"]):
        return epoch
    behind = (await conn.execute(_TAKE, asked)).scalar_one_or_none()
    if behind is not None:
        return float(behind) - every
    ahead = (await conn.execute(_NEXT, asked)).scalar_one()
    return -float(ahead)


def _day(epoch: float) -> int:
    return int(epoch // DAY_SECONDS)


async def taken_today(conn: AsyncConnection, hosts: Collection[str], epoch: float) -> dict[str, int]:
    """How many slots of each of `hosts` were leased on the UTC day of `epoch`, by all workers together."""
    chosen = sa.select(_ROW.host, _ROW.taken).where(_ROW.host.in_(hosts), _ROW.day == _day(epoch))
    return dict.fromkeys(hosts, 0) | {host: taken for host, taken in await conn.execute(chosen)}


async def free_at(conn: AsyncConnection, host: str, interval: float, epoch: float) -> float:
    """The time of the host's next free slot, which may be long past; 0.0 for a host that was never asked."""
    result = await conn.execute(
        sa.select(_FREE).where(_ROW.host == host), {"every": interval, "since": epoch}
    )
    return float(result.scalar_one_or_none() or 0.0)


async def is_kept(conn: AsyncConnection, host: str) -> bool:
    """Whether requests to `host`, at any port or for any purpose, keep to a pace of their own."""
    mine = sa.or_(
        _ROW.host == host, *(_ROW.host.startswith(f"{host}{sign}", autoescape=True) for sign in ":/")
    )
    return bool((await conn.execute(sa.select(sa.exists().where(mine)))).scalar_one())


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
    """Let `host` be asked at once again; the day's count stays. False when nothing else was kept of it."""
    freed = sa.update(host_pace).where(_ROW.host == host, _STANDS)
    freed = freed.values(next_at=0.0, blocked_until=0.0, note=None, refused_at=None, refusal=None)
    return bool((await conn.execute(freed)).rowcount)


async def blocked_until(conn: AsyncConnection, host: str, epoch: float) -> float:
    """The time until which `host` is blocked, 0.0 or a time before `epoch` when it is not."""
    result = await conn.execute(sa.select(_ROW.blocked_until).where(_ROW.host == host))
    until = float(result.scalar_one_or_none() or 0.0)
    return until if until <= epoch + LONGEST_BLOCK else 0.0


class KeptPace(NamedTuple):
    """The kept state of a host: its next slot, its block and why, and its answer if it refuses every request."""

    host: str
    next_at: float
    blocked_until: float
    note: str | None
    refusal: str | None


async def host_states(conn: AsyncConnection) -> Sequence[KeptPace]:
    """The kept state of each host, by name."""
    chosen = sa.select(*(_ROW[name] for name in KeptPace._fields)).where(_STANDS).order_by(_ROW.host)
    return [KeptPace(*row) for row in await conn.execute(chosen)]


@dataclass
class _HostQueue:
    """The requests of this process that wait for one host, and the slots leased for them."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    leased: deque[float] = field(default_factory=deque)
    waiting: int = 0
    looked_at: float = 0.0
    blocked_until: float = 0.0


@dataclass
class Slots:
    """The slots that requests of this process wait for, all of one urgency. `epoch` gives the seconds since 1970.

    `urgent` requests go before the scan's, `spare` ones behind: they wait until a host was left alone for a while.
    """

    database: Database
    epoch: Callable[[], float]
    rng: random.Random
    urgent: bool = False
    spare: bool = False
    _queues: dict[str, _HostQueue] = field(default_factory=dict)

    def of(self, *, urgent: bool = False, spare: bool = False) -> Slots:
        """The slots of requests of another urgency."""
        return Slots(self.database, self.epoch, self.rng, urgent, spare)

    async def wait(self, key: str, url: str, interval: float, patience: float) -> None:
        """Wait for the next slot of `key`, `interval` seconds after the last one, on behalf of `url`.

        Raises UpstreamError `rate_limited` when the host stays blocked for longer than `patience` seconds.
        """
        queue = self._queues.setdefault(key, _HostQueue())
        deadline = self.epoch() + patience
        horizon = max(_HORIZON[self.urgent], interval * 0.9)
        while True:
            at = await self._next(queue, key, interval, horizon)
            if at >= 0:
                if (ahead := at - self.epoch()) > 0:
                    await asyncio.sleep(ahead)
                # A 429 may have come in while we waited for the slot: the block counts, not the slot.
                until = await self._block_of(queue, key)
                if until <= self.epoch():
                    return
                queue.leased.clear()
                at = -until
            wait = -at - self.epoch()
            if -at > deadline:
                message = f"{key} is blocked for another {wait:.0f} s"
                raise UpstreamError(url, "rate_limited", message, retry_after=max(wait, 0))
            await asyncio.sleep(min(5.0, max(0.02, wait - horizon)) * (1 + self.rng.random() * 0.1))

    async def block(self, keys: Collection[str], until: float, note: str) -> None:
        """Block hosts until `until` for everybody: what was leased of them is void."""
        for key in keys:
            queue = self._queues.setdefault(key, _HostQueue())
            queue.looked_at, queue.blocked_until = self.epoch(), until
            queue.leased.clear()
        async with self.database.write() as conn:
            for key in sorted(keys):
                await block(conn, key, until, note)

    async def _next(self, queue: _HostQueue, key: str, interval: float, horizon: float) -> float:
        """The time of the next slot of `key`, or minus the time to come back at."""
        queue.waiting += 1
        try:
            async with queue.lock:
                now = self.epoch()
                # Slots in the past belonged to requests that were given up.
                while queue.leased and queue.leased[0] < now - max(interval, _BURST):
                    queue.leased.popleft()
                if queue.leased:
                    return queue.leased.popleft()
                return await self._lease(queue, key, interval, horizon)
        finally:
            queue.waiting -= 1

    async def _lease(self, queue: _HostQueue, key: str, interval: float, horizon: float) -> float:
        """Lease the slots of all who wait, of a scan's requests one, and give the first as `_next` does."""
        now, count = self.epoch(), 1
        if self.urgent:
            burst = min(int(_BURST / interval), _MOST_SLOTS)
            count = max(count, min(queue.waiting, int(_LEASED_SECONDS / interval)), burst)
        async with self.database.write() as conn:
            if self.spare and (free := await free_at(conn, key, interval, now)) + interval > now:
                return -(free + interval)
            first = await lease_slot(conn, key, interval, now, horizon, count)
        if first >= 0:
            queue.leased.extend(first + interval * number for number in range(1, count))
            if queue.blocked_until <= now:  # a leased slot begins after any block that the database knows
                queue.looked_at = now
        return first

    async def _block_of(self, queue: _HostQueue, key: str) -> float:
        now = self.epoch()
        if now - queue.looked_at > _BLOCK_FRESH:
            async with self.database.read() as conn:
                queue.blocked_until = await blocked_until(conn, key, now)
            queue.looked_at = now
        return queue.blocked_until
