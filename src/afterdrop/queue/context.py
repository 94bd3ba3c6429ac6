"""The context of a queue or a timed job: what every one of them gets from its worker.

Each feature's `worker.py` extends this protocol by what its own queue needs and sees nothing else.
`worker.context.WorkerContext` has everything and is passed to all of them.
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
        """The worker's unique name, under which it claims rows."""
        ...

    @property
    def now(self) -> Callable[[], datetime]:
        """The worker's clock; demos and tests may set another day."""
        ...

    @property
    def lease(self) -> timedelta:
        """How long a claimed row is held before others may claim it; it is renewed while the row is worked on."""
        ...
