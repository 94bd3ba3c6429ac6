"""Lease slots of a host's pace for several waiting requests with one database write.

A list of fifty names is fifty requests to a handful of registries. Leasing each slot alone costs ten times the
look-up itself, so the requests of one process that wait for one host share a lease of consecutive slots. Other
processes see these slots as taken, and a block (429) stops all of them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import NoReturn

from multidict import CIMultiDictProxy

from afterdrop.core.errors import UpstreamError
from afterdrop.http import pace
from afterdrop.http.client import Fetcher, retry_after_seconds

# How many seconds ahead the first slot of a lease may be, and how many seconds of slots one lease may hold.
_HORIZON = 30.0
_LEASED_SECONDS = 5.0
# At a fast host a lease holds at least the slots of a tenth of a second, whether or not requests wait for them.
_BURST = 0.1
# For how many seconds a read of the host's block is fresh.
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
    """The client for lists of names: it goes before the scan at every paced host and leases slots together."""

    urgent: bool = True
    queues: dict[str, HostQueue] = field(default_factory=dict)

    @classmethod
    def over(cls, fetcher: Fetcher) -> ListFetcher:
        """A list fetcher over the session, database and pace of `fetcher`."""
        return cls(
            fetcher.settings, fetcher.database, fetcher.session, fetcher.epoch, fetcher.rng, fetcher.breaker
        )

    async def wait_for_slot(self, key: str, url: str, interval: float, patience: float) -> None:
        queue = self.queues.setdefault(key, HostQueue())
        deadline = self.epoch() + patience
        while True:
            at = await self._next_slot(queue, key, interval)
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
            await asyncio.sleep(min(5.0, max(0.02, wait - _HORIZON)) * (1 + self.rng.random() * 0.1))

    async def _next_slot(self, queue: HostQueue, key: str, interval: float) -> float:
        """The time of the next slot of `key`, or minus the time to come back at."""
        queue.waiting += 1
        try:
            async with queue.lock:
                now = self.epoch()
                # Slots in the past belonged to requests that were given up.
                while queue.leased and queue.leased[0] < now - max(interval, _BURST):
                    queue.leased.popleft()
                return (
                    queue.leased.popleft() if queue.leased else await self._lease(queue, key, interval, now)
                )
        finally:
            queue.waiting -= 1

    async def _lease(self, queue: HostQueue, key: str, interval: float, now: float) -> float:
        count = max(
            1, min(queue.waiting, int(_LEASED_SECONDS / interval)), min(int(_BURST / interval), _MOST_SLOTS)
        )
        async with self.database.write() as conn:
            first = await pace.lease_slot(conn, key, interval * count, now, _HORIZON)
        if first >= 0:
            queue.leased.extend(first + interval * number for number in range(1, count))
            if queue.blocked_until <= now:  # a leased slot begins after any block that the database knows
                queue.looked_at = now
        return first

    async def _block_of(self, queue: HostQueue, key: str) -> float:
        now = self.epoch()
        if now - queue.looked_at > _BLOCK_FRESH:
            async with self.database.read() as conn:
                queue.blocked_until = await pace.blocked_until(conn, key, now)
            queue.looked_at = now
        return queue.blocked_until

    async def wait_as_told(self, key: str, url: str, status: int, headers: CIMultiDictProxy[str]) -> NoReturn:
        self._blocked(key, retry_after_seconds(headers.get("Retry-After"), self.epoch()))
        await super().wait_as_told(key, url, status, headers)

    async def leave_alone(self, key: str, seconds: float, note: str) -> None:
        self._blocked(key, seconds)
        await super().leave_alone(key, seconds, note)

    def _blocked(self, key: str, seconds: float) -> None:
        queue = self.queues.setdefault(key, HostQueue())
        queue.looked_at = self.epoch()
        queue.blocked_until = queue.looked_at + seconds
        queue.leased.clear()
