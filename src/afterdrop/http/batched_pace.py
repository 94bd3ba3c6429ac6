"""Slots of a host's pace leased for several waiting requests at once: one database write instead of one each.

A list of fifty names is fifty requests to a handful of registries. Leasing each slot alone costs ten times the
look-up itself; the requests of one process that wait for one host share a lease of consecutive slots instead.
Other processes still see every slot taken, and a block (429) still stops everybody.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from multidict import CIMultiDictProxy

from afterdrop.core.errors import UpstreamError
from afterdrop.http import host_pace
from afterdrop.http.client import Fetcher, retry_after_seconds

# How far ahead a slot may be taken, and how far ahead slots are for the requests that wait with it (seconds).
_HORIZON = 30.0
_WAITERS_AHEAD = 5.0
# Hosts whose pace is fast are leased a tenth of a second's slots at a time, asked for yet or not.
_BURST = 0.1
# For how long a look at the host's block stands.
_BLOCK_FRESH = 0.25
_MOST_SLOTS = 1000


@dataclass
class HostQueue:
    """The requests of this process that wait for one host, and the slots leased for them."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    leased: deque[float] = field(default_factory=deque)
    waiting: int = 0
    looked_at: float = 0.0
    blocked_until: float = 0.0


@dataclass
class ListFetcher(Fetcher):
    """The way out for lists of names: before the scan at every paced host, with slots leased together."""

    urgent: bool = True
    lines: dict[str, HostQueue] = field(default_factory=dict)

    @classmethod
    def over(cls, fetcher: Fetcher) -> ListFetcher:
        """A list fetcher over the session, database and pace of `fetcher`."""
        return cls(fetcher.settings, fetcher.database, fetcher.session, fetcher.epoch, fetcher.rng)

    async def _wait_for_slot(self, key: str, url: str, interval: float, patience: float) -> None:
        line = self.lines.setdefault(key, HostQueue())
        deadline = self.epoch() + patience
        while True:
            at = await self._next_slot(line, key, interval)
            if at >= 0:
                if (ahead := at - self.epoch()) > 0:
                    await asyncio.sleep(ahead)
                # A 429 may have come in while this slot was waiting: the block counts, not the slot.
                until = await self._block_of(line, key)
                if until <= self.epoch():
                    return
                line.leased.clear()
                at = -until
            wait = -at - self.epoch()
            if -at > deadline:
                message = f"{key} is blocked for another {wait:.0f} s"
                raise UpstreamError(url, "rate_limited", message, retry_after=max(wait, 0))
            await asyncio.sleep(min(5.0, max(0.02, wait - _HORIZON)) * (1 + self.rng.random() * 0.1))

    async def _next_slot(self, line: HostQueue, key: str, interval: float) -> float:
        """The next slot of `key`, or minus the time to come back at."""
        line.waiting += 1
        try:
            async with line.lock:
                now = self.epoch()
                while line.leased and line.leased[0] < now - max(
                    interval, _BURST
                ):  # left by requests that were given up
                    line.leased.popleft()
                return line.leased.popleft() if line.leased else await self._lease(line, key, interval, now)
        finally:
            line.waiting -= 1

    async def _lease(self, line: HostQueue, key: str, interval: float, now: float) -> float:
        count = max(
            1, min(line.waiting, int(_WAITERS_AHEAD / interval)), min(int(_BURST / interval), _MOST_SLOTS)
        )
        async with self.database.write() as conn:
            first = await host_pace.lease_slot(conn, key, interval * count, now, _HORIZON)
        if first >= 0:
            line.leased.extend(first + interval * number for number in range(1, count))
            if line.blocked_until <= now:  # a leased slot begins after any block the database knew
                line.looked_at = now
        return first

    async def _block_of(self, line: HostQueue, key: str) -> float:
        now = self.epoch()
        if now - line.looked_at > _BLOCK_FRESH:
            async with self.database.read() as conn:
                line.blocked_until = await host_pace.blocked_until(conn, key)
            line.looked_at = now
        return line.blocked_until

    async def too_many(self, key: str, url: str, headers: CIMultiDictProxy[str]) -> None:
        line = self.lines.setdefault(key, HostQueue())
        line.looked_at = self.epoch()
        line.blocked_until = line.looked_at + retry_after_seconds(headers.get("Retry-After"), line.looked_at)
        line.leased.clear()
        await super().too_many(key, url, headers)
