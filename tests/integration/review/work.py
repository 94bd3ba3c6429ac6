"""Tasks for the pool's processes in tests."""

from __future__ import annotations

import os
import time


def pid() -> int:
    """Which process this is."""
    return os.getpid()


def fail() -> None:
    """A task with a fault."""
    raise RuntimeError("no such page")


def die() -> None:
    """A task that takes its process with it."""
    os._exit(9)


def hang() -> None:
    """A task that does not end in a test's time."""
    time.sleep(60)


def grow() -> int:
    """A task that holds on to 60 MB."""
    _HELD.append(bytearray(60_000_000))
    return os.getpid()


_HELD: list[bytearray] = []
