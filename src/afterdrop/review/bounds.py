"""What reading one page may cost, and how the reading process is held to it.

The kernel keeps both limits: no page's code can stop it from ending a process whose timer has run out (SIGPROF), or
from refusing memory (MemoryError, or the death of a library that does not expect it).
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_STATM = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a process that reads pages.

    `cpu_seconds` and `memory` (bytes, with all the process has already) hold for each page; `seconds` is for whatever
    waits instead of working. A process that keeps more than `kept` bytes after a page is replaced.
    """

    cpu_seconds: float = 10.0
    memory: int = 600_000_000
    seconds: float = 60.0
    kept: int = 400_000_000


@contextlib.contextmanager
def limited(bounds: Bounds) -> Iterator[None]:
    """Hold this process to the limits of a page. Where the system does not tell its memory, to those of time only."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    if _STATM.exists():
        room = max(0, bounds.memory - memory_used())
        known = [limit for limit in before if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min([_pages(0) + room, *known]), before[1]))
    signal.setitimer(signal.ITIMER_PROF, bounds.cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def memory_used() -> int:
    """Resident memory of this process in bytes (the peak where the system does not tell the present)."""
    if _STATM.exists():
        return _pages(1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _pages(column: int) -> int:
    return int(_STATM.read_text().split()[column]) * os.sysconf("SC_PAGE_SIZE")
