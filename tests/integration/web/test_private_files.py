"""Only its owner can read the files of a deployment, also where an earlier version left them open."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import pytest

from afterdrop.cli.private_files import restrict_modes
from tests.support import plain_environment
from tests.support.started import started


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.lstat().st_mode)


def open_to_others(folder: Path) -> dict[str, int]:
    """Everything in a folder, and itself, that anybody but the owner may touch."""
    every = [folder, *folder.rglob("*")]
    return {str(path): mode(path) for path in every if not path.is_symlink() and mode(path) & 0o077}


async def test_the_service_closes_a_folder_an_earlier_version_left_open(
    tmp_path: Path, sqlite_template: Path
) -> None:
    folder = tmp_path / "data"
    (folder / "spool" / "trials").mkdir(parents=True)
    shutil.copyfile(sqlite_template, folder / "afterdrop.sqlite3")
    (folder / "secret_keys").write_text("a key of an earlier version, long enough\n")
    (folder / "credentials.json").write_text("{}")
    (folder / "serve.log").write_text("")
    (folder / "spool" / "trials" / "feed.part").write_text("")
    outside = tmp_path / "outside"
    outside.write_text("somebody else's")
    (folder / "link").symlink_to(outside)
    with closing(sqlite3.connect(folder / "afterdrop.sqlite3")) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("CREATE TABLE t (x)")  # leaves -wal and -shm behind while it is open
        for path in [folder, *folder.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o777 if path.is_dir() else 0o666)
        outside.chmod(0o644)
        async with started(folder, "--no-worker") as service:
            assert (folder / "afterdrop.sqlite3-wal").exists()
            assert (folder / "afterdrop.sqlite3-shm").exists()
            assert open_to_others(folder) == {}
    assert mode(folder) == 0o700
    assert mode(folder / "afterdrop.sqlite3") == mode(folder / "credentials.json") == 0o600
    assert mode(outside) == 0o644, "a link is not followed"
    [told] = [line for line in service.said.splitlines() if "other users" in line]
    assert f"{folder} (0777)" in told
    assert "they no longer can" in told


@pytest.mark.long
async def test_what_the_service_makes_is_private_from_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    plain = plain_environment()
    made = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", "migrate",
        env={**plain, "AFTERDROP_DATA_DIR": str(folder)}, cwd=tmp_path, umask=0o022,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, err = await asyncio.wait_for(made.communicate(), 180)
    assert (made.returncode, err) == (0, b"")
    async with started(folder, "--no-worker") as service:
        assert {path.name for path in folder.iterdir()} >= {"afterdrop.sqlite3", "secret_keys"}
        assert open_to_others(folder) == {}
    assert "WARNING" not in service.said


def test_a_folder_others_use_too_is_left_open_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    foreign, database = shared / "notes.txt", shared / "afterdrop.sqlite3"
    for file in (foreign, database):
        file.write_text("")
        file.chmod(0o644)
    restrict_modes(shared, database)
    assert (mode(shared), mode(foreign), mode(database)) == (0o1777, 0o644, 0o600)
    assert "give data_dir one of its own" in caplog.text


def test_what_belongs_to_somebody_else_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        (tmp_path / f"{number}.log").write_text("")
        (tmp_path / f"{number}.log").chmod(0o640)
    tmp_path.chmod(0o700)

    def refused(path: Path, wanted: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    monkeypatch.setattr(Path, "chmod", refused)
    restrict_modes(tmp_path, None)
    assert "can read or change" in caplog.text
    assert "0.log (0640): Operation not permitted" in caplog.text
    assert "and 2 more" in caplog.text


@pytest.mark.parametrize("where", ["none", "file", "file/sub"])
def test_a_path_that_is_no_folder_is_left_alone(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "file").chmod(0o644)
    restrict_modes(tmp_path / where, tmp_path / where / "afterdrop.sqlite3")
    assert mode(tmp_path / "file") == 0o644


async def test_a_proxy_that_is_not_named_is_warned_of(tmp_path: Path) -> None:
    https = {
        "AFTERDROP_SITE_URL": "https://drops.example",
        "AFTERDROP_DATABASE_URL": f"sqlite:///{tmp_path}/x",
    }
    async with started(tmp_path, "--no-worker", **https) as unnamed:
        pass
    async with started(tmp_path, "--no-worker", **https, AFTERDROP_TRUSTED_PROXIES="127.0.0.1") as named:
        pass
    assert "WARNING server: trusted_proxies is empty though the site is https" in unnamed.said
    assert "WARNING" not in named.said
