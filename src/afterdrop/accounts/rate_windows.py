"""Fixed windows of time that requests are counted in. Pure; times are whole epoch seconds.

The minute is aligned to the clock, the day is the UTC day, the look-up hour is the clock hour.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["minute", "day", "lookups"]
LENGTH: dict[Kind, int] = {"minute": 60, "day": 86_400, "lookups": 3600}


def window_start(kind: Kind, epoch: int) -> int:
    """When the window that `epoch` lies in began."""
    return epoch - epoch % LENGTH[kind]


def seconds_left(kind: Kind, epoch: int) -> int:
    """Whole seconds until the next window begins, at least 1: what `Retry-After` says."""
    return LENGTH[kind] - epoch % LENGTH[kind]
