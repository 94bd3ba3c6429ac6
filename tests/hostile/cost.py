"""What a task costs the process that runs it; runs there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def cost(task: Callable[..., Any], *args: Any) -> tuple[float, int]:
    """(seconds of processor time, peak of resident memory in bytes) of one task, process included."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    start = time.process_time()
    task(*args)
    seconds = time.process_time() - start
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert peak is not None
    return seconds, int(peak[1]) * 1024
