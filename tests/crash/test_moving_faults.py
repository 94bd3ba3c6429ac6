"""Backup, restore and copy work or leave nothing: damaged files, full disks, kills, odd paths, wrong counts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.db.copy import copy_database
from afterdrop.db.engine import database_url as url_of
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import events
from afterdrop.delivery.events import reached_by
from afterdrop.worker.backup import make_backup, restore_backup, try_backup
from tests.support import TEST_SECRET
from tests.support.full_disk import files_of_at_most

pytestmark = pytest.mark.long

NOW = datetime(2026, 11, 22, 3, tzinfo=UTC)
ODD = "a#b?c%20d e"


@pytest.fixture
def old(tmp_path: Path, sqlite_template: Path) -> Settings:
    """Settings of a deployment in the folder `old`, with an account and two of its events in the database."""
    return deployment(tmp_path / "old", sqlite_template)


def deployment(folder: Path, template: Path) -> Settings:
    """A deployment over SQLite; `template`: an empty, migrated file."""
    settings = Settings(data_dir=folder)
    folder.mkdir(parents=True)
    shutil.copyfile(template, folder / "afterdrop.sqlite3")
    row = {"account_id": 1, "type": "check.completed", "created_at": NOW, "body": b"{}"}
    with plain_engine(url_of(settings)).begin() as conn:
        account = {"id": 1, "email": "a@members.example", "created_at": NOW, "reminder_hours": [1]}
        conn.execute(sa.insert(accounts).values(account))
        for place in (1, 2):
            conn.execute(sa.insert(events).values(**row, id=f"evt_{place}", position=place))
    return settings


def emails(url: str) -> list[str]:
    """What is in the table of accounts."""
    with plain_engine(url).connect() as conn:
        return list(conn.scalars(sa.select(accounts.c.email)))


def tree(folder: Path) -> set[str]:
    """Every file and folder below, by its path."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture
def postgres_names(postgres_url: str) -> Iterator[Callable[[str], str]]:
    """URLs of databases that are not there yet, on the tests' server; dropped afterwards."""
    parsed, given = sa.make_url(postgres_url), set[str]()

    def url(name: str) -> str:
        given.add(f"{name}_{os.getpid()}")
        return parsed.set(database=f"{name}_{os.getpid()}").render_as_string(hide_password=False)

    yield url
    server = parsed.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    with closing(psycopg.connect(server, autocommit=True)) as conn:
        for name in given:
            conn.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


def exists(url: str) -> bool:
    """Whether the server has this database."""
    try:
        with plain_engine(url).connect():
            return True
    except sa.exc.OperationalError:
        return False


def test_odd_characters_in_paths_are_only_characters(tmp_path: Path, sqlite_template: Path) -> None:
    settings = deployment(tmp_path / ODD / "data", sqlite_template)
    made = make_backup(settings, tmp_path / ODD / "kept", NOW)
    assert made.file == tmp_path / ODD / "kept" / "afterdrop-20261122T030000Z.tar.gz"
    again = Settings(data_dir=tmp_path / f"{ODD} 2")
    restore_backup(again, made.file, NOW)
    copy_database(url_of(again), f"sqlite+aiosqlite:///{tmp_path}/{ODD} 3/x.sqlite3")
    assert emails(url_of(again)) == ["a@members.example"]
    assert emails(f"sqlite+aiosqlite:///{tmp_path}/{ODD} 3/x.sqlite3") == ["a@members.example"]
    # No path was cut off where SQLAlchemy or SQLite see a mark of their own.
    assert {path.name for path in tmp_path.iterdir()} == {ODD, f"{ODD} 2", f"{ODD} 3"}


def cut(file: Path) -> None:
    """The end is missing, as after a broken transfer."""
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 2 // 3])


