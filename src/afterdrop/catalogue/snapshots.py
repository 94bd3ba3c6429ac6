"""The snapshots of a process: made in the background, brought up to date when a change is noticed.

Where there is none yet, or it cannot be brought up to date, there is None, and the lists are read from the database.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from afterdrop.accounts.versions import Versions
from afterdrop.catalogue import snapshot_store, store
from afterdrop.catalogue.snapshot import Snapshot
from afterdrop.catalogue.summary import Links
from afterdrop.core import clock
from afterdrop.db.engine import Database

# More changes than these at once are not sorted in one by one: the snapshot is made anew.
_MOST_CHANGES: Final = 2000
_LEAST_WASTED: Final = 5000
# How long after a failure the lists are read from the database before the next attempt.
_RETRY_SECONDS: Final = 5.0
_log = logging.getLogger(__name__)


class Snapshots:
    """The snapshot of each audience. Hold one per process and database; none is made before `start`."""

    def __init__(
        self,
        database: Database,
        versions: Versions,
        links: Links,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        self._database = database
        self._versions = versions
        self._links = links
        self._monotonic = monotonic
        self._started = False
        self._held: dict[bool, Snapshot] = {}
        self._making: dict[bool, asyncio.Task[None]] = {}
        self._failed_at: dict[bool, float] = {}
        self._refreshing = {False: asyncio.Lock(), True: asyncio.Lock()}

    async def current(self, operator: bool) -> Snapshot | None:
        """The audience's snapshot with every change that this process knows of; None while there is none."""
        version = await self._versions.current(store.CATALOGUE)
        held = self._held.get(operator)
        if held is not None and held.version < version and not self._failed_lately(operator):
            await self._refresh(operator, version)
            held = self._held.get(operator)
        if held is None:
            self._begin(operator)
            return None
        return held if held.version >= version else None

    def start(self) -> None:
        """Begin with the public's snapshot. The operators' is made when the first of them asks."""
        self._started = True
        self._begin(operator=False)

    def _begin(self, operator: bool) -> None:
        if self._started and operator not in self._making and not self._failed_lately(operator):
            self._making[operator] = asyncio.create_task(self._make(operator))

    async def made(self, operator: bool) -> None:
        """Wait for the audience's snapshot."""
        if operator not in self._held:
            self._begin(operator)
        if operator in self._making:
            await self._making[operator]

    async def close(self) -> None:
        """Give up what is being made, and make no more."""
        self._started = False
        tasks = list(self._making.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _make(self, operator: bool) -> None:
        try:
            made = Snapshot(self._links)
            async with self._database.read() as conn:
                version = await store.version(conn)
                async for rows in snapshot_store.all_rows(conn, operator):
                    made.add(rows)
                    await asyncio.sleep(0)
            await asyncio.to_thread(made.complete, version)
            self._held[operator] = made
        except Exception:  # noqa: BLE001  # a background task's edge: without a snapshot the lists are only slower
            self._fail(operator)
        finally:
            del self._making[operator]

    async def _refresh(self, operator: bool, version: int) -> None:
        async with self._refreshing[operator]:
            held = self._held[operator]
            if held.version >= version:
                return
            try:
                await self._take_changes(operator, held)
            except Exception:  # noqa: BLE001  # the lists' edge: they are read from the database instead
                self._fail(operator)

    async def _take_changes(self, operator: bool, held: Snapshot) -> None:
        async with self._database.read() as conn:
            version = await store.version(conn)
            names = await snapshot_store.changed_since(conn, held.version, _MOST_CHANGES)
            if len(names) > _MOST_CHANGES:
                del self._held[operator]
                return
            rows = await snapshot_store.rows_of(conn, operator, names)
        if names:
            change = await asyncio.to_thread(held.prepare, names, rows)
            held.apply(change, version)
        held.version = version
        if held.wasted > max(_LEAST_WASTED, len(held)):
            self._begin(operator)

    def _failed_lately(self, operator: bool) -> bool:
        failed_at = self._failed_at.get(operator)
        return failed_at is not None and self._monotonic() - failed_at < _RETRY_SECONDS

    def _fail(self, operator: bool) -> None:
        self._failed_at[operator] = self._monotonic()
        _log.warning("the lists do not fit in memory and are read from the database", exc_info=True)
