"""Fixtures all tests share: one database per worker process on SQLite and on PostgreSQL, settings, real documents."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from pathlib import Path

import hypothesis
import pytest
from argon2 import PasswordHasher

from afterdrop.accounts import passwords
from afterdrop.catalogue.lists.pages import Lists
from afterdrop.core.settings import Settings
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.outages import Outage, outage
from tests.support import FORBIDDEN_SKIPS, TEST_SECRET, postgres

_CLUSTER = pytest.StashKey[postgres.Cluster]()
NOT_HERE = "genuine documents are not on this machine"
REAL = Path(__file__).resolve().parents[2] / "shared" / "real"

# A password takes 50 ms of CPU on purpose. One test asks for that (tests/unit/accounts); the others go without.
passwords.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

# Whoever asks for lists waits until they are read, however busy the machine is.
Lists.patience = 60.0

# The same examples in every run: whether a branch is covered, or a change passes, must not be a matter of luck.
# `--hypothesis-seed` and `HYPOTHESIS_PROFILE=default` look further.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.register_profile("thorough", hypothesis.settings.get_profile("steady"))
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


# What these folders show hardly depends on the database: on PostgreSQL they are `long`.
ON_POSTGRES_LONG = (
    "contract",
    *(
        f"integration/{each}"
        for each in ("checks", "cli", "delivery", "mcp", "scan", "site", "watching", "web", "worker")
    ),
)


@pytest.hookimpl(tryfirst=True)  # before marks select
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs on PostgreSQL in `make check-long` only."""
    here = Path(__file__).parent
    for item in items:
        folder = item.path.parent.relative_to(here).as_posix()
        asked = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        if folder in ON_POSTGRES_LONG and asked.get("database_url") == "postgresql":
            item.add_marker("long")


def pytest_configure(config: pytest.Config) -> None:
    """Start PostgreSQL once, in the controller; workers find it, and the run's template, through the environment."""
    if hasattr(config, "workerinput"):
        return
    os.environ["TEST_DATABASE_TEMPLATE"] = f"t_template_{os.getpid()}"
    folder = postgres.binaries()
    if folder is not None and not os.environ.get("TEST_DATABASE_URL"):
        cluster = postgres.start(folder)
        config.stash[_CLUSTER] = cluster
        os.environ["TEST_DATABASE_URL"] = cluster.url("postgres")


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
    """Under CI a skipped test is a failure: everything it needs is installed there."""
    if skipped := _forbidden(terminalreporter):
        terminalreporter.write_line(
            f"{len(skipped)} tests were skipped and skips are forbidden here", red=True
        )


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Make the run fail when skips are forbidden and there were some, with an exit code that says so."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and _forbidden(reporter) and exitstatus in (0, pytest.ExitCode.TESTS_FAILED):
        session.exitstatus = FORBIDDEN_SKIPS


def _forbidden(reporter: pytest.TerminalReporter) -> list[pytest.TestReport]:
    """Skipped tests where none may be. The genuine documents are other people's: no CI can install them."""
    if not os.environ.get("TESTS_NO_SKIPS"):
        return []
    return [report for report in reporter.stats.get("skipped", []) if NOT_HERE not in str(report.longrepr)]


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
def postgres_url(worker_id: str) -> Iterator[str]:
    """A migrated PostgreSQL database of this test process's own."""
    admin = os.environ.get("TEST_DATABASE_URL")
    if not admin:
        pytest.skip("PostgreSQL's server binaries are not on this machine (apt-get install postgresql)")
    template = os.environ["TEST_DATABASE_TEMPLATE"]
    with postgres.migrated(admin, template, f"t_{worker_id}_{os.getpid()}") as mine:
        yield mine


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of an empty, migrated database: the test runs once on each kind."""
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgres_url")
        yield url
        postgres.empty(url)
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
