"""Backups on a PostgreSQL database that is not ours alone: schemas of others, closed ones, and a search path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from afterdrop.cli import bootstrap
from afterdrop.cli.commands import app
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables import metadata
from afterdrop.db.tables.accounts import accounts
from tests.support import TEST_SECRET

ROLE = f"t_tenant_{os.getpid()}"
OURS = 'Our "app"'
# libpq reads a blank in `options` as one where a backslash is before it.
PATH = "options=" + quote(r'-c search_path="Our\ ""app""",theirs', safe="")
# Of pg_cron on a managed server, and of another application, which uses alembic as well.
OTHERS = """
CREATE SCHEMA cron;
CREATE TABLE cron.job (jobid bigint);
REVOKE ALL ON SCHEMA cron FROM PUBLIC;
CREATE SCHEMA theirs;
CREATE TABLE theirs.alembic_version (version_num varchar(32) NOT NULL);
INSERT INTO theirs.alembic_version VALUES ('1975ea83b712');
CREATE TABLE theirs.accounts (id bigint);
GRANT USAGE ON SCHEMA theirs TO "{role}";
GRANT SELECT ON ALL TABLES IN SCHEMA theirs TO "{role}";
CREATE SCHEMA "{ours}" AUTHORIZATION "{role}";
GRANT ALL ON SCHEMA public TO "{role}";
"""
# A dump's names are changed, its rows are not: what looks like one stays as it is.
TITLE = 'public.accounts "Our ""app""".x\nCOPY public.accounts (id) FROM stdin;\n\\.\n'


class Server:
    """The tests' server, with databases in which a role of few rights has a place beside others."""

    def __init__(self, url: str) -> None:
        self.url = sa.make_url(url)

    def run(self, database: str, statements: str) -> None:
        there = self.url.set(drivername="postgresql", database=database)
        with closing(psycopg.connect(there.render_as_string(hide_password=False), autocommit=True)) as conn:
            for statement in filter(str.strip, statements.split(";\n")):
                conn.execute(statement.encode())

    def address(self, database: str, path: str = "") -> str:
        address = self.url.set(drivername="postgresql", database=database, username=ROLE)
        return address.render_as_string(hide_password=False) + (f"&{path}" if path else "")


@pytest.fixture
def server(postgres_url: str) -> Iterator[Server]:
    made, names = Server(postgres_url), (f"t_shared_{os.getpid()}", f"t_moved_{os.getpid()}")
    try:
        made.run("postgres", f'CREATE ROLE "{ROLE}" LOGIN')
        for name in names:
            made.run("postgres", f'CREATE DATABASE "{name}"')
            made.run("postgres", f'GRANT CREATE ON DATABASE "{name}" TO "{ROLE}"')
            made.run(name, OTHERS.format(role=ROLE, ours=OURS.replace('"', '""')))
        yield made
    finally:
        for name in names:
            made.run("postgres", f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        made.run("postgres", f'DROP ROLE IF EXISTS "{ROLE}"')


def run(monkeypatch: pytest.MonkeyPatch, address: str, *words: str) -> str:
    """What one command over a database prints; it succeeds."""
    monkeypatch.setenv("AFTERDROP_DATABASE_URL", address)
    monkeypatch.setenv("AFTERDROP_SECRET_KEYS", TEST_SECRET)
    monkeypatch.setattr(bootstrap.chosen, "settings", None)
    done = CliRunner().invoke(app, list(words))
    assert not isinstance(done.exception, Exception), (words, done.exception)  # the doctor misses the network
    return done.stdout


def engine(address: str) -> sa.Engine:
    return plain_engine(address.replace("postgresql:", "postgresql+psycopg:"))


def tables(address: str) -> dict[str, list[str]]:
    """The names of all tables of a database, by schema."""
    with engine(address).connect() as conn:
        asked = sa.inspect(conn)
        names = {schema: sorted(asked.get_table_names(schema)) for schema in asked.get_schema_names()}
    del names["information_schema"]
    return names


def names_of(address: str) -> list[Any]:
    with engine(address).connect() as conn:
        return list(conn.scalars(sa.select(accounts.c.email)))


ALL_OF_US = sorted([*metadata.tables, "alembic_version"])


@pytest.mark.parametrize("paths", [("", ""), (PATH, PATH), (PATH, ""), ("", PATH)])
def test_a_backup_beside_other_schemas_is_restored(
    server: Server, paths: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = f"t_shared_{os.getpid()}", f"t_moved_{os.getpid()}"
    source, target = server.address(first, paths[0]), server.address(second, paths[1])
    run(monkeypatch, source, "migrate")
    with engine(source).begin() as conn:
        conn.execute(sa.insert(accounts).values(email=TITLE, created_at=sa.text("0"), reminder_hours=[1]))
    before = tables(source)
    assert before[OURS if paths[0] else "public"] == ALL_OF_US
    assert before["theirs"] == ["accounts", "alembic_version"]
    run(monkeypatch, source, "backup", "kept.tar.gz")
    told = run(monkeypatch, source, "restore", "kept.tar.gz", "--check")
    assert "can be restored" in told
    assert tables(source) == before
    run(monkeypatch, target, "restore", "kept.tar.gz")
    after = tables(target)
    assert after.pop(OURS if paths[1] else "public") == ALL_OF_US
    assert after.pop("public" if paths[1] else OURS) == []
    assert after == {"cron": ["job"], "theirs": ["accounts", "alembic_version"]}
    assert names_of(target) == [TITLE]
    run(monkeypatch, target, "migrate")


def test_the_doctor_tries_what_a_backup_needs(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database = f"t_shared_{os.getpid()}"
    source = server.address(database)
    run(monkeypatch, source, "migrate")
    good, *_ = [line for line in run(monkeypatch, source, "doctor").splitlines() if "pg_dump" in line]
    assert "\tok\t" in good
    server.run(database, "CREATE TABLE public.of_the_superuser (id bigint)")
    bad, *_ = [line for line in run(monkeypatch, source, "doctor").splitlines() if "pg_dump" in line]
    assert "\twarns\t" in bad and "of_the_superuser" in bad


def test_a_search_path_without_a_schema_is_told(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nowhere = server.address(f"t_shared_{os.getpid()}", "options=-c%20search_path%3Dnowhere")
    with pytest.raises(AssertionError, match="CREATE SCHEMA"):
        run(monkeypatch, nowhere, "migrate")
