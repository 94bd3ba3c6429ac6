"""How long the steps of `make check` and `make check-long` took, by the clock and in CPU seconds.

`python -m tests.gates.times STEP COMMAND…` runs a command and notes both in the file that `CHECK_TIMES` names.
`python -m tests.gates.times` prints what was noted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Run a step, or print what was noted; gives the step's exit code."""
    noted = Path(os.environ["CHECK_TIMES"])
    if not arguments:
        print("Steps:", noted.read_text(encoding="utf-8"), sep="\n", end="")
        return 0
    step, *command = arguments
    began = time.monotonic()
    code = subprocess.run(command).returncode
    spent = os.times()
    cpu = spent.children_user + spent.children_system
    with noted.open("a", encoding="utf-8") as written:
        written.write(f"{time.monotonic() - began:7.1f} s {cpu:7.1f} CPU s  {step}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
