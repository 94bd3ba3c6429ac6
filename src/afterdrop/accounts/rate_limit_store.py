"""The rate limits' counts in the database: saved and shared in the background, loaded when an account is first seen.

Each process adds what it counted since its last round and reads the totals back. Several processes agree within one
round (half a second); a killed process loses at most one round.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import store
from afterdrop.accounts.rate_limits import Kind, RateLimiter
from afterdrop.db.dialects import upsert
from afterdrop.db.engine import Database
from afterdrop.db.outages import is_outage, outage
from afterdrop.db.tables.accounts import accounts, usage_counters

ROUND_SECONDS = 0.5
# A limiter takes part in rounds for a minute after its last use and is dropped after an hour.
_ACTIVE_ROUNDS = 120
_KEPT_ROUNDS = 7200
_IDS_A_STATEMENT = 10_000
# Of names followed anew: until when they are spread (`start`), and how many they are.
_FOLLOWS: Final = "follows"
_KEPT: dict[str, timedelta] = {
    "minute": timedelta(minutes=10),
    "lookups": timedelta(days=2),
    "exports": timedelta(days=2),
    "agents": timedelta(days=2),
    "day": timedelta(days=90),
    _FOLLOWS: timedelta(),
}
_log = logging.getLogger(__name__)

Saved = dict[tuple[int, str, int], int]


class RateLimitStore:
    """The limiters of all accounts in this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._limiters: dict[int, RateLimiter] = {}
        self._keys_used: set[int] = set()
        self._saving = asyncio.Lock()

    async def limiter(self, account_id: int, now: datetime) -> RateLimiter:
        """The account's limiter. The first time it begins with the saved counts of the windows that `now` lies in."""
        limiter = self._limiters.get(account_id)
        if limiter is not None:
            return limiter
        fresh = RateLimiter(account_id)
        fresh.roll(int(now.timestamp()))
        async with self._database.read() as conn:
            saved = await _saved(conn, [fresh])
        limiter = self._limiters.setdefault(account_id, fresh)
        if limiter is fresh:
            _add_saved(fresh, saved)
        return limiter

    def key_used(self, key_id: int) -> None:
        """Note that a key was used; the next round saves it."""
        self._keys_used.add(key_id)

    async def save(self, now: datetime) -> None:
        """One round: add what was counted here and read what was counted elsewhere."""
        async with self._saving:
            limiters = [limiter for limiter in self._limiters.values() if limiter.idle < _ACTIVE_ROUNDS]
            keys, self._keys_used = self._keys_used, set()
            adding = {limiter.account_id: _pending(limiter) for limiter in limiters}
            adding = {account: pending for account, pending in adding.items() if pending}
            try:
                saved = await self._exchange(limiters, adding, keys, now)
            except sa.exc.SQLAlchemyError:
                self._keys_used |= keys
                raise
            for limiter in limiters:
                _settle(limiter, adding.get(limiter.account_id, {}))
                _add_saved(limiter, saved)
            self._age()

    async def _exchange(
        self,
        limiters: list[RateLimiter],
        adding: dict[int, dict[tuple[Kind, int], int]],
        keys: set[int],
        now: datetime,
    ) -> Saved:
        if not adding and not keys:
            if not limiters:
                return {}
            async with self._database.read() as conn:
                return await _saved(conn, limiters)
        async with self._database.write() as conn:
            await _add(conn, adding)
            if keys:
                await store.touch_keys(conn, sorted(keys), now)
            return await _saved(conn, limiters)

    def _age(self) -> None:
        for account_id, limiter in list(self._limiters.items()):
            limiter.idle += 1
            if limiter.idle > _KEPT_ROUNDS:
                del self._limiters[account_id]

    async def keep_saving(self, clock: Callable[[], datetime]) -> None:
        """Save a round every half second until cancelled; a failed round is logged and tried again."""
        while True:
            await asyncio.sleep(ROUND_SECONDS)
            try:
                await self.save(clock())
            except Exception as error:  # noqa: BLE001  # the loop's edge: counting goes on in memory
                if is_outage(error):
                    outage.failed(error)
                else:
                    _log.warning("usage counters could not be saved: %s", error)


