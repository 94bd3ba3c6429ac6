"""The gate for flaky tests, over planted ones that real runs of pytest fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import FORBIDDEN_SKIPS

ROOT = Path(__file__).resolve().parents[2]

PASSES = "def test_passes(): pass\n"
BROKEN = "def test_broken(): assert 1 == 2\n"
# Fails at its first run, by what the planted body does, and passes at the second.
FLAKY = """
import os, pathlib, pytest
def test_{name}():
    mark = pathlib.Path("{name}.mark")
    if not mark.exists():
        mark.touch()
        {fails}
"""


def flaky(name: str, fails: str = "assert False, 'bad luck'") -> str:
    """The text of a test that fails once."""
    return FLAKY.format(name=name, fails=fails)


def run(
    folder: Path,
    *texts: str,
    workers: int = 0,
    tally: Path | None = None,
    no_skips: bool = False,
    times: Path | None = None,
) -> tuple[int, list[str]]:
    """The exit code of the gate over a file of tests, and what it said."""
    (folder / "test_planted.py").write_text("".join(texts))
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "TEST", "FLAKY", "COV", "CHECK"))
    }
    environment = {**kept, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    if tally:
        environment["FLAKY_TALLY"] = str(tally)
    if times:
        environment["CHECK_TIMES"] = str(times)
    if no_skips:
        environment["TESTS_NO_SKIPS"] = "1"
    command = [sys.executable, "-m", "tests.gates.flaky", "-p", "xdist.plugin", "-q", "-n", str(workers)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    said = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(("flaky: ", "broken: ", "not forgiven: "))
    ]
    return done.returncode, said


def test_a_clean_run_says_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, PASSES) == (0, [])


@pytest.mark.parametrize("workers", [0, 2])
def test_a_flaky_test_is_named_and_forgiven(tmp_path: Path, workers: int) -> None:
    assert run(tmp_path, PASSES, flaky("luck"), workers=workers) == (0, ["flaky: test_planted.py::test_luck"])


def test_files_in_a_folder_with_a_conftest_of_its_own_are_run(tmp_path: Path) -> None:
    """pytest leaves the folder's hooks out for other files, and compares its plugins for that."""
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "conftest.py").write_text("def pytest_runtest_setup(item): pass\n")
    (folder / "test_more.py").write_text(flaky("more"))
    assert run(tmp_path, PASSES) == (0, ["flaky: suite/test_more.py::test_more"])


def test_a_broken_test_fails_the_run_beside_a_flaky_one(tmp_path: Path) -> None:
    assert run(tmp_path, flaky("luck"), BROKEN) == (
        1,
        [
            "flaky: test_planted.py::test_luck",
            "broken: test_planted.py::test_broken",
            "not forgiven: what fails alone, too, is broken",
        ],
    )


def test_four_flaky_tests_are_too_many(tmp_path: Path) -> None:
    code, said = run(tmp_path, PASSES, *(flaky(f"luck{n}") for n in range(4)))
    assert code == 1
    assert said == [
        *(f"flaky: test_planted.py::test_luck{n}" for n in range(4)),
        "not forgiven: 4 flaky tests, at most 3 are forgiven",
    ]


def test_commands_with_one_tally_are_counted_together(tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    assert run(tmp_path, *(flaky(f"first{n}") for n in range(3)), tally=tally)[0] == 0
    assert run(tmp_path, PASSES, tally=tally)[0] == 0
    code, said = run(tmp_path, flaky("fourth"), tally=tally)
    assert (code, said[-1]) == (1, "not forgiven: 4 flaky tests, at most 3 are forgiven")


def test_a_crash_of_a_worker_is_never_forgiven(tmp_path: Path) -> None:
    code, said = run(tmp_path, PASSES, flaky("crash", "os._exit(3)"), workers=2)
    assert code == 1
    assert "not forgiven: a worker crashed in test_planted.py::test_crash" in said
    assert not any(line.startswith("flaky") for line in said)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_file_that_cannot_be_collected_is_never_forgiven(tmp_path: Path, workers: int) -> None:
    code, said = run(tmp_path, "import nothing_like_it\n", PASSES, workers=workers)
    assert code != 0
    assert not any(line.startswith("flaky") for line in said)


def test_a_forbidden_skip_is_never_forgiven(tmp_path: Path) -> None:
    hooks = "from tests.conftest import pytest_sessionfinish, pytest_terminal_summary\n"
    (tmp_path / "conftest.py").write_text(hooks)
    skips = "import pytest\ndef test_skips(): pytest.skip('nothing to test with')\n"
    assert run(tmp_path, flaky("luck"), skips) == (0, ["flaky: test_planted.py::test_luck"])
    (tmp_path / "luck.mark").unlink()
    assert run(tmp_path, flaky("luck"), skips, no_skips=True) == (FORBIDDEN_SKIPS, [])


def test_a_change_that_breaks_much_is_not_tried_again(tmp_path: Path) -> None:
    code, said = run(tmp_path, *(flaky(f"luck{n}") for n in range(11)))
    assert (code, said) == (1, ["not forgiven: 11 tests failed; more than 10 are not tried again"])


def test_the_slowest_tests_are_noted(tmp_path: Path) -> None:
    (tmp_path / "times").touch()
    slow = "import time\ndef test_slow(): time.sleep(.3)\n"
    assert run(tmp_path, PASSES, slow, times=tmp_path / "times") == (0, [])
    noted = [json.loads(line) for line in (tmp_path / "times").read_text().splitlines()]
    assert [(kind, name) for kind, name, _ in noted] == [
        ("test", "test_planted.py::test_slow"),
        ("test", "test_planted.py::test_passes"),
    ]
    assert noted[0][2] >= 0.3
