"""Processes that read pages, so that a scan never makes the service stutter.

Each seat is one spawned process with one page at a time, held to the bounds of a page. A process that
keeps too much memory is replaced after its page; one that exceeds a bound is replaced, and that page is a recorded
failure. Where a process dies or stands still, its page is read once more in a fresh one: a reading that dies says
nothing of the page. A check's pages are seated before those of the scan.

The kernel keeps the limits of time and memory: no page's code can stop it from ending a process whose timer has run
out (SIGPROF), or from refusing memory (MemoryError, or the death of a library that does not expect it).
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import logging
import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from afterdrop.core.errors import AfterdropError, UpstreamError
from afterdrop.review.page.values import Capture, PageReading

log = logging.getLogger("afterdrop.pages")

_STATM = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a process that reads pages.

    `cpu_seconds` and `memory` (bytes, with all the process has already) hold for each page; `seconds` is for whatever
    waits instead of working, from when the process is up, which may take `start_seconds`. A process that keeps more
    than `kept` bytes after a page is replaced.
    """

    cpu_seconds: float = 10.0
    memory: int = 600_000_000
    seconds: float = 60.0
    start_seconds: float = 600.0
    kept: int = 400_000_000


@contextlib.contextmanager
def limited(bounds: Bounds) -> Iterator[None]:
    """Hold this process to the limits of a page. Where the system does not tell its memory, to those of time only."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    if _STATM.exists():
        room = max(0, bounds.memory - memory_used())
        known = [limit for limit in before if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min([_pages(0) + room, *known]), before[1]))
    signal.setitimer(signal.ITIMER_PROF, bounds.cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def memory_used() -> int:
    """Resident memory of this process in bytes (the peak where the system does not tell the present)."""
    if _STATM.exists():
        return _pages(1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _pages(column: int) -> int:
    return int(_STATM.read_text().split()[column]) * os.sysconf("SC_PAGE_SIZE")


_Result = TypeVar("_Result")


class PageUnread(AfterdropError):
    """A page that could not be read: `reason` is timeout, memory or fault."""

    def __init__(self, subject: str, reason: str, message: str) -> None:
        super().__init__(subject, message)
        self.reason = reason


class ReadingDied(UpstreamError):
    """A reading whose process was killed or stood still, twice (kind `died`).

    It is no finding. Like an answer that did not come, it is for a later try.
    """

    def __init__(self, subject: str, message: str) -> None:
        super().__init__(subject, "died", message)


class _Seat:
    """One process; started at its first page and again after it was given up."""

    def __init__(self, ready: Callable[[], object]) -> None:
        self._ready = ready
        self._executor: ProcessPoolExecutor | None = None
        self._process: BaseProcess | None = None
        self._ends: list[threading.Thread] = []

    async def start(self) -> ProcessPoolExecutor:
        """The process, once it is up and ready for a page."""
        if self._executor is None:
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(
                1, mp_context=context, initializer=_settle_in, initargs=(self._ready,)
            )
            before = set(multiprocessing.active_children())
            first = self._executor.submit(os.getpid)
            # The child itself is kept, not its number: that may be another process's later on.
            self._process = next(iter(set(multiprocessing.active_children()) - before), None)
            await asyncio.wrap_future(first)
        return self._executor

    async def death(self) -> signal.Signals | None:
        """The signal that ended the process, None where it was none. The next page starts a new process."""
        executor, process = self._executor, self._process
        self._executor = self._process = None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown)  # which learns how the process ended
        code = process.exitcode if process is not None else None
        return signal.Signals(-code) if code is not None and code < 0 else None

    def give_up(self) -> None:
        """Kill the process, whatever it is doing; the next page starts a new one."""
        executor, process = self._executor, self._process
        self._executor = self._process = None
        if process is not None:
            process.kill()
        if executor is not None:
            end = threading.Thread(target=executor.shutdown, kwargs={"cancel_futures": True})
            end.start()
            self._ends = [*(thread for thread in self._ends if thread.is_alive()), end]

    def end(self) -> None:
        """Give the process up and wait until nothing of it is left, which takes no time once it is killed.

        Left alone, the executor's thread closes its pipe while the interpreter's exit writes to it: `OSError: Bad file
        descriptor`.
        """
        self.give_up()
        for thread in self._ends:
            thread.join()


class _Line:
    """Those that wait for a seat: the urgent first, else in order of coming."""

    def __init__(self, seats: list[_Seat]) -> None:
        self._free = list(seats)
        self._urgent: deque[asyncio.Future[_Seat]] = deque()
        self._others: deque[asyncio.Future[_Seat]] = deque()

    async def take(self, urgent: bool) -> _Seat:
        """A free seat, of several the one used last: its process is there already."""
        if self._free:
            return self._free.pop()
        turn: asyncio.Future[_Seat] = asyncio.get_running_loop().create_future()
        (self._urgent if urgent else self._others).append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(turn.result())
            raise

    def give(self, seat: _Seat) -> None:
        """Hand a seat to the next in line."""
        for waiting in (self._urgent, self._others):
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    turn.set_result(seat)
                    return
        self._free.append(seat)


class PagePool:
    """`processes` seats (default: cores less one, at least one). Close it when done.

    `ready` is run in every new process before its first page, outside the bounds of a page.
    """

    def __init__(
        self,
        processes: int | None = None,
        bounds: Bounds | None = None,
        ready: Callable[[], object] | None = None,
    ) -> None:
        count = processes or max(1, (os.cpu_count() or 2) - 1)
        self._bounds = bounds or Bounds()
        self._seats = [_Seat(ready or load_readers) for _ in range(count)]
        self._line = _Line(self._seats)
        self._urgent = False
        self._warming: asyncio.Task[None] | None = None

    def with_priority(self) -> PagePool:
        """The same seats for a check, whose pages go before all others. Not to be closed: the pool itself is."""
        urgent = copy.copy(self)
        urgent._urgent = True
        return urgent

    async def run(self, task: Callable[..., _Result], *args: Any, subject: str = "page") -> _Result:
        """Run a picklable function in a free process, and once more in a fresh one where that dies or stands still.

        Raises PageUnread when it exceeds a bound of processor time or memory or fails, ReadingDied.
        """
        seat = await self._line.take(self._urgent)
        try:
            with contextlib.suppress(ReadingDied):
                return await self._at(seat, subject, task, *args)
            return await self._at(seat, subject, task, *args)
        finally:
            self._line.give(seat)

    async def _at(self, seat: _Seat, subject: str, task: Callable[..., _Result], *args: Any) -> _Result:
        bounds = self._bounds
        try:
            process = await asyncio.wait_for(seat.start(), bounds.start_seconds)
            working = asyncio.wrap_future(process.submit(_bounded, bounds, task, *args))
            result, fault, memory = await asyncio.wait_for(working, bounds.seconds)
        except BrokenProcessPool:
            raise _died(subject, await seat.death(), bounds) from None
        except TimeoutError:
            seat.give_up()
            raise ReadingDied(subject, "the reading process stood still") from None
        except MemoryError:
            seat.give_up()
            most = bounds.memory // 1_000_000
            raise PageUnread(subject, "memory", f"took more than {most} MB of memory to read") from None
        except asyncio.CancelledError:
            seat.give_up()
            raise
        if memory > bounds.kept:
            seat.give_up()
        if fault is not None:
            log.warning("the reader failed at %r: %s", subject[:200], fault)
            raise PageUnread(subject, "fault", "the reader failed")
        read: _Result = result
        return read

    async def read(self, capture: Capture) -> PageReading:
        """Read one archived page. Raises PageUnread and ReadingDied."""
        return await self.run(read_capture, capture, subject=capture.url)

    def warm(self) -> None:
        """Begin to start every process, which loads the readers' models; the first pages then need not wait."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with contextlib.suppress(PageUnread, ReadingDied):  # then the first page says so
            await asyncio.gather(*(self.run(memory_used, subject="the readers' models") for _ in self._seats))

    async def __aenter__(self) -> PagePool:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process."""
        if self._warming is not None:
            self._warming.cancel()
        for seat in self._seats:
            seat.end()


def load_readers() -> None:
    """Read one short page, which loads every model a page needs."""
    from afterdrop.review.page.reader import read_page  # noqa: PLC0415  # heavy, and only wanted where pages are read

    page = b"<title>A page</title><p>A page of some words."
    read_page(page, url="http://example.org/")


def read_capture(capture: Capture) -> PageReading:
    """Read a page in this process; the readers' models load with the first one."""
    from afterdrop.review.page.reader import read_page  # noqa: PLC0415  # heavy, and only wanted where pages are read

    kind = capture.headers.get("Content-Type") or capture.mimetype
    return read_page(
        capture.body,
        url=capture.url,
        content_type=kind,
        refresh=capture.headers.get("Refresh"),
    )


def _settle_in(ready: Callable[[], object]) -> None:
    """In the new process: Ctrl-C is for the service, which then closes the pool; and no life after its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    ready()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _bounded(bounds: Bounds, task: Callable[..., Any], *args: Any) -> tuple[Any, str | None, int]:
    """The result of a task within the bounds or its fault, and the memory of this process after it."""
    try:
        with limited(bounds):
            result = task(*args)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  # the process's edge: one bad page is that page's failure
        return None, f"{type(error).__name__}: {str(error)[:200]!r}", memory_used()
    return result, None, memory_used()


def _died(subject: str, by: signal.Signals | None, bounds: Bounds) -> PageUnread | ReadingDied:
    if by == signal.SIGPROF:
        spent = f"took more than {bounds.cpu_seconds:g} s of processor time to read"
        return PageUnread(subject, "timeout", spent)
    how = f" ({by.name})" if by else ""
    return ReadingDied(subject, f"the reading process died{how}")
