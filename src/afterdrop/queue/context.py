"""What every queue and every timed job gets from its worker.

Each feature's `worker.py` extends this protocol by what its own queue needs and sees nothing else;
`worker.context.WorkerContext` is the one value that fulfils them all.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database


class QueueContext(Protocol):
    """The database, and the worker that claims rows in it."""

    @property
    def settings(self) -> Settings:
        """The settings of the deployment."""
        ...

    @property
    def database(self) -> Database:
        """The open database."""
        ...

    @property
    def worker(self) -> str:
        """The name that claims are made under; no other worker has it."""
        ...

    @property
    def now(self) -> Callable[[], datetime]:
        """The clock of this worker: a demo or a test may live in another day."""
        ...

    @property
    def lease(self) -> timedelta:
        """How long a claimed row is held before others may take it over; renewed while it is worked on."""
        ...
