"""The version numbers by which caches notice changes of other processes, at most `FRESH_SECONDS` old.

Every change of an account or key raises `accounts`; every change that a reader of the lists could notice raises
`catalogue`. A caller that finds the numbers older than that reads them again, once for all callers that wait. So every
process notices a change within that time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from afterdrop.accounts import store
from afterdrop.core import clock
from afterdrop.db.engine import Database

FRESH_SECONDS = 0.4


class Versions:
    """The version numbers as this process knows them."""

    def __init__(self, database: Database, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._database = database
        self._monotonic = monotonic
        self._values: dict[str, int] = {}
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    async def current(self, name: str) -> int:
        """The number called `name`; 0 before the first change."""
        if self._monotonic() - self._read_at > FRESH_SECONDS:
            await self._read()
        return self._values.get(name, 0)

    async def _read(self) -> None:
        async with self._reading:
            began = self._monotonic()
            if began - self._read_at <= FRESH_SECONDS:
                return
            async with self._database.read(single=True) as conn:
                self._values = await store.read_versions(conn)
            self._read_at = began
