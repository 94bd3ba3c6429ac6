"""The command line as a whole: help, settings, databases it must not make, and tables for scripts."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
import typer
from typer.testing import CliRunner, Result

from afterdrop import __version__
from afterdrop.accounts.passwords import password_fits
from afterdrop.accounts.secret_box import open_secret_box
from afterdrop.accounts.tokens import account_id_in
from afterdrop.cli import bootstrap
from afterdrop.cli.commands import app
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError, DatabaseUnusable
from afterdrop.core.settings import Settings
from afterdrop.db.migrate import upgrade
from tests.support import TEST_SECRET


def run(*words: str) -> Result:
    """One command, in this process."""
    return CliRunner().invoke(app, list(words))


def every_command(command: Any, name: str = "afterdrop") -> Iterator[tuple[str, Any]]:
    """All commands with their names."""
    for own, sub in getattr(command, "commands", {}).items():
        yield from every_command(sub, f"{name} {own}")
    yield name, command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, without settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AFTERDROP_SETTINGS", raising=False)
    monkeypatch.setattr(bootstrap.chosen, "settings", None)
    return tmp_path


def test_every_command_and_option_has_help() -> None:
    found = dict(every_command(typer.main.get_command(app)))
    assert len(found) > 30
    for name, command in found.items():
        assert command.help, name
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"


@pytest.mark.parametrize(("optimize", "code"), [("1", 0), ("2", 2)])
def test_a_python_that_strips_descriptions_is_refused_at_once(folder: Path, optimize: str, code: int) -> None:
    environ = {**os.environ, "PYTHONOPTIMIZE": optimize}
    command = [sys.executable, "-m", "afterdrop", "--version"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == code
    if code:
        assert done.stdout == ""
        assert done.stderr.startswith("afterdrop: Python's option -OO (PYTHONOPTIMIZE=2) is not supported: ")
        assert len(done.stderr.splitlines()) == 1
    else:
        assert done.stdout == f"{__version__}\n"


def test_version_and_completion(folder: Path) -> None:
    assert run("--version").stdout == run("version").stdout == f"{__version__}\n"
    assert "--show-completion" in run("--help").stdout


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("outbox",),
        ("domain", "ban", "a.com", "--reason", "x"),
        ("providers", "list"),
        ("feeds", "list"),
        ("account", "create", "a@members.example", "--verified", "--key"),
        ("account", "list"),
        ("account", "invite", "a@members.example"),
        ("key", "create", "a@members.example"),
        ("scan",),
        ("backup", "kept"),
        ("doctor",),
        ("serve", "--no-worker"),
        ("worker",),
    ],
)
def test_commands_make_no_database_and_no_keys(folder: Path, words: tuple[str, ...]) -> None:
    got = run(*words)
    if isinstance(got.exception, DatabaseUnusable):
        assert "`afterdrop serve` or `afterdrop migrate` creates it" in str(got.exception)
        assert f"There is no settings file in {folder}" in str(got.exception)
    elif got.exception is not None and got.exit_code:
        assert isinstance(got.exception, AfterdropError | SystemExit), got.exception
    assert not list(folder.rglob("*.sqlite3")) and not list(folder.rglob("secret_keys"))


def test_a_password_is_reset_by_command_or_link(folder: Path) -> None:
    assert run("migrate").exit_code == 0
    made = run("account", "create", "a@members.example", "--verified")
    assert made.exit_code == 0, made.exception
    typed = CliRunner().invoke(
        app, ["account", "password", "a@members.example"], input="lo\u0308ng enough\n" * 2
    )
    assert typed.exit_code == 0 and "has a new password; its sessions have ended" in typed.stdout
    with closing(sqlite3.connect(folder / "afterdrop-data" / "afterdrop.sqlite3")) as conn:
        [(stored, version)] = conn.execute("SELECT password_hash, token_version FROM accounts")
    assert password_fits(stored, "l\xf6ng enough") and not password_fits(stored, "another one")
    link = run("account", "password", "a@members.example", "--link").stdout.strip()
    settings = Settings(data_dir=folder / "afterdrop-data")
    token = link.removeprefix(f"{settings.site_url}/reset/")
    assert account_id_in(open_secret_box(settings), "reset", token, clock.now()) == 1
    assert version > 0  # what was signed before is ended
    weak = CliRunner().invoke(app, ["account", "password", "a@members.example"], input="short\n" * 2)
    assert "must have at least" in weak.output and weak.exit_code == 1  # nobody types a better one


def test_a_settings_file_is_named_before_the_command_and_its_folder_is_meant(folder: Path) -> None:
    (folder / "etc").mkdir()
    (folder / "etc" / "own.toml").write_text('data_dir = "data"\n')
    assert run("--settings", "etc/own.toml", "migrate").exit_code == 0
    assert (folder / "etc" / "data" / "afterdrop.sqlite3").is_file()
    shown = run("--settings", "etc/own.toml", "status").stdout.splitlines()
    assert "queue\twaiting\tin progress\tdue\toldest" in shown
    assert any(line.startswith("checks\t0\t") for line in shown)


@pytest.mark.parametrize(
    ("revision", "words"),
    [("9999", "newer version"), ("0010", "before 1.0.0 was released"), (None, "older schema")],
)
def test_another_versions_database_is_one_line(folder: Path, revision: str | None, words: str) -> None:
    path = folder / "afterdrop-data" / "afterdrop.sqlite3"
    upgrade(f"sqlite+aiosqlite:///{path}")
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("DELETE FROM alembic_version")
        if revision:
            conn.execute("INSERT INTO alembic_version VALUES (?)", [revision])
        conn.commit()
    for command in ("status", "migrate") if revision else ("status",):
        error = run(command).exception
        assert isinstance(error, DatabaseUnusable), error
        assert words in str(error)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_is_not_utf8_is_refused_in_a_line(
    folder: Path, postgres_url: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, name = sa.make_url(postgres_url), f"t_{encoding.lower()}_{os.getpid()}"
    server = url.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode()
    own = url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
    (folder / "afterdrop-data").mkdir()
    with closing(psycopg.connect(server, autocommit=True)) as conn:
        conn.execute(drop)
        made = (
            f"CREATE DATABASE \"{name}\" ENCODING {encoding} LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        )
        conn.execute(made.encode())
        try:
            assert run("migrate").exit_code == 0
            errors = [run("copy-database", "--to", own).exception]
            monkeypatch.setenv("AFTERDROP_DATABASE_URL", own)
            monkeypatch.setenv("AFTERDROP_SECRET_KEYS", TEST_SECRET)
            monkeypatch.setattr(bootstrap.chosen, "settings", None)
            commands = ("migrate", "status", "serve", "worker", "scan", "account list", "backup kept.tar.gz")
            errors += [run(*words.split()).exception for words in commands]
            doctor = run("doctor")
        finally:
            conn.execute(drop)
    for error in errors:
        assert isinstance(error, AfterdropError), error
        assert f"database {name}: stores text as {encoding}, and Afterdrop needs UTF8" in str(error)
    assert doctor.exit_code == 1 and f"stores text as {encoding}" in doctor.stdout


def test_status_check_fails_when_something_is_wrong(folder: Path) -> None:
    (folder / "afterdrop.toml").write_text("[operator]\ndisk_free_share = 0\n")
    assert run("migrate").exit_code == 0
    got = run("status", "--check")
    assert (got.exit_code, "no worker" in got.stdout) == (1, True), got.stdout
    with closing(sqlite3.connect(folder / "afterdrop-data" / "afterdrop.sqlite3")) as conn:
        conn.execute(
            "INSERT INTO workers (id, started_at, heartbeat_at) VALUES ('w', ?1, ?1)", [int(clock.epoch())]
        )
        conn.commit()
    assert run("status", "--check").exit_code == 0
    (folder / "afterdrop.toml").write_text("[operator]\ndisk_free_share = 1\n")
    got = run("status", "--check")
    assert got.exit_code == 1
    assert got.stdout.startswith("ALARM ") and "of the disk with" in got.stdout.splitlines()[0]
    assert run("status").exit_code == 0


# What takes long to import and belongs to the service, to reading pages or to a terminal.
HEAVY = (
    "aiohttp",
    "alembic",
    "dns",
    "duckdb",
    "fastapi",
    "jinja2",
    "lxml",
    "numpy",
    "rich.console",
    "uvicorn",
)


@pytest.mark.parametrize("words", [("status",), ("--help",)])
def test_status_and_help_import_nothing_heavy(folder: Path, words: tuple[str, ...]) -> None:
    assert run("migrate").exit_code == 0
    script = """
import sys
from afterdrop.cli.commands import app
app(sys.argv[2:], standalone_mode=False)
print("HEAVY", *sorted(set(sys.argv[1].split()) & set(sys.modules)))
"""
    # Help is drawn with Rich, by Typer.
    named = " ".join(name for name in HEAVY if words != ("--help",) or name != "rich.console")
    done = subprocess.run(
        [sys.executable, "-c", script, named, *words], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "HEAVY"
