"""The sandbox's clock: it shows the real time, stands still at a moment, or runs from another time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class SandboxClock:
    """`now()` is the real time until `put` fixes or shifts it."""

    real: Callable[[], datetime]
    fixed: datetime | None = None
    offset: timedelta = timedelta(0)

    def now(self) -> datetime:
        """The time by which the servers answer, in aware UTC."""
        return self.fixed or self.real() + self.offset

    def put(self, at: datetime | None, *, running: bool = False) -> None:
        """Stand still at `at`, or run on from it; None returns to the real time. Naive times count as UTC."""
        moment = None if at is None else (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        self.fixed = None if running else moment
        self.offset = moment - self.real() if running and moment else timedelta(0)