def flip(file: Path) -> None:
    """One byte in the middle is another."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def retold(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """A backup whose manifest says something else."""

    def apply(file: Path) -> None:
        folder = file.with_name("unpacked")
        with tarfile.open(file) as tar:
            names = tar.getnames()
            tar.extractall(folder, filter="data")
        manifest = json.loads((folder / "manifest.json").read_text())
        change(manifest)
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with tarfile.open(file, "w:gz") as tar:
            for name in names:
                tar.add(folder / name, name)

    return apply


def other_rows(manifest: dict[str, Any]) -> None:
    """A row more than there is."""
    manifest["rows"]["accounts"] += 1


def other_version(manifest: dict[str, Any]) -> None:
    """A schema that this version does not know."""
    manifest["schema"] = "9999"


def other_content(manifest: dict[str, Any]) -> None:
    """The checksum of another database."""
    manifest["sha256"] = "0" * 64


BROKEN: dict[str, tuple[Callable[[Path], Any], str]] = {
    "cut": (cut, "is damaged"),
    "flipped": (flip, "is damaged"),
    "text": (lambda file: file.write_text("no archive"), "is damaged, or is no backup"),
    "empty": (lambda file: file.write_bytes(b""), "is damaged, or is no backup"),
    "gone": (lambda file: file.unlink(), "No such file"),
    "rows": (retold(other_rows), "counts differ.*accounts"),
    "version": (retold(other_version), "newer version"),
    "content": (retold(other_content), "is damaged"),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_that_cannot_be_restored_leaves_nothing(
    tmp_path: Path, old: Settings, kind: str, how: str, request: pytest.FixtureRequest
) -> None:
    settings, target = old, ""
    if kind == "postgresql":
        names = request.getfixturevalue("postgres_names")
        source, target = names("t_source"), names("t_target")
        copy_database(url_of(old), source)
        settings = Settings(data_dir=old.data_dir, database_url=source, secret_keys=(TEST_SECRET,))
    made = make_backup(settings, tmp_path / "kept" / "a.tar.gz", NOW)
    good = made.file.read_bytes()
    damage, said = BROKEN[how]
    damage(made.file)
    fresh = Settings(data_dir=tmp_path / "new", database_url=target, secret_keys=settings.secret_keys)
    with pytest.raises(AfterdropError, match=said) as told:
        restore_backup(fresh, made.file, NOW)
    assert "\n" not in str(told.value) and "Traceback" not in str(told.value)
    assert tree(tmp_path / "new") == set()
    assert not target or not exists(target)
    with pytest.raises(AfterdropError, match=said):
        try_backup(settings, made.file, NOW)
    made.file.write_bytes(good)
    restore_backup(fresh, made.file, NOW)
    assert emails(url_of(fresh)) == ["a@members.example"]
    with plain_engine(url_of(fresh)).connect() as conn:
        places = list(conn.scalars(sa.select(events.c.position).order_by(events.c.id)))
    assert places == [1, reached_by(NOW)]  # no receiver's cursor is beyond the newest
    with pytest.raises(AfterdropError, match=r"already exists|is not empty"):
        restore_backup(fresh, made.file, NOW)


@pytest.mark.parametrize("room", [1_000, 200_000, 300_000])
def test_a_full_disk_leaves_no_backup_and_no_database(tmp_path: Path, old: Settings, room: int) -> None:
    settings = old
    before = tree(tmp_path)
    with files_of_at_most(room), pytest.raises(AfterdropError) as told:
        make_backup(settings, tmp_path / "kept", NOW)
    assert "\n" not in str(told.value)
    assert tree(tmp_path) - {"kept"} == before
    made = make_backup(settings, tmp_path / "kept", NOW)
    fresh = Settings(data_dir=tmp_path / "new")
    with files_of_at_most(room), pytest.raises(AfterdropError):
        restore_backup(fresh, made.file, NOW)
    with files_of_at_most(room), pytest.raises(AfterdropError):
        copy_database(url_of(settings), f"sqlite+aiosqlite:///{tmp_path}/new/copy.sqlite3")
    assert tree(tmp_path / "new") == set()
    restore_backup(fresh, made.file, NOW)
    assert emails(url_of(fresh)) == ["a@members.example"]


BLOCKED = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from afterdrop.core.settings import Settings
from afterdrop.db import copy, postgres_tools
from afterdrop.worker import backup
def block(*given):
    print("there", flush=True)
    time.sleep(600)
module, name, work, old, new, source, target, *keys = sys.argv[1:]
setattr({"backup": backup, "copy": copy, "postgres": postgres_tools}[module], name, block)
now = datetime(2026, 11, 22, 3, tzinfo=UTC)
if work == "backup":
    backup.make_backup(Settings(data_dir=Path(old), database_url=source, secret_keys=keys), Path(new), now)
elif work == "restore":
    backup.restore_backup(Settings(data_dir=Path(new), database_url=target, secret_keys=keys), Path(old), now)
else:
    copy.copy_database(source, target)
"""


