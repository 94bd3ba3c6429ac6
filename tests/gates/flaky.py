"""Gate: a test that fails and then passes alone is flaky. It is named, and a few of them do not fail the run.

`python -m tests.gates.flaky ARGUMENTS` runs `pytest ARGUMENTS`. It then runs each failed test once more, alone, in a
process of its own. What fails again is broken. What passes is printed as `flaky: NAME`; `MOST_FLAKY` are forgiven.
With `FLAKY_TALLY=FILE` the flaky tests of several commands are counted together: each command adds its own to the file.
Nothing else is forgiven: a crash of a worker, a file that cannot be collected, a forbidden skip, an interrupted run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.gates import times

# About one test of 8,000 failed in each run of the whole on a busy machine; three in one run are already suspicious.
MOST_FLAKY = 3
# A change that breaks more tests than this is no bad luck, and running all of them again would only take time.
MOST_REPEATED = 10
# A worker of pytest-xdist that died: the test it ran is reported as failed in this phase.
_CRASHED = "???"


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Failures:
    """What failed in a run of pytest; a plugin of the process that sums up the run.

    `tests` holds the ids of failed tests in their order, `fatal` says in words what no second run can forgive,
    `seconds` how long each test took with its set-up and clean-up.
    """

    tests: dict[str, None] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    fatal: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test's time, and whether it failed, in its set-up and clean-up too."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.tests[report.nodeid] = None
            if report.when == _CRASHED:
                self.fatal.append(f"a worker crashed in {report.nodeid}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected."""
        if report.failed:
            self.fatal.append(f"{report.nodeid or 'the tests'} could not be collected")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object) -> None:
        """Note a worker that died between two tests."""
        if error:
            self.fatal.append(f"a worker crashed: {error}")


def verdict(code: int, failures: Failures, passes_alone: Callable[[str], bool], tally: Path | None) -> int:
    """The exit code of the run whose exit code was `code`: 0 if every failed test is flaky and they are few.

    Prints each test that ran once more, and why a run is not forgiven. Adds the flaky ones to the file `tally`.
    """
    if code != pytest.ExitCode.TESTS_FAILED:
        return code
    why = list(dict.fromkeys(failures.fatal))
    if not failures.tests and not why:
        why = ["the run failed, though no test did"]
    if len(failures.tests) > MOST_REPEATED:
        why.append(f"{len(failures.tests)} tests failed; more than {MOST_REPEATED} are not tried again")
    if not why:
        flaky = [test for test in failures.tests if passes_alone(test)]
        broken = [test for test in failures.tests if test not in flaky]
        print("\n".join([*(f"flaky: {test}" for test in flaky), *(f"broken: {test}" for test in broken)]))
        count = _add(tally, flaky)
        why += ["what fails alone, too, is broken"] if broken else []
        why += [f"{count} flaky tests, at most {MOST_FLAKY} are forgiven"] if count > MOST_FLAKY else []
    for reason in why:
        print(f"not forgiven: {reason}")
    return code if why else 0


def _add(tally: Path | None, flaky: Sequence[str]) -> int:
    """Write the flaky tests down; gives how many there are, with those of the commands before."""
    if tally is None:
        return len(flaky)
    with tally.open("a", encoding="utf-8") as file:
        file.writelines(f"{test}\n" for test in flaky)
    return len(tally.read_text(encoding="utf-8").splitlines())


def main() -> int:
    """Run pytest with the command's arguments, then what failed; gives the exit code."""
    environment = dict(os.environ)  # before pytest and its plugins leave their own marks there

    def passes_alone(test: str) -> bool:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", test]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            print(done.stdout.decode(errors="replace"))
        return done.returncode == 0

    failures = Failures()
    code = int(pytest.main(sys.argv[1:], plugins=[failures]))
    times.note("test", times.slowest(failures.seconds))
    tally = os.environ.get("FLAKY_TALLY")
    return verdict(code, failures, passes_alone, Path(tally) if tally else None)


if __name__ == "__main__":
    sys.exit(main())
