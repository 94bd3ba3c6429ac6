"""A deployment is moved to the other kind of database, backed up and restored, and given new keys."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner, Result

from afterdrop.accounts.secret_box import SecretBox, SecretUnreadable, open_secret_box
from afterdrop.cli import bootstrap
from afterdrop.cli.commands import app
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError, SettingsError
from afterdrop.core.settings import Settings
from afterdrop.db.copy import copy_database
from afterdrop.db.engine import Database
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables import metadata
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import events, webhook_endpoints
from afterdrop.db.tables.queue import job_runs
from afterdrop.delivery import events as event_log
from afterdrop.delivery.events import EventDraft, record
from tests.support import TEST_SECRET
from tests.support.world import World


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of this process find no settings but a test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bootstrap.chosen, "settings", None)


@pytest.fixture
def empty_url(database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty database of the other kind than the test's."""
    if database_url.startswith("postgresql"):
        yield f"sqlite+aiosqlite:///{tmp_path}/other.sqlite3"
        return
    name = f"t_moved_{os.getpid()}"
    with own_database(request.getfixturevalue("postgres_url"), name) as url:
        yield url


class own_database(AbstractContextManager[str]):  # reads as a function
    """A PostgreSQL database without a table, on the server of `url`."""

    def __init__(self, url: str, name: str) -> None:
        self._url, self._name = sa.make_url(url), name

    def _run(self, command: str) -> None:
        server = self._url.set(drivername="postgresql", database="postgres")
        with closing(psycopg.connect(server.render_as_string(hide_password=False), autocommit=True)) as conn:
            conn.execute(command.encode())

    def __enter__(self) -> str:
        self._run(f'CREATE DATABASE "{self._name}"')
        return self._url.set(database=self._name).render_as_string(hide_password=False)

    def __exit__(self, *about: object) -> None:
        self._run(f'DROP DATABASE IF EXISTS "{self._name}" WITH (FORCE)')


async def lived_in(database: Database, settings: Settings) -> World:
    """A deployment with some rows, and an account that was deleted last."""
    world = World(database, settings)
    account = await world.account()
    await world.rule(account, "any", min_score=3)
    await world.watch(account, "acorn.com")
    await world.endpoint(account)
    await world.publish("acorn.com")
    gone = await world.account()
    async with database.write() as conn:
        await conn.execute(sa.delete(accounts).where(accounts.c.id == gone))
    return world


def content(url: str) -> dict[str, list[Any]]:
    """Every row of every table."""
    with plain_engine(url).connect() as conn:
        found = {table.name: conn.execute(sa.select(table)).all() for table in metadata.sorted_tables}
    return {
        name: sorted(repr([_plain(value) for value in row]) for row in rows) for name, rows in found.items()
    }


