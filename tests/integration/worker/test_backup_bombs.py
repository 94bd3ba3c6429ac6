"""A file that unpacks to far more than a backup has is refused before anything of it is written."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.worker.backup import make_backup, restore_backup
from tests.support.full_disk import files_of_at_most

NOW = datetime(2026, 11, 22, 3, tzinfo=UTC)
DATABASE, MANIFEST, KEYS = "afterdrop.sqlite3", "manifest.json", "secret_keys"
MUCH = 32 << 20
Parts = list[tuple[str, bytes]]


def packed(file: Path, parts: Parts, **header: Any) -> None:
    """A backup of these parts; `header` changes that of the first."""
    with tarfile.open(file, "w:gz") as tar:
        for name, content in parts:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in header.items() if (name, content) == parts[0] else ():
                setattr(member, key, value)
            tar.addfile(member, io.BytesIO(content))


@pytest.fixture
def made(tmp_path: Path, sqlite_template: Path) -> Path:
    """A backup."""
    old = tmp_path / "old"
    old.mkdir()
    shutil.copyfile(sqlite_template, old / DATABASE)
    return make_backup(Settings(data_dir=old), tmp_path / "kept.tar.gz", NOW).file


def parts_of(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        return {member.name: (tar.extractfile(member) or io.BytesIO()).read() for member in tar}


def zeros(parts: dict[str, bytes]) -> Parts:
    return list({**parts, DATABASE: bytes(MUCH)}.items())


def zeros_behind_a_head(parts: dict[str, bytes]) -> Parts:
    return list({**parts, DATABASE: parts[DATABASE] + bytes(MUCH)}.items())


def no_manifest(parts: dict[str, bytes]) -> Parts:
    return [(DATABASE, parts[DATABASE] + bytes(MUCH)), (KEYS, parts[KEYS])]


def a_newer_versions(parts: dict[str, bytes]) -> Parts:
    database = parts[DATABASE] + bytes(MUCH)
    manifest = {
        **json.loads(parts[MANIFEST]),
        "schema": "9999",
        "sha256": hashlib.sha256(database).hexdigest(),
    }
    return [(DATABASE, database), (KEYS, parts[KEYS]), (MANIFEST, json.dumps(manifest).encode())]


def large_keys(parts: dict[str, bytes]) -> Parts:
    return list({**parts, KEYS: bytes(MUCH)}.items())


def twice(parts: dict[str, bytes]) -> Parts:
    return [*parts.items(), (DATABASE, parts[DATABASE] + bytes(MUCH))]


def many(parts: dict[str, bytes]) -> Parts:
    return [*((f"part{number}", b"") for number in range(500)), *parts.items()]


BOMBS: dict[str, tuple[Callable[[dict[str, bytes]], Parts], str]] = {
    "zeros": (zeros, "no database"),
    "zeros behind a head": (zeros_behind_a_head, "not the one that was backed up"),
    "no manifest": (no_manifest, "parts are missing"),
    "a newer version's": (a_newer_versions, "newer version"),
    "large keys": (large_keys, "secret_keys is too large"),
    "a part twice": (twice, "twice"),
    "many parts": (many, "too many parts"),
}


def refused(tmp_path: Path, file: Path, said: str) -> None:
    """The file is refused, and nothing of it is written."""
    fresh = Settings(data_dir=tmp_path / "new")
    with files_of_at_most(10_000), pytest.raises(AfterdropError, match=said):
        restore_backup(fresh, file, NOW)
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


@pytest.mark.parametrize("how", BOMBS)
def test_a_bomb_is_refused_before_it_is_written(tmp_path: Path, made: Path, how: str) -> None:
    bomb, said = BOMBS[how]
    packed(made, bomb(parts_of(made)))
    assert made.stat().st_size < 1 << 20
    refused(tmp_path, made, said)


def test_a_header_of_many_megabytes_is_not_read(tmp_path: Path, made: Path) -> None:
    packed(made, list(parts_of(made).items()), pax_headers={"comment": "a" * MUCH})
    refused(tmp_path, made, "headers is too large")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_a_part_that_is_no_file_is_refused(tmp_path: Path, made: Path, kind: bytes) -> None:
    packed(made, list(parts_of(made).items()), type=kind, size=0)
    refused(tmp_path, made, "is no file")


def test_what_the_disk_has_no_room_for_is_refused(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100_000))
    refused(tmp_path, made, "bytes of disk, and 100,000 are free")


def test_a_sparse_file_is_refused(tmp_path: Path, made: Path) -> None:
    sparse = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 40)}
    members = parts_of(made)
    block = b"1\n0\n1\n".ljust(512, b"\0") + b"S"
    packed(
        made, [(DATABASE, block), (KEYS, members[KEYS])], pax_headers={**sparse, "GNU.sparse.name": DATABASE}
    )
    refused(tmp_path, made, "is no file|bytes of disk")


def test_an_honest_database_that_compresses_well_is_restored(
    tmp_path: Path, made: Path, sqlite_template: Path
) -> None:
    old = tmp_path / "full"
    old.mkdir()
    shutil.copyfile(sqlite_template, old / DATABASE)
    with closing(sqlite3.connect(old / DATABASE)) as database:
        database.execute("CREATE TABLE blank AS SELECT zeroblob(30000000) AS much")
        database.commit()
    kept = make_backup(Settings(data_dir=old), tmp_path / "full.tar.gz", NOW).file
    assert kept.stat().st_size * 50 < (old / DATABASE).stat().st_size
    beside = tmp_path / "repacked.tar.gz"
    packed(beside, [("README", b"mine"), *parts_of(kept).items()])
    for number, file in enumerate((kept, beside)):
        restore_backup(Settings(data_dir=tmp_path / f"new{number}"), file, NOW)
        assert (tmp_path / f"new{number}" / DATABASE).stat().st_size > 30_000_000


def test_a_file_without_an_end_is_refused(tmp_path: Path, made: Path) -> None:
    made.write_bytes(gzip.compress(bytes(MUCH)))
    refused(tmp_path, made, "parts are missing|is damaged")
