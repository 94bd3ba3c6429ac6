"""A private PostgreSQL cluster for the tests, started from Debian's binaries by an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


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
    return cluster


def _user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("neither a postgres nor a nobody user exists to run PostgreSQL as")