def _plain(value: Any) -> Any:
    """JSON without the order of its members, which PostgreSQL does not keep."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


async def test_every_row_arrives_and_ids_go_on(
    database: Database, settings: Settings, database_url: str, empty_url: str
) -> None:
    await lived_in(database, settings)
    counts = copy_database(database_url, empty_url)
    before, after = content(database_url), content(empty_url)
    assert after == before
    assert counts == {name: len(rows) for name, rows in before.items()}
    assert sum(counts.values()) >= 6
    with plain_engine(empty_url).begin() as conn:
        row = dict(conn.execute(sa.select(accounts)).mappings().one())
        fresh = {**row, "id": sa.null(), "email": "new@b.example"}
        del fresh["id"]
        made = conn.execute(sa.insert(accounts).values(**fresh).returning(accounts.c.id)).scalar_one()
        assert made > row["id"] + 1, "the id of the deleted account must not be given again"
    again = r"the target is not empty: .*accounts" if "psycopg" in empty_url else "already exists"
    with pytest.raises(AfterdropError, match=again):
        copy_database(database_url, empty_url)


def run(*words: str) -> Result:
    """One command, in this process."""
    return CliRunner().invoke(app, list(words))


async def test_a_backup_is_restored_with_its_keys(
    database: Database,
    settings: Settings,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    await lived_in(database, settings)
    before = content(database_url)
    await database.close()
    (tmp_path / "afterdrop.toml").write_text('site_name = "Kept"\n')
    monkeypatch.setenv("AFTERDROP_DATABASE_URL", database_url)
    monkeypatch.setenv("AFTERDROP_SECRET_KEYS", TEST_SECRET)
    made = run("backup", "kept.tar.gz")
    assert made.exit_code == 0, made.exception
    assert stat.S_IMODE((tmp_path / "kept.tar.gz").stat().st_mode) == 0o600
    with tarfile.open(tmp_path / "kept.tar.gz") as tar:
        assert tar.getnames()[-3:] == ["secret_keys", "afterdrop.toml", "manifest.json"]
    assert isinstance(run("backup", "kept.tar.gz").exception, AfterdropError)  # never over a backup
    with plain_engine(database_url).connect() as conn:
        [noted] = conn.execute(sa.select(job_runs.c.result).where(job_runs.c.job == "backup")).scalars()
    assert noted["file"] == "kept.tar.gz" and noted["rows"] == sum(map(len, before.values()))
    tried = run("restore", "kept.tar.gz", "--check")
    assert tried.exit_code == 0 and "can be restored; nothing was kept" in tried.stdout, tried.exception
    if database_url.startswith("sqlite"):
        target = f"sqlite+aiosqlite:///{tmp_path}/a#b?c%20d/afterdrop.sqlite3"
        _restored(monkeypatch, target, before)
        assert isinstance(run("restore", "kept.tar.gz").exception, AfterdropError)  # never over a database
    else:
        with own_database(request.getfixturevalue("postgres_url"), f"t_restored_{os.getpid()}") as target:
            _restored(monkeypatch, target, before)
    if database_url.startswith("sqlite"):
        monkeypatch.setenv("AFTERDROP_DATABASE_URL", f"sqlite:///{tmp_path}/newer/afterdrop.sqlite3")
    monkeypatch.setenv("AFTERDROP_SECRET_KEYS", "another key of some length")
    with pytest.raises(SettingsError, match="do not include all keys of the backup"):
        raise run("restore", "kept.tar.gz").exception or AssertionError


def _restored(monkeypatch: pytest.MonkeyPatch, target: str, before: dict[str, list[Any]]) -> None:
    monkeypatch.setenv("AFTERDROP_DATABASE_URL", target)
    done = run("restore", "kept.tar.gz")
    assert done.exit_code == 0, done.exception
    assert content(target) == before


async def test_an_09_a_restore_moves_the_events_past_the_backups(
    database: Database,
    settings: Settings,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    world = await lived_in(database, settings)
    account = await world.account()
    draft = EventDraft(account, {"check": {}}, "one")
    async with database.write() as conn:
        await record(conn, "check.completed", draft, world.now)
        await event_log.take_positions(conn, account, world.now)
    await database.close()
    monkeypatch.setenv("AFTERDROP_DATABASE_URL", database_url)
    monkeypatch.setenv("AFTERDROP_SECRET_KEYS", TEST_SECRET)
    assert run("backup", "kept.tar.gz").exit_code == 0
    with own_target(database_url, tmp_path, request) as target:
        monkeypatch.setenv("AFTERDROP_DATABASE_URL", target)
        began = event_log.reached_by(clock.now())
        done = run("restore", "kept.tar.gz")
        assert done.exit_code == 0, done.exception
        with plain_engine(target).connect() as conn:
            found = conn.scalar(sa.select(events.c.position).where(events.c.account_id == account))
    assert found is not None and found >= began


def own_target(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> AbstractContextManager[str]:
    """Where a backup of the database at `url` can be restored."""
    if url.startswith("sqlite"):
        return nullcontext(f"sqlite+aiosqlite:///{tmp_path}/new/afterdrop.sqlite3")
    return own_database(request.getfixturevalue("postgres_url"), f"t_events_{os.getpid()}")


def test_keys_of_the_data_folder_come_with_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = open_secret_box(Settings(data_dir=tmp_path / "afterdrop-data")).encrypt("whsec_x")
    assert run("migrate").exit_code == 0
    assert run("backup", "kept.tar.gz").exit_code == 0
    monkeypatch.setenv("AFTERDROP_DATA_DIR", str(tmp_path / "new"))
    assert run("restore", "kept.tar.gz").exit_code == 0
    assert open_secret_box(Settings(data_dir=tmp_path / "new")).decrypt(secret) == "whsec_x"


async def test_a_database_without_its_keys_is_told(
    database: Database, settings: Settings, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lived_in(database, settings)
    await database.close()
    monkeypatch.setenv("AFTERDROP_DATABASE_URL", database_url)
    monkeypatch.setenv("AFTERDROP_OPERATOR__DISK_FREE_SHARE", "0")
    for keys, told in ((TEST_SECRET, False), ("a key of another deployment", True)):
        monkeypatch.setenv("AFTERDROP_SECRET_KEYS", keys)
        shown = await asyncio.to_thread(run, "status", "--check")
        assert ("restore the keys" in shown.stdout) is told, shown.output
        assert shown.exit_code == 1 or not told


async def test_rotated_secrets_open_with_the_new_key_alone(
    database: Database, settings: Settings, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lived_in(database, settings)
    await database.close()
    monkeypatch.setenv("AFTERDROP_DATABASE_URL", database_url)
    monkeypatch.setenv("AFTERDROP_SECRET_KEYS", f"a new key of some length,{TEST_SECRET}")
    done = await asyncio.to_thread(run, "secrets", "rotate")
    assert (done.exit_code, done.stdout) == (0, "1 secrets are now encrypted with the first key\n"), (
        done.exception
    )
    with plain_engine(database_url).connect() as conn:
        stored: bytes = conn.execute(sa.select(webhook_endpoints.c.secret)).scalar_one()
    assert SecretBox(["a new key of some length"]).decrypt(stored) == "whsec_test"
    with pytest.raises(SecretUnreadable):
        SecretBox([TEST_SECRET]).decrypt(stored)


def test_a_new_key_in_the_data_folder_comes_first_and_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = open_secret_box(Settings(data_dir=tmp_path / "afterdrop-data"))
    assert run("migrate").exit_code == 0
    assert run("secrets", "rotate").exit_code == 0
    keys = tmp_path / "afterdrop-data" / "secret_keys"
    first, *others = keys.read_text().split()
    assert (len(others), stat.S_IMODE(keys.stat().st_mode)) == (1, 0o600)
    both = open_secret_box(Settings(data_dir=tmp_path / "afterdrop-data"))
    assert both.decrypt(old.encrypt("x")) == "x"
    assert SecretBox([first]).decrypt(both.encrypt("y")) == "y"
