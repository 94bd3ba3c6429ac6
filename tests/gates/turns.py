"""Dear tests take turns: a run has a quarter of them, a few fixed ones, and those of what changed lately.

A test is dear when it takes `DEAR` CPU seconds of a usual machine; `dear.json` has them all, by their id without its
database. They are dealt to four turns of equal cost. A long test that is not dear has the turn that its id gives. All
other tests are in every run. The turn follows from the tree, so that the same tree has the same turn: a second run is
no lottery. `pytest` alone runs what it is asked for; `--turn=tree` deals, and `--measure` writes `dear.json`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final
from zlib import crc32

ROOT: Final = Path(__file__).resolve().parents[2]
FILE: Final = Path(__file__).with_name("dear.json")
TURNS: Final = 4
DEAR: Final = 0.3
# Of the dear tests that mirror what the last commits changed, so many CPU seconds are in every run, the latest first.
COMMITS: Final = 50
LATELY: Final = 40.0
# What takes its turn does not begin later than this after the check began (`CHECK_BEGAN`, seconds since 1970).
BOX_SECONDS: Final = 25 * 60
LEFT: Final = "left for another run: the time for tests that take turns is over"
# In every run, whatever the turn: one kill, one damaged backup, one flood, one page … for all of their kind.
FIXED: Final = (
    "tests/browser/test_eleven_jobs.py::test_choose_five",
    "tests/browser/test_eleven_jobs.py::test_share_ten",
    "tests/browser/test_every_page.py::test_pages[pro-1280-True]",
    "tests/browser/test_every_page.py::test_pages[visitor-360-True]",
    "tests/browser/test_mails.py::test_mails_can_be_read[Gmail-360-True]",
    "tests/contract/test_clients.py::test_the_generated_parts_are_of_this_description",
    "tests/crash/test_deliveries.py::test_killed_again_and_again_nothing_is_lost_or_stuck[sqlite]",
    "tests/crash/test_moving_faults.py::test_a_backup_that_cannot_be_restored_leaves_nothing[sqlite-cut]",
    "tests/crash/test_moving_faults.py::test_a_killed_restore_can_be_repeated[where0]",
    "tests/deploy/test_containers.py::test_the_compose_file_and_the_containerfile_are_valid",
    "tests/docs/test_releasing.py::test_the_wheel_holds_every_file_of_the_package",
    "tests/hostile/test_pages.py::test_every_hostile_page_is_read_within_the_bounds[entities]",
    "tests/hostile/test_pages.py::test_every_hostile_page_is_read_within_the_bounds[misnested]",
    "tests/hostile/test_requests.py::test_requests[odd_framing]",
    "tests/integration/scan/test_killed.py::test_a_scan_killed_twice_ends_like_one_left_alone[sqlite]",
)
_DATABASE = re.compile(r"(?<=[\[-])(sqlite|postgresql)(?=[\]-])")


def key(test: str) -> str:
    """A test's id without its database."""
    return _DATABASE.sub("", test)


def deal(costs: Mapping[str, float]) -> dict[str, int]:
    """The turn of each test: the dearest first, dealt back and forth."""
    back_and_forth = [*range(TURNS), *reversed(range(TURNS))]
    ranked = sorted(costs, key=lambda test: (-costs[test], test))
    return {test: back_and_forth[place % len(back_and_forth)] for place, test in enumerate(ranked)}


def dear() -> dict[str, float]:
    """Usual CPU seconds by test."""
    costs: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))
    return costs


@lru_cache(maxsize=1)
def dealt() -> dict[str, int]:
    """The turn of each dear test."""
    return deal(dear())


def turn_of(test: str, *, long: bool) -> int | None:
    """A test's turn, None if it is in every run. PostgreSQL's half comes two turns after that of SQLite."""
    turn = dealt().get(key(test), crc32(key(test).encode()) % TURNS if long else None)
    if turn is None or test in FIXED:
        return None
    return (turn + 2) % TURNS if "postgresql" in _DATABASE.findall(test) else turn


def turn_of_tree() -> int:
    """The turn of the commit that is checked out; 0 where this is no checkout."""
    return int(_git("rev-parse", "HEAD^{tree}")[:8] or "0", 16) % TURNS


def changed_lately() -> frozenset[str]:
    """Dear tests that mirror what the last commits changed, by their ids without a database."""
    names = _git("-c", "log.showRoot=false", "log", f"-{COMMITS}", "--no-merges", "--name-only", "--format=")
    begins = dict.fromkeys(begin for name in names.splitlines() for begin in _mirrors(Path(name)))
    return affordable(begins, dear())


def affordable(begins: Iterable[str], costs: Mapping[str, float]) -> frozenset[str]:
    """The tests whose ids begin so, the first beginnings first, as long as they cost no more than `LATELY`."""
    left, found = LATELY, set[str]()
    for begin in begins:
        tests = {test for test in costs if test.startswith(begin)} - found
        cost = sum(costs[test] for test in tests)
        if cost <= left:
            left -= cost
            found |= tests
    return frozenset(found)


def _mirrors(changed: Path) -> Iterator[str]:
    """The test file itself, or the nearest folders of tests/unit and tests/integration for a folder of the service."""
    if changed.name.startswith("test_"):
        yield f"{changed}::"
    if changed.parts[:2] != ("src", "afterdrop"):
        return
    rooms = changed.parent.parts[2:]
    for suite in ("unit", "integration"):
        nearest = (
            f"tests/{suite}/{'/'.join(rooms[at:end])}"
            for end in range(len(rooms), 0, -1)
            for at in range(end)
        )
        yield from [f"{folder}/" for folder in nearest if (ROOT / folder).is_dir()][:1]


def _git(*arguments: str) -> str:
    """What git prints; nothing where this is no checkout or there is no git."""
    if shutil.which("git") is None:
        return ""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def cpu_seconds() -> float:
    """CPU seconds of this process and of the children it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def keep(measured: Mapping[str, float], slowness: float) -> None:
    """Write what was measured into `dear.json`; tests that were not measured stay as they are, if their file does."""
    before = {test: cost for test, cost in dear().items() if (ROOT / test.partition("::")[0]).exists()}
    costs = {test: cost for test, cost in before.items() if test not in measured}
    usual = {test: round(cost / slowness, 1) for test, cost in measured.items()}
    costs |= {test: cost for test, cost in usual.items() if cost >= DEAR}
    FILE.write_text(json.dumps(costs, indent=0, sort_keys=True) + "\n", encoding="utf-8")
