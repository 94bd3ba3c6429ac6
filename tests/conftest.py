"""Fixtures all tests share: one database per worker process on SQLite and on PostgreSQL, settings, real documents."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import AsyncIterator, Generator, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from argon2 import PasswordHasher

from afterdrop.accounts import passwords
from afterdrop.catalogue.lists.pages import Lists
from afterdrop.core.settings import Settings
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.outages import Outage, outage
from tests.gates import turns
from tests.support import AUDIENCE, FORBIDDEN_SKIPS, TEST_SECRET, postgres
from tests.support.speed import slowness

_CLUSTER = pytest.StashKey[postgres.Cluster]()
_TAKES_TURNS = pytest.StashKey[bool]()
_CPU_BEFORE = pytest.StashKey[float]()
# Whose turn it is, and what runs whatever the turn; None: everything runs.
_TURN = pytest.StashKey[tuple[int, frozenset[str]] | None]()
NOT_HERE = "genuine documents are not on this machine"
REAL = Path(__file__).resolve().parents[2] / "shared" / "real"

# A password takes 50 ms of CPU on purpose. One test asks for that (tests/unit/accounts); the others go without.
passwords.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

os.environ |= AUDIENCE

# Whoever asks for lists waits until they are read, however busy the machine is.
Lists.patience = 60.0

# The same examples in every run: whether a branch is covered, or a change passes, must not be a matter of luck.
# `--hypothesis-seed` and `HYPOTHESIS_PROFILE=default` look further.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.register_profile("thorough", hypothesis.settings.get_profile("steady"))
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


# What these folders show hardly depends on the database: on PostgreSQL they are `long`.
ON_POSTGRES_LONG = (
    *("contract", "hostile"),
    *(
        f"integration/{each}"
        for each in ("checks", "cli", "delivery", "http", "mcp", "scan", "site", "watching", "web", "worker")
    ),
    *(f"integration/sources/{each}" for each in ("live", "lookups", "metrics")),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Whose turn it is among the dear tests, and whether to measure them: see tests/gates/turns.py."""
    group = parser.getgroup("turns")
    group.addoption("--turn", default="all", choices=["all", "tree", *map(str, range(turns.TURNS))])
    group.addoption("--measure", action="store_true", help=f"write what is dear into {turns.FILE.name}")


