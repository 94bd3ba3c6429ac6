"""The only module that reads the clock or makes random numbers; all others take `now` or `rng` as an argument."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime


def now() -> datetime:
    """The current time as an aware UTC datetime in whole seconds (stored times are whole seconds)."""
    return datetime.now(UTC).replace(microsecond=0)


def epoch() -> float:
    """The current time as seconds since 1970 with fractions, for pacing and leases under a second."""
    return time.time()


def monotonic() -> float:
    """Seconds on a clock that never jumps, for measuring how long something took."""
    return time.monotonic()


def rng() -> random.Random:
    """A new random number generator for jitter; tests pass a seeded one."""
    return random.Random()
