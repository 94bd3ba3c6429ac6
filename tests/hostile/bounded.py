"""Hostile files read one by one, each in a process of its own with bounds on its memory and its time."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.speed import slowness

# What one file may take beside what Python and the product take before it: address space, and CPU seconds of a usual
# machine (tests.support.speed). The signal that ends a process comes later: the machine may become slower meanwhile.
MEMORY = 300 << 20
CPU = 20
_UNTIL_KILLED = 3


@dataclass(frozen=True)
class Outcome:
    """What came of one case: `told` is the error's one line or a count, `died` the signal that ended the process.

    `seconds` are CPU seconds of a usual machine, `grown` is in MB.
    """

    case: str
    told: str
    died: int
    seconds: float
    grown: int


def outcomes(program: str) -> list[Outcome]:
    """What a module of this folder prints when it runs its cases."""
    command = [sys.executable, "-m", f"tests.hostile.{program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=3_000)
    return [Outcome(**json.loads(line)) for line in done.stdout.splitlines()]


def run(cases: Iterable[tuple[str, bytes]], act: Callable[[str, Path], str]) -> None:
    """Print the outcome of every case; `act` is given the case's name and a file with its bytes."""
    for case, data in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case"
            path.write_bytes(data)
            del data
            print(json.dumps(_one(case, path, act)), flush=True)


def _one(case: str, path: Path, act: Callable[[str, Path], str]) -> dict[str, Any]:
    out, into = os.pipe()
    sys.stdout.flush()
    before = slowness()
    child = os.fork()
    if child == 0:
        _bounded(case, path, act, into, round(CPU * before * _UNTIL_KILLED))
    os.close(into)
    with os.fdopen(out) as pipe:
        told = pipe.read()
    _, status, used = os.wait4(child, 0)
    base, _, words = told.partition("\n")
    seconds = round((used.ru_utime + used.ru_stime) / max(before, slowness()), 2)
    died = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return {
        "case": case,
        "told": words,
        "died": signal.SIGXCPU if seconds > CPU else died,
        "seconds": seconds,
        "grown": used.ru_maxrss // 1024 - int(base or 0),
    }


def _bounded(case: str, path: Path, act: Callable[[str, Path], str], into: int, cpu: int) -> None:
    pages = [int(number) for number in Path("/proc/self/statm").read_text().split()[:2]]
    size, resident = (number * resource.getpagesize() for number in pages)
    os.write(into, f"{resident >> 20}\n".encode())
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    code = 0
    try:
        told = act(case, path)
    except BaseException as error:  # noqa: BLE001  # whatever it is, the test is told
        told, code = f"raised {type(error).__name__}: {error}"[:500], 99
    os.write(into, told.encode("utf-8", "replace"))
    os._exit(code)
