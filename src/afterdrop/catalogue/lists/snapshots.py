"""The snapshot of a process: made in the background, brought up to date when a change is noticed.

Where there is none yet, or it cannot be brought up to date, there is None: the lists are not answered meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import sqlalchemy as sa

from afterdrop.accounts.versions import Versions
from afterdrop.catalogue import store
from afterdrop.catalogue.lists import snapshot_files, snapshot_store
from afterdrop.catalogue.lists.snapshot import Snapshot
from afterdrop.catalogue.summary import Links
from afterdrop.core import clock
from afterdrop.db.engine import Database
from afterdrop.db.outages import is_outage, outage
from afterdrop.queue import job_runs

# So many changes are taken at a time, and more than these and a fifth of the rows are not: all are read anew.
_MOST_CHANGES: Final = 2000
_SHARE_CHANGED: Final = 5
# From so many rows on, a file of them saves time at the next start. It is written when a fiftieth has changed.
_MANY: Final = 20_000
_SHARE_WRITTEN: Final = 50
_LEAST_WASTED: Final = 5000
# How long after a failure the next attempt waits.
_RETRY_SECONDS: Final = 5.0
# Those who asked while the lists are read hear by then when to ask again.
_LONGEST_WAIT: Final = 60
# How long the rows that are being read at the end are waited for.
_LEAVE: Final = 2.0
ListState = Literal["in memory", "loading", "failing"]
_log = logging.getLogger(__name__)


@dataclass
class _Progress:
    """How many of the rows were read since it began, of about how many."""

    began: float
    count: int = 0
    done: int = 0


class Snapshots:
    """The snapshot of the lists, made at `start` or for whoever asks first. Hold one per process and database."""

    def __init__(
        self,
        database: Database,
        versions: Versions,
        links: Links,
        monotonic: Callable[[], float] = clock.monotonic,
        now: Callable[[], datetime] = clock.now,
        folder: Path | None = None,
    ) -> None:
        self._database = database
        self._versions = versions
        self._links = links
        self._monotonic = monotonic
        self._now = now
        self._folder = folder
        self._fingerprint = snapshot_files.fingerprint(links)
        self._writing: asyncio.Task[None] | None = None
        self._unwritten = 0
        # A file serves the first time: whatever is made anew later is made of the database.
        self._looked_for_file = False
        self._closed = False
        self._read_once = False
        self._held: Snapshot | None = None
        self._making: asyncio.Task[None] | None = None
        self._failed_at: float | None = None
        self._progress = _Progress(0)
        self._refreshing = asyncio.Lock()

    async def current(self) -> Snapshot | None:
        """The snapshot with every change that this process knows of; None while there is none."""
        version = await self._versions.current(store.CATALOGUE)
        held = self._held
        # More than once where a snapshot that was made meanwhile, of an earlier version, took this one's place.
        while held is not None and held.version < version and not self._failed_lately():
            if not await self._refresh(version):
                return None
            held = self._held
        if held is None:
            self.start()
            return None
        return held if held.version >= version else None

    def start(self) -> None:
        """Begin to make the snapshot, unless that was begun or failed a moment ago."""
        if not self._closed and self._making is None and not self._failed_lately():
            self._progress = _Progress(self._monotonic())
            self._making = asyncio.create_task(self._make())

    def state(self) -> ListState:
        """How the lists stand: `loading` until they were read once.

        Lists that failed are read anew: while a node is not ready, nobody may ask it for lists.
        """
        if self._held is None or self._failed_at is not None:
            self.start()
        self._read_once |= self._held is not None
        if self._failed_at is not None:
            return "failing"
        return "in memory" if self._read_once else "loading"

    @property
    def retry_seconds(self) -> int:
        """After how many seconds a failed attempt is made again."""
        return math.ceil(_RETRY_SECONDS)

    def ready_in(self) -> int | None:
        """In how many seconds the lists are likely to be in memory; None where they are not being read."""
        if self._held is not None or self._making is None:
            return None
        progress = self._progress
        if not progress.done:
            return _LONGEST_WAIT
        passed = self._monotonic() - progress.began
        left = passed * (progress.count - progress.done) / progress.done
        return min(max(math.ceil(left), 1), _LONGEST_WAIT)

    async def made_within(self, seconds: float) -> None:
        """Wait so long at most for the snapshot that is being made."""
        if self._making is not None:
            await asyncio.wait([self._making], timeout=seconds)

    async def made(self) -> None:
        """Wait for the snapshot."""
        if self._held is None:
            self.start()
        if self._making is not None:
            await self._making

    async def close(self) -> None:
        """Give up what is being made, and make no more."""
        self._closed = True
        tasks = [task for task in (self._making, self._writing) if task is not None]
        if tasks:  # each leaves with its next rows: a statement that is cancelled leaves its cursor open
            await asyncio.wait(tasks, timeout=_LEAVE)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # A task that was cancelled before its first step has not taken itself out.
        self._making = self._writing = None

    async def _make(self) -> None:
        try:
            made = None
            if not self._looked_for_file:
                made = await self._from_file()
                self._looked_for_file = True
            if made is None:
                made = await self._read()
            if made is not None:
                self._held = made
                await self._succeed()
                self._keep()
        except Exception as error:  # noqa: BLE001  # a background task's edge: it is told, and tried again
            await self._fail(error)
        finally:
            self._making = None

    async def _read(self) -> Snapshot | None:
        """The lists out of the database; None where the process leaves."""
        progress = self._progress
        async with self._database.read() as conn:
            version = await store.version(conn)
            # Room for all rows and some changes: to enlarge it would copy everything at once.
            count = progress.count = await snapshot_store.most_rows(conn)
            made = Snapshot(self._links, capacity=count + count // 50 + 1000)
            async with aclosing(snapshot_store.all_rows(conn)) as every:
                async for rows in every:
                    if self._closed:
                        return None
                    made.add(rows)
                    progress.done += len(rows)
                    await asyncio.sleep(0)
        made.show(version)
        self._unwritten = len(made)
        return made

    @property
    def _file(self) -> Path | None:
        return self._folder and self._folder / "lists"

    async def _from_file(self) -> Snapshot | None:
        """The lists out of their file, brought up to date; None without one of this database's past."""
        file = self._file
        if file is None or not await asyncio.to_thread(file.exists):
            return None
        try:
            found = await asyncio.to_thread(snapshot_files.read_file, file, self._fingerprint)
            if found is None:
                return None
            file_id, arrays = found
            made = await asyncio.to_thread(Snapshot.restored, self._links, arrays)
            async with self._database.read(single=True) as conn:
                if not await snapshot_files.is_stored(conn, file_id, made.version):
                    return None
        except (OSError, ValueError, LookupError) as error:
            _log.warning("%s cannot be used, so the lists are read anew: %s", file, error)
            return None
        return made if await self._take_changes(made) else None

    def _keep(self) -> None:
        """Write the file in the background, where there are many rows and enough of them have changed."""
        if self._held is None or self._folder is None or self._writing is not None or self._closed:
            return
        size = len(self._held)
        if size >= _MANY and self._unwritten >= size // _SHARE_WRITTEN:
            self._writing = asyncio.create_task(self._write(self._held))

    async def _write(self, held: Snapshot) -> None:
        file = self._file
        assert file is not None
        try:
            async with self._refreshing:
                unwritten, version = self._unwritten, held.version
                arrays = await asyncio.to_thread(held.arrays)
            written = await asyncio.to_thread(snapshot_files.write_file, file, arrays, self._fingerprint)
            async with self._database.write() as conn:
                await snapshot_files.store(conn, written, version)
            self._unwritten -= unwritten
        except Exception as error:  # noqa: BLE001  # a background task's edge: the lists are there without a file
            _log.warning("%s could not be written, so the next start takes longer: %r", file, error)
            self._unwritten = 0
        finally:
            self._writing = None
        self._keep()

    async def _refresh(self, version: int) -> bool:
        """Whether the changes up to `version` could be read."""
        async with self._refreshing:
            held = self._held
            if held is None or held.version >= version:
                return True
            try:
                if not await self._take_changes(held):
                    self._held = None
                    return True
            except Exception as error:  # noqa: BLE001  # the lists' edge: nobody is shown what may be wrong by now
                await self._fail(error)
                return False
            await self._succeed()
            if held.wasted > max(_LEAST_WASTED, len(held)):
                self.start()
            else:
                self._keep()
            return True

    async def _take_changes(self, held: Snapshot) -> bool:
        """Bring a snapshot up to date; whether that was less work than to make it anew."""
        most = max(_MOST_CHANGES, len(held) // _SHARE_CHANGED)
        async with self._database.read() as conn:
            version = await store.version(conn)
            names = await snapshot_store.changed_since(conn, held.version, most)
        if len(names) > most:
            return False
        for start in range(0, len(names), _MOST_CHANGES):
            some = names[start : start + _MOST_CHANGES]
            async with self._database.read() as conn:
                rows = await snapshot_store.rows_of(conn, some)
            # Rows may be of a later version than this: then they are read again with the next change.
            await asyncio.to_thread(held.add, rows)
            held.show(held.version, some)
        held.version = version
        self._unwritten += len(names)
        return True

    def _failed_lately(self) -> bool:
        return self._failed_at is not None and self._monotonic() - self._failed_at < _RETRY_SECONDS

    async def _fail(self, error: Exception) -> None:
        """Tell the first failure, here and to those who read the service's health; the next are the same."""
        first = self._failed_at is None
        self._failed_at = self._monotonic()
        if is_outage(error):
            outage.failed(error)  # which is told as such
        elif first:
            _log.error("the lists cannot be read; they answer 503 until they can", exc_info=error)
            await self._record(f"the lists cannot be read: {type(error).__name__}")

    async def _succeed(self) -> None:
        if self._failed_at is not None:
            self._failed_at = None
            _log.warning("the lists are answered again")
            await self._record(None)

    async def _record(self, fault: str | None) -> None:
        # A database that does not answer has its own alarm.
        with suppress(sa.exc.SQLAlchemyError):
            async with self._database.write() as conn:
                await job_runs.note(conn, job_runs.LISTS, self._now(), fault)