def _pending(limiter: RateLimiter) -> dict[tuple[Kind, int], int]:
    pending: dict[tuple[Kind, int], int] = {}
    for kind, start, used in limiter.ended:
        pending[kind, start] = pending.get((kind, start), 0) + used
    for count in limiter.counts:
        if count.unsaved:
            pending[count.kind, count.start] = pending.get((count.kind, count.start), 0) + count.unsaved
    return pending


def _settle(limiter: RateLimiter, saved: dict[tuple[Kind, int], int]) -> None:
    """Subtract what was saved from what is unsaved; a window may have ended meanwhile."""
    left: list[tuple[Kind, int, int]] = []
    owed = dict(saved)
    for kind, start, used in limiter.ended:
        done = min(owed.get((kind, start), 0), used)
        if done:
            owed[kind, start] -= done
        if used > done:
            left.append((kind, start, used - done))
    limiter.ended = left
    for count in limiter.counts:
        count.unsaved -= owed.get((count.kind, count.start), 0)


def _add_saved(limiter: RateLimiter, saved: Saved) -> None:
    for count in limiter.counts:
        total = saved.get((limiter.account_id, count.kind, count.start))
        if total is not None:
            count.used = total + count.unsaved


async def _saved(conn: AsyncConnection, limiters: list[RateLimiter]) -> Saved:
    starts = {datetime.fromtimestamp(count.start, UTC) for limiter in limiters for count in limiter.counts}
    column, saved = usage_counters.c, Saved()
    for some in _parts([limiter.account_id for limiter in limiters]):
        result = await conn.execute(
            sa.select(column.account_id, column.kind, column.start, column.used).where(
                column.account_id.in_(some), column.start.in_(starts)
            )
        )
        saved |= {(account, kind, int(start.timestamp())): int(used) for account, kind, start, used in result}
    return saved


def _parts(ids: list[int]) -> Iterator[list[int]]:
    """The ids in parts that one statement may hold."""
    return (ids[at : at + _IDS_A_STATEMENT] for at in range(0, len(ids), _IDS_A_STATEMENT))


async def _add(conn: AsyncConnection, adding: dict[int, dict[tuple[Kind, int], int]]) -> None:
    # An account deleted meanwhile has nothing left to count.
    alive = set[int]()
    for some in _parts(sorted(adding)):
        alive.update(await conn.scalars(sa.select(accounts.c.id).where(accounts.c.id.in_(some))))
    # In one order everywhere, so that two processes never wait for each other.
    rows = [
        {"account_id": account, "kind": kind, "start": datetime.fromtimestamp(start, UTC), "used": used}
        for account in sorted(adding)
        if account in alive
        for (kind, start), used in sorted(adding[account].items())
    ]
    if not rows:
        return
    make = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    statement = make(usage_counters)
    added = usage_counters.c.used + statement.excluded.used
    await conn.execute(
        statement.on_conflict_do_update(index_elements=["account_id", "kind", "start"], set_={"used": added}),
        rows,
    )


async def spread_follows(
    conn: AsyncConnection, account_id: int, names: int, per_hour: int, now: datetime
) -> list[datetime]:
    """When to ask about names that an account follows anew: one after the other, at most `per_hour` in an hour.

    They wait for those that it followed before, whether it follows these still or not. The account is locked.
    """
    column, step = usage_counters.c, timedelta(hours=1) / max(per_hour, 1)
    mine = (column.account_id == account_id, column.kind == _FOLLOWS)
    until = await conn.scalar(sa.select(sa.func.max(column.start)).where(*mine))
    first = max(until or now, now)
    end = (
        first.replace(microsecond=0) + names * step + timedelta(seconds=1)
    )  # times are kept in whole seconds
    row = {"account_id": account_id, "kind": _FOLLOWS, "start": end, "used": names}
    await upsert(conn, usage_counters, [row], ["account_id", "kind", "start"])
    return [first + place * step for place in range(names)]


async def prune(conn: AsyncConnection, now: datetime) -> int:
    """Delete old windows (minutes after 10 minutes, days of requests after 90, others after 2 days); gives how many."""
    gone = 0
    for kind, kept in _KEPT.items():
        done = await conn.execute(
            sa.delete(usage_counters).where(
                usage_counters.c.kind == kind, usage_counters.c.start < now - kept
            )
        )
        gone += done.rowcount
    return gone
