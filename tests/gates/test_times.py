"""What a check says of its own time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.gates import times

ROOT = Path(__file__).resolve().parents[2]


def test_a_step_is_timed_and_keeps_its_exit_code(tmp_path: Path) -> None:
    noted = tmp_path / "times"
    environment = {**os.environ, "CHECK_TIMES": str(noted), "PYTHONPATH": str(ROOT)}
    gate = [sys.executable, "-m", "tests.gates.times"]
    for step, code in (("quick", 0), ("red", 3)):
        command = [*gate, step, sys.executable, "-c", f"raise SystemExit({code})"]
        assert subprocess.run(command, env=environment).returncode == code
    printed = subprocess.run(gate, env=environment, capture_output=True, text=True, check=True).stdout
    assert [line.split(" s  ")[-1] for line in printed.splitlines()] == [
        "Steps:",
        "quick",
        "red",
        "Slowest tests:",
    ]


def test_the_five_slowest_tests_of_all_runs_are_told() -> None:
    first = times.slowest({f"unit::{number}": number / 10 for number in range(9)})
    assert list(first) == [f"unit::{number}" for number in (8, 7, 6, 5, 4)]
    lines = "".join(f'["test", "{name}", {spent}]\n' for name, spent in {**first, "other": 0.75}.items())
    told = times.table(lines).splitlines()
    assert told[0:2] == ["Steps:", "Slowest tests:"]
    assert [line.split()[-1] for line in told[2:]] == ["unit::8", "other", "unit::7", "unit::6", "unit::5"]
