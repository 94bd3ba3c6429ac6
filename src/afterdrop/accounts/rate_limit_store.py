"""Counters kept: saved and shared through the database in the background, loaded when an account is first seen.

Each process adds what it counted since it last saved and reads the total back, so several processes agree within
one round (half a second); a process that is killed forgets at most one round.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import store
from afterdrop.accounts.rate_limits import Count, RateLimiter
from afterdrop.accounts.rate_windows import Kind
from afterdrop.db.engine import Database
from afterdrop.db.tables.accounts import accounts, usage_counters

ROUND_SECONDS = 0.5
# A meter takes part in rounds for a minute after its last use and is forgotten after an hour.
_ACTIVE_ROUNDS = 120
_KEPT_ROUNDS = 7200
_IDS_A_STATEMENT = 10_000
_KEPT: dict[str, timedelta] = {
    "minute": timedelta(minutes=10),
    "lookups": timedelta(days=2),
    "day": timedelta(days=90),
}
_log = logging.getLogger(__name__)

Saved = dict[tuple[int, str, int], int]


class RateLimitStore:
    """Every account's meter in this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._meters: dict[int, RateLimiter] = {}
        self._keys_used: set[int] = set()
        self._saving = asyncio.Lock()

    async def meter(self, account_id: int, now: datetime) -> RateLimiter:
        """The account's meter; the first time, with what was saved of the windows `now` lies in."""
        meter = self._meters.get(account_id)
        if meter is not None:
            return meter
        fresh = RateLimiter(account_id)
        fresh.roll(int(now.timestamp()))
        async with self._database.read() as conn:
            saved = await _saved(conn, [fresh])
        meter = self._meters.setdefault(account_id, fresh)
        if meter is fresh:
            _take_in(fresh, saved)
        return meter

    def key_used(self, key_id: int) -> None:
        """Note a key's use, to be stored with the next round."""
        self._keys_used.add(key_id)

    async def save(self, now: datetime) -> None:
        """One round: add what was counted here, take in what was counted elsewhere."""
        async with self._saving:
            meters = [meter for meter in self._meters.values() if meter.idle < _ACTIVE_ROUNDS]
            keys, self._keys_used = self._keys_used, set()
            adding = {meter.account_id: _pending(meter) for meter in meters}
            adding = {account: pending for account, pending in adding.items() if pending}
            try:
                saved = await self._exchange(meters, adding, keys, now)
            except sa.exc.SQLAlchemyError:
                self._keys_used |= keys
                raise
            for meter in meters:
                _settle(meter, adding.get(meter.account_id, {}))
                _take_in(meter, saved)
            self._age()

    async def _exchange(
        self,
        meters: list[RateLimiter],
        adding: dict[int, dict[tuple[Kind, int], int]],
        keys: set[int],
        now: datetime,
    ) -> Saved:
        if not adding and not keys:
            if not meters:
                return {}
            async with self._database.read() as conn:
                return await _saved(conn, meters)
        async with self._database.write() as conn:
            await _add(conn, adding)
            if keys:
                await store.touch_keys(conn, sorted(keys), now)
            return await _saved(conn, meters)

    def _age(self) -> None:
        for account_id, meter in list(self._meters.items()):
            meter.idle += 1
            if meter.idle > _KEPT_ROUNDS:
                del self._meters[account_id]

    async def keep_saving(self, clock: Callable[[], datetime]) -> None:
        """Save a round every half second until cancelled; a failed round is logged and tried again."""
        while True:
            await asyncio.sleep(ROUND_SECONDS)
            try:
                await self.save(clock())
            except Exception as error:  # noqa: BLE001  # the loop's edge: counting goes on in memory
                _log.warning("usage counters could not be saved: %s", error)


def _counts(meter: RateLimiter) -> tuple[Count, Count, Count]:
    return meter.minute, meter.day, meter.lookups


def _pending(meter: RateLimiter) -> dict[tuple[Kind, int], int]:
    pending: dict[tuple[Kind, int], int] = {}
    for kind, start, used in meter.ended:
        pending[kind, start] = pending.get((kind, start), 0) + used
    for count in _counts(meter):
        if count.unsaved:
            pending[count.kind, count.start] = pending.get((count.kind, count.start), 0) + count.unsaved
    return pending


def _settle(meter: RateLimiter, saved: dict[tuple[Kind, int], int]) -> None:
    """What was saved is no longer unsaved; a window may have ended while the database worked."""
    left: list[tuple[Kind, int, int]] = []
    owed = dict(saved)
    for kind, start, used in meter.ended:
        done = min(owed.get((kind, start), 0), used)
        if done:
            owed[kind, start] -= done
        if used > done:
            left.append((kind, start, used - done))
    meter.ended = left
    for count in _counts(meter):
        count.unsaved -= owed.get((count.kind, count.start), 0)


def _take_in(meter: RateLimiter, saved: Saved) -> None:
    for count in _counts(meter):
        total = saved.get((meter.account_id, count.kind, count.start))
        if total is not None:
            count.used = total + count.unsaved


async def _saved(conn: AsyncConnection, meters: list[RateLimiter]) -> Saved:
    starts = {datetime.fromtimestamp(count.start, UTC) for meter in meters for count in _counts(meter)}
    column, saved = usage_counters.c, Saved()
    for some in _parts([meter.account_id for meter in meters]):
        found = await conn.execute(
            sa.select(column.account_id, column.kind, column.start, column.used).where(
                column.account_id.in_(some), column.start.in_(starts)
            )
        )
        saved |= {(account, kind, int(start.timestamp())): int(used) for account, kind, start, used in found}
    return saved


def _parts(ids: list[int]) -> Iterator[list[int]]:
    """As many ids at a time as one statement may name."""
    return (ids[at : at + _IDS_A_STATEMENT] for at in range(0, len(ids), _IDS_A_STATEMENT))


async def _add(conn: AsyncConnection, adding: dict[int, dict[tuple[Kind, int], int]]) -> None:
    # An account deleted meanwhile has nothing left to count.
    alive = set[int]()
    for some in _parts(sorted(adding)):
        alive.update(await conn.scalars(sa.select(accounts.c.id).where(accounts.c.id.in_(some))))
    # In one order everywhere, so that two processes never wait for each other's rows.
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


async def prune(conn: AsyncConnection, now: datetime) -> int:
    """Forget old windows (minutes after 10 minutes, look-up hours after 2 days, days after 90); rows deleted."""
    gone = 0
    for kind, kept in _KEPT.items():
        done = await conn.execute(
            sa.delete(usage_counters).where(
                usage_counters.c.kind == kind, usage_counters.c.start < now - kept
            )
        )
        gone += done.rowcount
    return gone