def killed(folder: Path, where: tuple[str, str], work: str, *words: str) -> None:
    """Do the work in another process, which is killed where it has come to."""
    with subprocess.Popen(
        [sys.executable, "-c", BLOCKED, *where, work, *words], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("where", [("backup", "_about"), ("backup", "_checksum"), ("backup", "put_in_place")])
def test_a_killed_backup_leaves_nothing_for_the_next_one(
    tmp_path: Path, old: Settings, where: tuple[str, str]
) -> None:
    killed(tmp_path, where, "backup", str(tmp_path / "old"), str(tmp_path / "kept"), "", "")
    assert not list((tmp_path / "kept").glob("*.tar.gz"))
    made = make_backup(old, tmp_path / "kept", NOW)
    assert tree(tmp_path / "kept") == {made.file.name}


@pytest.mark.parametrize(
    "where", [("backup", "check_sqlite"), ("backup", "_compare"), ("backup", "put_in_place")]
)
def test_a_killed_restore_can_be_repeated(tmp_path: Path, old: Settings, where: tuple[str, str]) -> None:
    made = make_backup(old, tmp_path / "kept", NOW)
    fresh = Settings(data_dir=tmp_path / "new")
    killed(tmp_path, where, "restore", str(made.file), str(tmp_path / "new"), "", "")
    assert not (tmp_path / "new" / "afterdrop.sqlite3").exists()
    restore_backup(fresh, made.file, NOW)
    assert emails(url_of(fresh)) == ["a@members.example"]
    assert {name for name in tree(tmp_path / "new") if "part" in name} == set()


def test_a_killed_copy_or_restore_on_postgresql_can_be_repeated(
    tmp_path: Path, old: Settings, postgres_names: Callable[[str], str]
) -> None:
    source, target = url_of(old), postgres_names("t_killed")
    killed(tmp_path, ("copy", "_go_on_counting"), "copy", "", "", source, target)
    assert exists(target)
    with plain_engine(target).connect() as conn:
        assert sa.inspect(conn).get_table_names() == []
    copy_database(source, target)
    assert emails(target) == ["a@members.example"]
    settings = Settings(data_dir=tmp_path / "data", database_url=target, secret_keys=(TEST_SECRET,))
    made = make_backup(settings, tmp_path / "kept", NOW)
    restored = postgres_names("t_killed_too")
    words = (str(made.file), str(tmp_path / "data"), "", restored, TEST_SECRET)
    killed(tmp_path, ("postgres", "_compared"), "restore", *words)
    fresh = Settings(data_dir=tmp_path / "data", database_url=restored, secret_keys=(TEST_SECRET,))
    restore_backup(fresh, made.file, NOW)
    assert emails(restored) == ["a@members.example"]


def test_a_killed_copy_to_a_file_can_be_repeated(tmp_path: Path, old: Settings) -> None:
    source, target = url_of(old), f"sqlite+aiosqlite:///{tmp_path}/new/x.sqlite3"
    killed(tmp_path, ("copy", "_go_on_counting"), "copy", "", "", source, target)
    assert "new/x.sqlite3" not in tree(tmp_path)
    copy_database(source, target)
    assert tree(tmp_path / "new") == {"x.sqlite3"}


def test_a_database_that_may_not_be_made_is_named(
    tmp_path: Path, old: Settings, postgres_names: Callable[[str], str]
) -> None:
    missing, role = postgres_names("t_may_not"), f"t_poor_{os.getpid()}"
    server = sa.make_url(missing).set(drivername="postgresql", database="postgres")
    source = url_of(old)
    with closing(psycopg.connect(server.render_as_string(hide_password=False), autocommit=True)) as conn:
        conn.execute(f'CREATE ROLE "{role}" LOGIN'.encode())
        try:
            poor = sa.make_url(missing).set(username=role).render_as_string(hide_password=False)
            with pytest.raises(AfterdropError, match=f"createdb --owner {role} t_may_not"):
                copy_database(source, poor)
        finally:
            conn.execute(f'DROP ROLE "{role}"'.encode())
