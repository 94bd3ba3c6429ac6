"""Tasks for the pool's processes in tests."""

from __future__ import annotations

import itertools
import os
import signal
import time
from pathlib import Path


def pid() -> int:
    """Which process this is."""
    return os.getpid()


def fail() -> None:
    """A task with a fault."""
    raise RuntimeError("no such page")


def die(before: Path, times: int, by: signal.Signals | None = None) -> int:
    """A task that takes its process with it, the first so many times; by a signal, or of its own."""
    if _tries(before) > times:
        return os.getpid()
    if by is None:
        os._exit(9)
    os.kill(os.getpid(), by)
    return 0


def hang(before: Path | None = None, times: int = 0) -> int:
    """A task that does not end in a test's time, the first so many times or always."""
    if before is None or _tries(before) <= times:
        time.sleep(600)
    return os.getpid()


def _tries(before: Path) -> int:
    """How often a task was begun, counted in a file."""
    with before.open("a") as file:
        file.write(".")
    return before.stat().st_size


def come_up_slowly() -> None:
    """A start that takes longer than a test's page may."""
    time.sleep(3)


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
