"""Every command that talks to PostgreSQL, on a cluster that asks for a password, by addresses with odd characters."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql
from typer.testing import CliRunner, Result

from afterdrop.accounts import members
from afterdrop.cli import bootstrap
from afterdrop.cli.commands import app
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Backup
from afterdrop.db import postgres_tools
from afterdrop.db.engine import database_url, open_database
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables.accounts import accounts
from afterdrop.worker.backup import back_up_daily
from tests.support import TEST_SECRET, postgres
from tests.support.world import slim_context

USER, PASSWORD = f"after drop@'{os.getpid()}'", "p@ss/w:%?#&= '\\\"é"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Server:
    """The tests' cluster, as somebody who is asked for his password reaches it."""

    def __init__(self, url: str) -> None:
        self.url = sa.make_url(url)
        self.folder = str(self.url.query.get("host", ""))
        self.made = [f"t_asked_{os.getpid()}_{number}" for number in range(3)]

    def run(self, *statements: sql.Composed | sql.SQL) -> None:
        server = self.url.set(drivername="postgresql", database="postgres")
        with closing(psycopg.connect(server.render_as_string(hide_password=False), autocommit=True)) as conn:
            for statement in statements:
                conn.execute(statement)

    def address(self, number: int, password: str = PASSWORD, form: str = "libpq") -> str:
        """The address of a database: with the socket's folder as host, as libpq writes it, or in the query."""
        signed = f"{quote(USER, safe='')}:{quote(password, safe='')}"
        more = "options=-c%20statement_timeout%3D0%20-c%20geqo%3Doff&sslmode=prefer"
        if form == "libpq":
            return f"postgresql://{signed}@{quote(self.folder, safe='')}/{self.made[number]}?{more}"
        return f"postgresql://{signed}@/{self.made[number]}?host={quote(self.folder, safe='')}&{more}"


@pytest.fixture
def server(postgres_url: str) -> Iterator[Server]:
    """A role that is asked for its password and may create databases; gone afterwards."""
    made, user, group = Server(postgres_url), sql.Identifier(USER), sql.Identifier(postgres.ASKED)
    drops = [sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)) for name in made.made]
    gone = [*drops, sql.SQL("DROP ROLE IF EXISTS {}").format(user)]
    role = sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {} IN ROLE {}")
    try:
        made.run(*gone, role.format(user, sql.Literal(PASSWORD), group))
    except psycopg.errors.UndefinedObject:
        pytest.skip("the tests' PostgreSQL is not the cluster that they start themselves")
    try:
        yield made
    finally:
        made.run(*gone)


def emails(url: str) -> list[str]:
    with plain_engine(url).connect() as conn:
        return list(conn.scalars(sa.select(accounts.c.email)))


def settings_of(address: str, folder: Path) -> Settings:
    return Settings(
        database_url=address, data_dir=folder, secret_keys=(TEST_SECRET,), backup=Backup(dir=folder / "daily")
    )


def run(monkeypatch: pytest.MonkeyPatch, address: str, *words: str) -> Result:
    """One command over a database, in this process."""
    monkeypatch.setenv("AFTERDROP_DATABASE_URL", address)
    monkeypatch.setenv("AFTERDROP_SECRET_KEYS", TEST_SECRET)
    monkeypatch.setattr(bootstrap.chosen, "settings", None)
    return CliRunner().invoke(app, list(words))


async def lived_in(settings: Settings) -> None:
    """An account, and the day's backup."""
    database = open_database(database_url(settings))
    async with database.write() as conn:
        account = members.NewAccount("me@a.example", verified=True)
        await members.create_account(conn, account, now=NOW, welcome=0)
    await back_up_daily(slim_context(database, settings, lambda: NOW))
    await database.close()


def test_every_command_reaches_a_server_that_asks_for_a_password(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    embedded = f"sqlite:///{tmp_path}/a.sqlite3"
    first, second, third = (server.address(number) for number in range(3))
    by_query, by_hand = server.address(2, form="query"), str(tmp_path / "by hand.tar.gz")
    commands = [
        (embedded, "migrate"), (embedded, "copy-database", "--to", first),
        (first, "copy-database", "--to", second), (first, "migrate"), (first, "status"),
    ]  # fmt: skip
    for address, *words in commands:
        done = run(monkeypatch, address, *words)
        assert done.exit_code == 0, (words, done.exception)
    asyncio.run(lived_in(settings_of(first, tmp_path)))
    [daily] = (tmp_path / "daily").iterdir()
    for address, *words in ((by_query, "restore", str(daily)), (third, "backup", by_hand)):
        done = run(monkeypatch, address, *words)
        assert done.exit_code == 0, (words, done.exception)
    assert emails(database_url(settings_of(third, tmp_path))) == ["me@a.example"]
    told = run(monkeypatch, third, "doctor").stdout
    assert PASSWORD not in told and "has the newest schema" in told


def test_a_wrong_password_is_told_and_not_shown(server: Server, tmp_path: Path) -> None:
    server.run(
        sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(server.made[0]), sql.Identifier(USER))
    )
    wrong = database_url(settings_of(server.address(0, "not this one"), tmp_path))
    with pytest.raises(AfterdropError, match="password authentication failed") as told:
        postgres_tools.dump(wrong, tmp_path / "x", "public", "00000003-1")
    assert "not this one" not in str(told.value)


@pytest.mark.parametrize(
    ("address", "host", "password"),
    [
        ("postgresql://u:p@h/d", "h", "p"),
        ("postgres://u:p%40%2F%25@h:5433/d%20b", "h", "p@/%"),
        ("postgresql://u@%2Fvar%2Frun%2Fpg/d", "/var/run/pg", None),
        ("postgresql://u@/d?host=/var/run/pg&passfile=/x%20y", "/var/run/pg", None),
        ("postgresql://u:p@[::1]:5/d", "::1", "p"),
        ("postgresql://u:p w'@h/d", "h", "p w'"),
        ("postgresql+psycopg://u:p%3A@h/d?prepare_threshold=5", "h", "p:"),
        ("postgresql://u@h1:1,h2:2/d?target_session_attrs=any", "h1,h2", None),
    ],
)
def test_addresses_reach_driver_and_tools_alike(
    address: str, host: str, password: str | None, tmp_path: Path
) -> None:
    url = database_url(settings_of(address, tmp_path))
    parsed = sa.make_url(url)
    _, driver = parsed.get_dialect()().create_connect_args(parsed)
    tools, environ = postgres_tools._address(url)
    read = psycopg.conninfo.conninfo_to_dict(tools)
    assert (driver["host"], driver.get("password")) == (host, password)
    assert (read["host"], environ.get("PGPASSWORD")) == (host, password)
    assert {name: str(value) for name, value in driver.items() if name in read} == {
        n: str(v) for n, v in read.items()
    }
    assert "password" not in read