@pytest.hookimpl(tryfirst=True)  # before marks select
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what runs on PostgreSQL in `make check-long` only, then leave out what has another turn."""
    here = Path(__file__).parent
    for item in items:
        folder = item.path.parent.relative_to(here).as_posix()
        asked = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        if folder in ON_POSTGRES_LONG and asked.get("database_url") == "postgresql":
            item.add_marker("long")
    if (turn := config.stash[_TURN]) is not None:
        _take_turns(config, items, *turn)


def _take_turns(config: pytest.Config, items: list[pytest.Item], now: int, changed: frozenset[str]) -> None:
    """Keep the tests of this turn, after those that every run has."""
    always, of_this_turn, of_others = list[pytest.Item](), list[pytest.Item](), list[pytest.Item]()
    for item in items:
        turn = turns.turn_of(item.nodeid, long=item.get_closest_marker("long") is not None)
        item.stash[_TAKES_TURNS] = turn is not None and turns.key(item.nodeid) not in changed
        if not item.stash[_TAKES_TURNS]:
            always.append(item)
        else:
            (of_this_turn if turn == now else of_others).append(item)
    items[:] = [*always, *of_this_turn]
    config.hook.pytest_deselected(items=of_others)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin nothing that takes turns once the check has lasted long enough."""
    item.stash[_CPU_BEFORE] = turns.cpu_seconds()
    began = os.environ.get("CHECK_BEGAN")
    if began and item.stash.get(_TAKES_TURNS, False) and time.time() > float(began) + turns.BOX_SECONDS:
        pytest.skip(turns.LEFT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say what the test cost, with its fixtures and the processes it waited for."""
    report = yield
    if report.when == "teardown":
        report.user_properties.append(("cpu", turns.cpu_seconds() - item.stash[_CPU_BEFORE]))
    return report


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Start PostgreSQL once, in the controller; workers find it, and the run's template, through the environment."""
    if hasattr(config, "workerinput"):
        config.stash[_TURN] = config.workerinput["turn"]
        # pytest-rerunfailures asks the controller at each test, which took 40 ms: two packets that wait for each other.
        config.failures_db.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # type: ignore[attr-defined]
        return
    asked = config.option.turn
    now = turns.turn_of_tree() if asked == "tree" else asked
    config.stash[_TURN] = None if asked == "all" else (int(now), turns.changed_lately())
    os.environ["TEST_DATABASE_TEMPLATE"] = f"t_template_{os.getpid()}"
    folder = postgres.binaries()
    if folder is not None and not os.environ.get("TEST_DATABASE_URL"):
        cluster = postgres.start(folder)
        config.stash[_CLUSTER] = cluster
        os.environ["TEST_DATABASE_URL"] = cluster.url("postgres")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist whose turn it is."""
    node.workerinput["turn"] = node.config.stash[_TURN]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the cluster this process started, or leave somebody else's as it was."""
    if hasattr(config, "workerinput"):
        return
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is not None:
        os.environ.pop("TEST_DATABASE_URL", None)
        cluster.stop()
    elif server := os.environ.get("TEST_DATABASE_URL"):
        postgres.drop(server, os.environ["TEST_DATABASE_TEMPLATE"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was left for another run, what was flaky, and what is newly dear; under CI a skip is a failure."""
    say = terminalreporter.write_line
    if left := [report for report in _skipped(terminalreporter) if turns.LEFT in str(report.longrepr)]:
        say(f"{len(left)} tests were {turns.LEFT}")
    if flaky := len(terminalreporter.stats.get("rerun", [])):
        say(f"{flaky} tests failed and ran again: each is a defect (CONTRIBUTING.md)", red=True)
    if skipped := _forbidden(terminalreporter):
        say(f"{len(skipped)} tests were skipped and skips are forbidden here", red=True)
    if config.option.measure:
        turns.keep(_costs(terminalreporter), slowness())


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Make the run fail when skips are forbidden and there were some, with an exit code that says so."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and _forbidden(reporter) and exitstatus in (0, pytest.ExitCode.TESTS_FAILED):
        session.exitstatus = FORBIDDEN_SKIPS


def _skipped(reporter: pytest.TerminalReporter) -> list[pytest.TestReport]:
    return reporter.stats.get("skipped", [])


def _forbidden(reporter: pytest.TerminalReporter) -> list[pytest.TestReport]:
    """Skipped tests where none may be. The genuine documents are other people's: no CI can install them."""
    if not os.environ.get("TESTS_NO_SKIPS"):
        return []
    allowed = (NOT_HERE, turns.LEFT)
    return [each for each in _skipped(reporter) if not any(why in str(each.longrepr) for why in allowed)]


def _costs(reporter: pytest.TerminalReporter) -> dict[str, float]:
    """CPU seconds by test, those of the dearer database."""
    costs = dict[str, float]()
    for report in reporter.stats.get("", []):  # where pytest keeps set-ups and clean-ups that passed
        for name, spent in report.user_properties:
            if name == "cpu":
                test = turns.key(report.nodeid)
                costs[test] = max(costs.get(test, 0.0), spent)
    return costs


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file to copy."""
    path = tmp_path_factory.mktemp("template") / "template.sqlite3"
    migrate.upgrade(f"sqlite+aiosqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where this test process has its SQLite file: the same place in every test, so that its engine is kept."""
    return f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('sqlite')}/afterdrop.sqlite3"


@pytest.fixture(scope="session")
def _postgres_of_process(worker_id: str) -> Iterator[str]:
    """A migrated PostgreSQL database of this test process's own."""
    admin = os.environ.get("TEST_DATABASE_URL")
    if not admin:
        pytest.skip("PostgreSQL's server binaries are not on this machine (apt-get install postgresql)")
    template = os.environ["TEST_DATABASE_TEMPLATE"]
    with postgres.migrated(admin, template, f"t_{worker_id}_{os.getpid()}") as mine:
        yield mine


@pytest.fixture
def postgres_url(_postgres_of_process: str) -> Iterator[str]:
    """The same, empty again after each test."""
    yield _postgres_of_process
    postgres.empty(_postgres_of_process)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of an empty, migrated database: the test runs once on each kind."""
    if request.param == "postgresql":
        yield request.getfixturevalue("postgres_url")
        return
    yield request.getfixturevalue("sqlite_empty")


@pytest.fixture
def sqlite_empty(sqlite_url: str, sqlite_template: Path) -> str:
    """URL of an empty, migrated SQLite file."""
    path = Path(sqlite_url.partition("///")[2])
    for leftover in path.parent.glob(f"{path.name}*"):
        leftover.unlink()
    shutil.copyfile(sqlite_template, path)
    return sqlite_url


@pytest.fixture(autouse=True)
def _no_outage() -> None:
    """The process's record of an outage begins anew with each test: one may end before its outage does."""
    vars(outage).update(vars(Outage()))


@lru_cache(maxsize=4)
def _opened(url: str) -> Database:
    """An engine is kept from test to test, as it compiles every statement anew; its connections are not."""
    return open_database(url, connections=15)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open, empty database, on each kind."""
    opened = _opened(database_url)
    yield Database(opened.engine)
    await opened.close()


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    """Default settings with a data directory and database of the test's own."""
    return Settings(
        data_dir=tmp_path / "data",
        database_url=database_url,
        secret_keys=(TEST_SECRET,),
        contact="mailto:operator@example.org",
    )


@pytest.fixture(scope="session")
def real() -> Path:
    """Folder of genuine documents that development machines have and users' machines have not."""
    if not REAL.is_dir():
        pytest.skip(f"{NOT_HERE} ({REAL})")
    return REAL
