"""How long the steps of `make check` and `make check-long` took, and which tests were the slowest.

`python -m tests.gates.times STEP COMMAND…` runs a command and notes how long it took, if `CHECK_TIMES` names a file;
so does the gate for flaky tests with the slowest tests of a run. `python -m tests.gates.times` prints what was noted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from heapq import nlargest
from pathlib import Path

SLOWEST = 5


def note(kind: str, seconds: Mapping[str, float]) -> None:
    """Add seconds by name to the file that `CHECK_TIMES` names, if it does; `kind` is "step" or "test"."""
    if file := os.environ.get("CHECK_TIMES"):
        lines = [json.dumps([kind, name, spent]) + "\n" for name, spent in seconds.items()]
        with Path(file).open("a", encoding="utf-8") as written:
            written.writelines(lines)


def slowest(seconds: Mapping[str, float]) -> dict[str, float]:
    """The slowest few, the slowest first."""
    return dict(nlargest(SLOWEST, seconds.items(), key=lambda each: each[1]))


def table(lines: str) -> str:
    """What people read of the lines that `note` wrote: steps in their order, then the slowest tests."""
    noted = [json.loads(line) for line in lines.splitlines()]
    steps = [(name, spent) for kind, name, spent in noted if kind == "step"]
    tests = slowest({name: spent for kind, name, spent in noted if kind == "test"})
    rows = [f"{spent:7.1f} s  {name}" for name, spent in steps]
    return "\n".join(
        ["Steps:", *rows, "Slowest tests:", *(f"{spent:7.1f} s  {name}" for name, spent in tests.items())]
    )


def main(arguments: list[str]) -> int:
    """Run a step, or print what was noted; gives the step's exit code."""
    if not arguments:
        print(table(Path(os.environ["CHECK_TIMES"]).read_text(encoding="utf-8")))
        return 0
    step, *command = arguments
    began = time.monotonic()
    code = subprocess.run(command).returncode
    note("step", {step: time.monotonic() - began})
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
