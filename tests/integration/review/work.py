"""Tasks for the pool's processes in tests."""

from __future__ import annotations

import itertools
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


def spin() -> None:
    """A task that never ends and never sleeps, in one call that no signal handler can interrupt."""
    sum(itertools.repeat(0))


def busy() -> None:
    """A task that computes for a second."""
    end = time.process_time() + 1
    while time.process_time() < end:
        pass


def swell() -> int:
    """A task that asks for 10 GB."""
    return len(bytearray(10_000_000_000))


def grow() -> int:
    """A task that holds on to 60 MB."""
    _HELD.append(bytearray(60_000_000))
    return os.getpid()


_HELD: list[bytearray] = []
