"""From a key to its account without a query a request, and never more than half a second behind the database.

Every change to an account or key raises a version number. A request that finds the cache's knowledge of that
number older than `FRESH_SECONDS` reads it again first (one reader for all who wait), so a revoked key stops
within that time in every process, whether or not anything tells the process so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from afterdrop import clock
from afterdrop.accounts import store
from afterdrop.accounts.account import Account
from afterdrop.accounts.keys import hash_key, looks_right
from afterdrop.db.engine import Database

FRESH_SECONDS = 0.4
_MOST = 20_000


class Holder(NamedTuple):
    """The account a key belongs to, and which of its keys it is."""

    key_id: int
    account: Account


class KeyCache:
    """Keys seen in this process, by hash; unknown hashes are remembered too."""

    def __init__(self, database: Database, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._database = database
        self._monotonic = monotonic
        self._holders: dict[str, Holder | None] = {}
        self._version = -1
        self._checked = float("-inf")
        self._checking = asyncio.Lock()

    async def holder(self, text: str) -> Holder | None:
        """Whose key this is; None for a mistyped, unknown or revoked one. A mistyped one asks nobody."""
        if not looks_right(text):
            return None
        if self._monotonic() - self._checked > FRESH_SECONDS:
            await self._check()
        key_hash = hash_key(text)
        if key_hash in self._holders:
            return self._holders[key_hash]
        return await self._load(key_hash)

    async def _check(self) -> None:
        async with self._checking:
            began = self._monotonic()
            if began - self._checked <= FRESH_SECONDS:
                return
            async with self._database.read() as conn:
                version = await store.version(conn)
            if version != self._version:
                self._holders.clear()
                self._version = version
            self._checked = began

    async def _load(self, key_hash: str) -> Holder | None:
        async with self._database.read() as conn:
            version = await store.version(conn)
            found = await store.by_key_hash(conn, key_hash)
        holder = Holder(*found) if found else None
        # Both were read in one snapshot: kept only while it is the one the cache stands for.
        if version == self._version:
            if len(self._holders) >= _MOST:
                self._holders.clear()
            self._holders[key_hash] = holder
        return holder
