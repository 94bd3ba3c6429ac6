"""Fixtures all tests share: one database per worker process on SQLite and on PostgreSQL, settings, real documents."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import hypothesis
import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.tables import metadata
from tests import postgres

_CLUSTER = pytest.StashKey[postgres.Cluster]()
REAL = Path(__file__).resolve().parents[2] / "shared" / "real"

# The same examples in every run: whether a branch is covered, or a change passes, must not be a matter of luck.
# `--hypothesis-seed` and `HYPOTHESIS_PROFILE=default` look further.
hypothesis.settings.register_profile("steady", derandomize=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_configure(config: pytest.Config) -> None:
    """Start PostgreSQL once, in the controller; workers find it through the environment."""
    if hasattr(config, "workerinput") or os.environ.get("TEST_DATABASE_URL"):
        return
    folder = postgres.binaries()
    if folder is not None:
        cluster = postgres.start(folder)
        config.stash[_CLUSTER] = cluster
        os.environ["TEST_DATABASE_URL"] = cluster.url("postgres")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the cluster this process started."""
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is not None:
        os.environ.pop("TEST_DATABASE_URL", None)
        cluster.stop()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Under CI a skipped test is a failure: everything it needs is installed there."""
    skipped = terminalreporter.stats.get("skipped", [])
    if os.environ.get("TESTS_NO_SKIPS") and skipped:
        terminalreporter.write_line(
            f"{len(skipped)} tests were skipped and skips are forbidden here", red=True
        )


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Make the run fail when skips are forbidden and there were some."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("TESTS_NO_SKIPS") and reporter and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def worker(worker_id: str) -> str:
    """Name of this test process."""
    return worker_id


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file to copy."""
    path = tmp_path_factory.mktemp("template") / "template.sqlite3"
    migrate.upgrade(f"sqlite+aiosqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_url(worker: str) -> Iterator[str]:
    """A migrated PostgreSQL database of this test process's own."""
    admin = os.environ.get("TEST_DATABASE_URL")
    if not admin:
        pytest.skip("PostgreSQL's server binaries are not on this machine (apt-get install postgresql)")
    name = f"t_{worker}_{os.getpid()}"
    url = sa.make_url(admin)
    with psycopg.connect(_libpq(url), autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "{name}"'.encode())
    mine = url.set(database=name, drivername="postgresql+psycopg").render_as_string(hide_password=False)
    migrate.upgrade(mine)
    yield mine
    with psycopg.connect(_libpq(url), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


def _libpq(url: sa.URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of an empty, migrated database: the test runs once on each kind."""
    if request.param == "sqlite":
        path = tmp_path / "afterdrop.sqlite3"
        shutil.copyfile(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite+aiosqlite:///{path}"
        return
    url: str = request.getfixturevalue("postgres_url")
    yield url
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as conn:
        for table in reversed(metadata.sorted_tables):
            conn.execute(table.delete())
    engine.dispose()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open, empty database, on each kind."""
    opened = open_database(database_url, pool_size=5)
    yield opened
    await opened.close()


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    """Default settings with a data directory and database of the test's own."""
    return Settings(data_dir=tmp_path / "data", database_url=database_url, secret_keys=(TEST_SECRET,))


TEST_SECRET = "uM0cZ8QmYv1pQ3s7w9yB2dF4hJ6kL8nP0rT2vX4zA6c="


@pytest.fixture(scope="session")
def real() -> Path:
    """Folder of genuine documents that development machines have and users' machines have not."""
    if not REAL.is_dir():
        pytest.skip(f"genuine documents are not on this machine ({REAL})")
    return REAL
