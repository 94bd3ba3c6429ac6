"""Archived pages read by the test's own process."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from afterdrop.review.page.pool import PagePool, load_readers

_Result = TypeVar("_Result")


@lru_cache(maxsize=1)
def _load() -> None:
    """Before anything else runs: loading stops the loop for seconds, and with it the renewing of leases."""
    load_readers()


def killed() -> None:
    """What a process is ready with that is killed as soon as it is up: no reading ever comes to its end."""
    os.kill(os.getpid(), signal.SIGKILL)


class PagesHere(PagePool):
    """A pool without processes of its own: a test process loads the readers' models once for all its tests.

    What the real pool does is tested with it (`integration/review/test_pool.py`) and wherever commands run.
    """

    def __init__(self, processes: int | None = None) -> None:
        super().__init__(1)
        self._turn = asyncio.Lock()
        _load()

    async def run(self, task: Callable[..., _Result], *args: Any, subject: str = "page") -> _Result:
        """Run a function in a thread, one at a time."""
        async with self._turn:
            return await asyncio.to_thread(task, *args)
