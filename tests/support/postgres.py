"""A private PostgreSQL cluster for the tests, started from Debian's binaries by an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import psycopg
import sqlalchemy as sa

from afterdrop.db import migrate
from afterdrop.db.tables import metadata

_TEMPLATE_LOCK = 727002


@dataclass(frozen=True)
class Cluster:
    """A running cluster: `folder` holds its socket."""

    folder: str
    command: tuple[str, ...]
    binaries: Path

    def url(self, database: str) -> str:
        """SQLAlchemy URL of one of its databases."""
        return f"postgresql+psycopg://postgres@/{database}?host={self.folder}"

    def stop(self) -> None:
        """Stop it and remove its files."""
        stop = [
            *self.command,
            str(self.binaries / "pg_ctl"),
            "-D",
            f"{self.folder}/data",
            "-m",
            "immediate",
            "stop",
        ]
        subprocess.run(stop, cwd=self.folder, check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def _libpq(url: sa.URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


@contextmanager
def migrated(server: str, template: str, name: str) -> Iterator[str]:
    """A migrated, empty database `name` on a server, as its SQLAlchemy URL; gone afterwards.

    It is a copy of the database `template`, which the first test process to come migrates.
    """
    url = sa.make_url(server).set(drivername="postgresql+psycopg")
    with psycopg.connect(_libpq(url), autocommit=True) as conn:
        conn.execute("SELECT pg_advisory_lock(%s)", [_TEMPLATE_LOCK])
        if not conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone():
            conn.execute(f'CREATE DATABASE "{template}"'.encode())
            migrate.upgrade(url.set(database=template).render_as_string(hide_password=False))
        conn.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
    yield url.set(database=name).render_as_string(hide_password=False)
    drop(server, name)


@contextmanager
def created(server: str, name: str) -> Iterator[str]:
    """A database `name` without any table, as its SQLAlchemy URL; gone afterwards."""
    url = sa.make_url(server).set(drivername="postgresql+psycopg")
    with psycopg.connect(_libpq(url), autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "{name}"'.encode())
    yield url.set(database=name).render_as_string(hide_password=False)
    drop(server, name)


def drop(server: str, name: str) -> None:
    """Remove a database, if it is there."""
    with psycopg.connect(_libpq(sa.make_url(server)), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


def empty(url: str) -> None:
    """Delete all rows, in one question to the server."""
    with psycopg.connect(_libpq(sa.make_url(url)), autocommit=True) as conn:
        conn.execute(_deletions())


@lru_cache(maxsize=1)
def _deletions() -> bytes:
    tables = reversed(metadata.sorted_tables)
    return "".join(f'DELETE FROM "{table.name}";' for table in tables).encode()


def binaries() -> Path | None:
    """Folder of the newest PostgreSQL server on this machine, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    return found[-1].parent if found else None


def start(folder_of_binaries: Path) -> Cluster:
    """Start a cluster that lives in memory-like settings (no fsync)."""
    folder = tempfile.mkdtemp(prefix="pg-")
    command: tuple[str, ...] = ()
    if os.geteuid() == 0:
        user = _user()
        os.chown(folder, user.pw_uid, user.pw_gid)
        command = ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--")
    cluster = Cluster(folder, command, folder_of_binaries)
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"}
    initdb = [
        str(folder_of_binaries / "initdb"),
        "-D",
        f"{folder}/data",
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
    ]
    options = (
        f"-k {folder} -c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off "
        "-c timezone=UTC -c max_connections=200"
    )
    steps = (
        [*initdb, "--locale=C.UTF-8", "--no-sync", "--no-instructions"],
        [
            str(folder_of_binaries / "pg_ctl"),
            "-D",
            f"{folder}/data",
            "-w",
            "-l",
            f"{folder}/log",
            "-o",
            options,
            "start",
        ],
    )
    for step in steps:
        subprocess.run([*command, *step], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        _ask_for_passwords(Path(folder) / "data" / "pg_hba.conf")
    with psycopg.connect(_libpq(sa.make_url(cluster.url("postgres"))), autocommit=True) as conn:
        conn.execute(f"CREATE ROLE {ASKED}".encode())
    return cluster


# Whoever is a member of this role is asked for his password; all others are trusted.
ASKED = "asked_for_a_password"


def _ask_for_passwords(rules: Path) -> None:
    text = rules.read_text(encoding="utf-8")
    if ASKED not in text:
        rules.write_text(f"local all +{ASKED} scram-sha-256\n{text}", encoding="utf-8")


def _user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("neither a postgres nor a nobody user exists to run PostgreSQL as")
