"""Processes that read pages, so that a scan never makes the service stutter.

Each seat is one spawned process with one page at a time. A process that grew past its memory limit is replaced
after its page, one that takes too long or dies is killed and replaced, and that page is a recorded failure.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

from afterdrop.core.errors import AfterdropError
from afterdrop.review.page.reading import Capture, PageReading

MEMORY_LIMIT = 400_000_000
PAGE_SECONDS = 60.0
_Result = TypeVar("_Result")


class PageUnread(AfterdropError):
    """A page that could not be read: `reason` is timeout, crash or fault."""

    def __init__(self, subject: str, reason: str, message: str) -> None:
        super().__init__(subject, message)
        self.reason = reason


class _Seat:
    """One process; started at its first page and again after it was given up."""

    def __init__(self) -> None:
        self._executor: ProcessPoolExecutor | None = None
        self._pid = 0

    async def work(self, task: Callable[..., Any], *args: Any) -> tuple[Any, int]:
        """Run `task` in the process; its result and the process's memory in bytes afterwards."""
        if self._executor is None:
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(1, mp_context=context, initializer=_settle_in)
            self._pid = await asyncio.wrap_future(self._executor.submit(os.getpid))
        return await asyncio.wrap_future(self._executor.submit(_measured, task, *args))

    def give_up(self) -> None:
        """Kill the process, whatever it is doing; the next page starts a new one."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        # By the child itself, never by its number: that may be another process's by now.
        for child in multiprocessing.active_children():
            if child.pid == self._pid:
                child.kill()
        self._pid = 0
        executor.shutdown(wait=False, cancel_futures=True)


class PagePool:
    """`processes` seats (default: cores less one, at least one). Close it when done."""

    def __init__(
        self,
        processes: int | None = None,
        *,
        seconds: float = PAGE_SECONDS,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        self._count = processes or max(1, (os.cpu_count() or 2) - 1)
        self._seconds = seconds
        self._memory_limit = memory_limit
        self._seats = [_Seat() for _ in range(self._count)]
        self._warming: asyncio.Task[None] | None = None
        self._free: asyncio.LifoQueue[_Seat] = asyncio.LifoQueue()
        for seat in self._seats:
            self._free.put_nowait(seat)

    async def run(self, task: Callable[..., _Result], *args: Any, subject: str = "page") -> _Result:
        """Run a picklable function in a free process. Raises PageUnread when it times out, dies or fails."""
        seat = await self._free.get()
        try:
            result, memory = await asyncio.wait_for(seat.work(task, *args), self._seconds)
        except TimeoutError:
            seat.give_up()
            raise PageUnread(subject, "timeout", f"took longer than {self._seconds:.0f} s to read") from None
        except BrokenProcessPool:
            seat.give_up()
            raise PageUnread(subject, "crash", "made the reading process die") from None
        except asyncio.CancelledError:
            seat.give_up()
            raise
        except Exception as error:  # the process's edge: one bad page is that page's failure
            raise PageUnread(subject, "fault", f"{type(error).__name__}: {str(error)[:200]}") from error
        else:
            if memory > self._memory_limit:
                seat.give_up()
            read: _Result = result
            return read
        finally:
            self._free.put_nowait(seat)

    async def read(self, capture: Capture) -> PageReading:
        """Read one archived page. Raises PageUnread."""
        return await self.run(read_capture, capture, subject=capture.url)

    def warm(self) -> None:
        """Begin to load the readers' models into every process; the first pages then need not wait for it."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with contextlib.suppress(PageUnread):  # then the first page says so
            await asyncio.gather(
                *(self.run(load_readers, subject="the readers' models") for _ in self._seats)
            )

    async def __aenter__(self) -> PagePool:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process."""
        if self._warming is not None:
            self._warming.cancel()
        for seat in self._seats:
            seat.give_up()


def load_readers() -> None:
    """Read one short page, which loads every model a page needs."""
    from afterdrop.review.page.reader import read_page  # noqa: PLC0415  # heavy, and only wanted where pages are read
    from afterdrop.review.page.subjects import nearest_topic  # noqa: PLC0415  # as above

    page = b"<title>A page</title><p>A page of some words."
    read_page(page, url="http://example.org/", content_type=None, nearest=nearest_topic())


def read_capture(capture: Capture) -> PageReading:
    """Read a page in this process; the readers' models load with the first one."""
    from afterdrop.review.page.reader import read_page  # noqa: PLC0415  # heavy, and only wanted where pages are read
    from afterdrop.review.page.subjects import nearest_topic  # noqa: PLC0415  # as above

    kind = capture.headers.get("Content-Type") or capture.mimetype
    return read_page(capture.body, url=capture.url, content_type=kind, nearest=nearest_topic())


def _settle_in() -> None:
    """In the new process: Ctrl-C is for the service, which then closes the pool; and no life after its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _measured(task: Callable[..., Any], *args: Any) -> tuple[Any, int]:
    return task(*args), memory_used()


def memory_used() -> int:
    """Resident memory of this process in bytes (the peak where the system does not tell the present)."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
