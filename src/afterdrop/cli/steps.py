"""Progress of a long command that goes through steps."""

from __future__ import annotations

from typing import Any

from afterdrop.cli import console
from afterdrop.core import clock


class StepProgress:
    """Progress through an import's steps: each its own meter, with the time left. Files are told in MB."""

    def __init__(self) -> None:
        self._step: str | None = None
        self._drawn: Any = None
        self._meter: console.ProgressMeter | None = None
        self._since = 0.0
        self._first = 0

    def __enter__(self) -> StepProgress:
        return self

    def __exit__(self, *about: object) -> None:
        self._end()

    def show(self, step: str, done: int, total: int) -> None:
        """How far `step` is; a new step ends the one before."""
        if step != self._step:
            self._end()
            self._step, self._since, self._first = step, clock.monotonic(), done
            self._drawn = console.progress_meter(step, total)
            self._meter = self._drawn.__enter__()
        if self._meter is None:
            return
        unit, size = (", MB", 10**6) if step.startswith(("downloading", "reading")) else ("", 1)
        self._meter.show(done // size, -(-total // size), f"{step}{unit}{self._left(done, total)}")

    def _left(self, done: int, total: int) -> str:
        passed, fresh = clock.monotonic() - self._since, done - self._first
        if passed < 3 or fresh <= 0 or done >= total:
            return ""
        # What an earlier run downloaded says nothing about today's rate.
        minutes, seconds = divmod(round(passed * (total - done) / fresh), 60)
        return f", {minutes}:{seconds:02} left"

    def _end(self) -> None:
        if self._drawn is not None:
            self._drawn.__exit__(None, None, None)
            self._drawn = self._meter = None
