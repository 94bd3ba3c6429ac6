"""What a check says of its own time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_step_is_timed_and_keeps_its_exit_code(tmp_path: Path) -> None:
    environment = {**os.environ, "CHECK_TIMES": str(tmp_path / "times"), "PYTHONPATH": str(ROOT)}
    gate = [sys.executable, "-m", "tests.gates.times"]
    for step, code in (("quick", 0), ("red", 3)):
        command = [*gate, step, sys.executable, "-c", f"raise SystemExit({code})"]
        assert subprocess.run(command, env=environment).returncode == code
    printed = subprocess.run(gate, env=environment, capture_output=True, text=True, check=True).stdout
    assert [line.split(" s  ")[-1] for line in printed.splitlines()] == ["Steps:", "quick", "red"]
