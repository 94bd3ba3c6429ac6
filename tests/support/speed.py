"""How fast this machine is at this moment: bounds on CPU time are those of a usual machine, times this.

A machine that is shared may work at a third of its speed for hours; a bound that does not know that fails there, though
nothing became slower.
"""

from __future__ import annotations

import time

# The steps, and the CPU seconds they take where the bounds of the tests were measured.
_STEPS, _USUAL_SECONDS = 1_000_000, 0.022


def slowness() -> float:
    """How many times longer than on a usual machine a piece of work takes now; at least 1. Takes a quarter second."""
    return max(1.0, min(_work() for _ in range(3)) / _USUAL_SECONDS)


def _work() -> float:
    began = time.process_time()
    total = 0
    for number in range(_STEPS):
        total += number
    return time.process_time() - began
