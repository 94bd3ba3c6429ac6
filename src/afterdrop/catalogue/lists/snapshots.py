"""The snapshots of a process: made in the background, brought up to date when a change is noticed.

Where there is none yet, or it cannot be brought up to date, there is None, and the lists are read from the database.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from afterdrop.accounts.versions import Versions
from afterdrop.catalogue import store
from afterdrop.catalogue.lists import snapshot_store
from afterdrop.catalogue.lists.snapshot import Snapshot
from afterdrop.catalogue.summary import Links
from afterdrop.core import clock
from afterdrop.db.engine import Database

# More changes than these at once are not sorted in one by one: the snapshot is made anew.
_MOST_CHANGES: Final = 2000
_LEAST_WASTED: Final = 5000
# How long after a failure the lists are read from the database before the next attempt.
_RETRY_SECONDS: Final = 5.0
# Those who asked while the lists are read hear by then when to ask again.
_LONGEST_WAIT: Final = 60
# How long the rows that are being read at the end are waited for.
_LEAVE: Final = 2.0
_log = logging.getLogger(__name__)


@dataclass
class _Progress:
    """How many of the rows were read since it began. `count` is 0 until they are `counted`."""

    began: float
    counted: asyncio.Event = field(default_factory=asyncio.Event)
    count: int = 0
    done: int = 0


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
        self._progress: dict[bool, _Progress] = {}
        self._refreshing = {False: asyncio.Lock(), True: asyncio.Lock()}

    async def current(self, operator: bool) -> Snapshot | None:
        """The audience's snapshot with every change that this process knows of; None while there is none."""
        version = await self._versions.current(store.CATALOGUE)
        held = self._held.get(operator)
        # More than once where a snapshot that was made meanwhile, of an earlier version, took this one's place.
        while held is not None and held.version < version and not self._failed_lately(operator):
            if not await self._refresh(operator, version):
                return None
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
            self._progress[operator] = _Progress(self._monotonic())
            self._making[operator] = asyncio.create_task(self._make(operator))

    def warm(self) -> bool:
        """Whether the public's lists are in memory."""
        return False in self._held

    def ready_in(self, operator: bool) -> int | None:
        """In how many seconds the audience's lists are likely to be in memory; None where they are not being read."""
        if operator in self._held or operator not in self._making:
            return None
        progress = self._progress[operator]
        if not progress.done:
            return _LONGEST_WAIT
        passed = self._monotonic() - progress.began
        left = passed * (progress.count - progress.done) / progress.done
        return min(max(math.ceil(left), 1), _LONGEST_WAIT)

    async def rows_being_read(self, operator: bool) -> int:
        """How many rows are being read for the audience's lists, as soon as they are counted; 0 where none are."""
        if operator not in self._making:
            return 0
        progress = self._progress[operator]
        await progress.counted.wait()
        return progress.count

    async def made_within(self, operator: bool, seconds: float) -> None:
        """Wait so long at most for the audience's snapshot that is being made."""
        if operator in self._making:
            await asyncio.wait([self._making[operator]], timeout=seconds)

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
        if tasks:  # each leaves with its next rows: a statement that is cancelled leaves its cursor open
            await asyncio.wait(tasks, timeout=_LEAVE)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # A task that was cancelled before its first step has not taken itself out.
        self._making.clear()

    async def _make(self, operator: bool) -> None:
        progress = self._progress[operator]
        try:
            async with self._database.read() as conn:
                version = await store.version(conn)
                # Room for all rows and some changes: to enlarge it would copy everything at once.
                count = progress.count = await snapshot_store.most_rows(conn)
                progress.counted.set()
                made = Snapshot(self._links, capacity=count + count // 50 + 1000)
                async with aclosing(snapshot_store.all_rows(conn, operator)) as every:
                    async for rows in every:
                        if not self._started:
                            return
                        made.add(rows)
                        progress.done += len(rows)
                        await asyncio.sleep(0)
            await asyncio.to_thread(made.complete, version)
            self._held[operator] = made
        except Exception:  # noqa: BLE001  # a background task's edge: without a snapshot the lists are only slower
            self._fail(operator)
        finally:
            progress.counted.set()
            del self._making[operator]

    async def _refresh(self, operator: bool, version: int) -> bool:
        """Whether the changes up to `version` could be read."""
        async with self._refreshing[operator]:
            held = self._held.get(operator)
            if held is None or held.version >= version:
                return True
            try:
                await self._take_changes(operator, held)
            except Exception:  # noqa: BLE001  # the lists' edge: they are read from the database instead
                self._fail(operator)
                return False
            return True

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
