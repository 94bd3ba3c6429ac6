"""Back up a deployment into one file, restore it, and make the daily backups.

The file is a tar.gz of the database, the secret keys, the settings file and, last, a manifest with the rows of each
table. It gets its name when it is complete; a restored database appears when everything in it was compared.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
import secrets
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final, TypedDict

import orjson
import sqlalchemy as sa

from afterdrop import __version__
from afterdrop.accounts.secret_box import FILE as KEYS
from afterdrop.accounts.secret_box import configured_keys
from afterdrop.core.errors import AfterdropError, SettingsError
from afterdrop.core.json_shapes import instant
from afterdrop.core.settings import Settings
from afterdrop.db import postgres_tools
from afterdrop.db.copy import check_sqlite, copy_sqlite, put_in_place, staging, table_counts
from afterdrop.db.engine import database_url
from afterdrop.db.outages import outage_text
from afterdrop.db.schema_version import plain_engine, revisions, sqlite_file, stored_revision
from afterdrop.db.tables.queue import job_runs
from afterdrop.delivery.events import past_earlier_cursors
from afterdrop.queue.loop import QueueContext
from afterdrop.queue.timetable import BACKUP

ENDING: Final = ".tar.gz"
SETTINGS: Final = "afterdrop.toml"
_MANIFEST: Final = "manifest.json"
_SQLITE: Final = "afterdrop.sqlite3"
_DUMP: Final = "afterdrop.pgdump"
_NAMES: Final = (_SQLITE, _DUMP, KEYS, SETTINGS, _MANIFEST)
# How a database's file begins: SQLite's file format, section 1.3.1; the archive of pg_dump.
_HEADS: Final = {_SQLITE: b"SQLite format 3\0", _DUMP: b"PGDMP"}
# A manifest has 2 kB, and so has a settings file with every setting. A backup has five parts; others may be put beside.
_SMALL: Final = 1 << 20
_MOST_MEMBERS: Final = 100
_PIECE: Final = 1 << 20
# Disk that is left beside the database: a journal of the last statement, and what others write meanwhile.
_SPARE: Final = 64 << 20
_OURS: Final = re.compile(r"afterdrop-\d{8}T\d{6}Z\.tar\.gz")


@dataclass(frozen=True)
class Backup:
    """A backup's file, and what its manifest says: version, time, kind and checksum of the database, rows by table."""

    file: Path
    manifest: dict[str, Any]

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(self.manifest["rows"].values())


def make_backup(settings: Settings, to: Path, now: datetime) -> Backup:
    """Back up into the file `to`, or into the folder `to` under a name with the time, while the service runs.

    Raises AfterdropError, and then leaves nothing.
    """
    url = database_url(settings)
    target = to if to.name.endswith(ENDING) else to / f"afterdrop-{now:%Y%m%dT%H%M%SZ}{ENDING}"
    if target.exists():
        raise AfterdropError(str(target), "already exists; choose another name")
    try:
        with staging(target.parent) as folder:
            database, about = _copied(url, folder)
            (folder / KEYS).write_text(
                "".join(f"{key}\n" for key in configured_keys(settings)), encoding="ascii"
            )
            if settings.file:
                shutil.copyfile(settings.file, folder / SETTINGS)
            manifest = {
                "version": __version__, "made_at": instant(now), "database": database.name,
                "sha256": _checksum(database), **about,
            }  # fmt: skip
            (folder / _MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
            archive = folder / f"archive{ENDING}"
            with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
                for name in _NAMES:
                    if (folder / name).exists():
                        tar.add(folder / name, name)
            archive.chmod(0o600)
            put_in_place(archive, target)
    except sa.exc.SQLAlchemyError as error:
        raise AfterdropError(str(target), f"no backup was made: {outage_text(error)}") from error
    except OSError as error:
        raise AfterdropError(str(target), f"no backup was made: {error.strerror or error}") from error
    return Backup(target, manifest)


def _copied(url: str, folder: Path) -> tuple[Path, _About]:
    """A copy of the database in `folder`, and its schema and rows, as the copy has them."""
    if source := sqlite_file(url):
        if not source.exists():
            raise AfterdropError(str(source), "does not exist, so there is nothing to back up")
        copy_sqlite(source, folder / _SQLITE)
        with plain_engine(f"sqlite+aiosqlite:///{folder / _SQLITE}").connect() as copy:
            return folder / _SQLITE, _about(copy)
    with plain_engine(url).connect() as connection:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        snapshot = str(connection.scalar(sa.select(sa.func.pg_export_snapshot())))
        schema = str(connection.dialect.default_schema_name)
        postgres_tools.dump(url, folder / _DUMP, schema, snapshot)
        return folder / _DUMP, _about(connection)


class _About(TypedDict):
    """The number of the schema, PostgreSQL's name for it, and the rows by table."""

    schema: str | None
    namespace: str | None
    rows: dict[str, int]


def _about(connection: sa.Connection) -> _About:
    return {
        "schema": stored_revision(connection),
        "namespace": connection.dialect.default_schema_name,
        "rows": table_counts(connection),
    }


def _checksum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def restore_backup(settings: Settings, file: Path, now: datetime) -> Backup:
    """Restore a backup into the database of the settings, which must not exist yet or be empty.

    Raises AfterdropError, and then leaves nothing, also when the rows are not as many as the backup says.
    """
    url = database_url(settings)
    database = sqlite_file(url)
    with _told(file), ExitStack() as stack:
        if database is None:
            stack.enter_context(postgres_tools.made_if_missing(url))
            with plain_engine(url).connect() as connection:
                if names := sa.inspect(connection).get_table_names():
                    raise AfterdropError(
                        f"database {connection.engine.url.database}",
                        f"is not empty (it has {names[0]}); restore into an empty one",
                    )
        else:
            # SQLite would read another database's log into the restored one.
            for path in (database, database.with_name(f"{database.name}-wal")):
                if path.exists():
                    raise AfterdropError(str(path), "already exists; move it away first")
        folder = stack.enter_context(staging(database.parent if database else settings.data_dir))
        found = _unpacked(file, folder, _SQLITE if database else _DUMP)
        stack.enter_context(_keys_put(settings, folder))
        if database is None:
            postgres_tools.restore(url, _dumped(found, folder), past_earlier_cursors(now))
        else:
            _compare(folder / _SQLITE, found, now)
            put_in_place(folder / _SQLITE, database)
    return found


def try_backup(settings: Settings, file: Path, now: datetime) -> Backup:
    """Restore a backup into a file or a schema beside the database of the settings, compare it, and keep nothing.

    Raises AfterdropError for what would also stop `restore_backup`.
    """
    url = database_url(settings)
    database = sqlite_file(url)
    with _told(file), staging(database.parent if database else settings.data_dir) as folder:
        found = _unpacked(file, folder, _SQLITE if database else _DUMP)
        if database is None:
            scratch = f"afterdrop_try_{secrets.token_hex(8)}"
            postgres_tools.restore(url, _dumped(found, folder), past_earlier_cursors(now), scratch)
        else:
            _compare(folder / _SQLITE, found, now)
    return found


@contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        raise AfterdropError(str(file), f"nothing was restored: {outage_text(error)}") from error
    except OSError as error:
        raise AfterdropError(
            str(error.filename or file), f"nothing was restored: {error.strerror or error}"
        ) from error


def _dumped(backup: Backup, folder: Path) -> postgres_tools.Dump:
    """The unpacked dump of a backup. Those of 1.x do not name their schema."""
    manifest = backup.manifest
    return postgres_tools.Dump(folder / _DUMP, str(manifest.get("namespace", "public")), manifest["rows"])


class _Pieces(gzip.GzipFile):
    """An unpacked stream for `tarfile`, which would read a header as large as the archive says into memory."""

    def read(self, size: int | None = -1) -> bytes:
        """Up to `size` bytes. Raises tarfile.ReadError for more than a header or a piece of a file has."""
        if size is None or not 0 <= size <= _PIECE:
            raise tarfile.ReadError("one of its headers is too large")
        return super().read(size)


def _members(file: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    """The parts of a backup: name, size, content. Raises tarfile.ReadError for what no backup has."""
    seen: set[str] = set()
    with _Pieces(file) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
        for number, member in enumerate(tar):
            if number == _MOST_MEMBERS:
                raise tarfile.ReadError("it has too many parts")
            if member.name not in _NAMES:
                continue
            content = tar.extractfile(member) if member.isreg() and not member.issparse() else None
            if content is None or member.name in seen:
                raise tarfile.ReadError(f"{member.name} is no file in it, or is there twice")
            seen.add(member.name)
            yield member.name, member.size, content


def _checksum_of(content: IO[bytes], into: IO[bytes] | None = None) -> str:
    checksum = hashlib.sha256()
    while piece := content.read(_PIECE):
        checksum.update(piece)
        if into is not None:
            into.write(piece)
    return checksum.hexdigest()


def _examined(file: Path, folder: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """Read a backup through, to write nothing before its manifest is known: small files, checksums of databases."""
    texts: dict[str, bytes] = {}
    checksums: dict[str, str] = {}
    for name, size, content in _members(file):
        if name not in _HEADS:
            texts[name] = content.read(_SMALL + 1)
            if len(texts[name]) > _SMALL:
                raise tarfile.ReadError(f"{name} is too large")
            continue
        free = shutil.disk_usage(folder).free
        if size > free - _SPARE:
            raise AfterdropError(str(file), f"needs {size:,} bytes of disk, and {free:,} are free")
        if not content.read(len(_HEADS[name])).startswith(_HEADS[name]):
            raise tarfile.ReadError(f"{name} is no database")
        content.seek(0)
        checksums[name] = _checksum_of(content)
    return texts, checksums


def _unpacked(file: Path, folder: Path, wanted: str) -> Backup:
    """Unpack a backup into `folder`; `wanted` is the kind of database that fits. Raises AfterdropError."""
    try:
        texts, checksums = _examined(file, folder)
        manifest = orjson.loads(texts[_MANIFEST])
        good = manifest["sha256"] == checksums[manifest["database"]]
        if not good:
            raise AfterdropError(str(file), "is damaged: its database is not the one that was backed up")
        if manifest["database"] != wanted:
            kind = "SQLite" if manifest["database"] == _SQLITE else "PostgreSQL"
            raise AfterdropError(
                str(file), f"is a backup of {kind}; restore it there, then run `copy-database`"
            )
        if manifest["schema"] not in revisions():
            raise AfterdropError(
                str(file), f"was made by a newer version of Afterdrop ({manifest['version']}); use that"
            )
        (folder / KEYS).write_bytes(texts[KEYS])
        for name, _, content in _members(file):
            if name == wanted:
                with (folder / name).open("xb") as out:
                    good = _checksum_of(content, out) == manifest["sha256"]
                break
    except KeyError as error:
        raise AfterdropError(
            str(file), "is damaged, or is no backup of Afterdrop (parts are missing)"
        ) from error
    except (tarfile.TarError, zlib.error, EOFError, ValueError, TypeError) as error:
        raise AfterdropError(str(file), f"is damaged, or is no backup of Afterdrop ({error})") from error
    except OSError as error:
        if error.errno is None:  # what gzip finds wrong
            raise AfterdropError(str(file), f"is damaged, or is no backup of Afterdrop ({error})") from error
        raise
    if not good:
        raise AfterdropError(str(file), "was changed while it was read")
    return Backup(file, manifest)


def _compare(draft: Path, backup: Backup, now: datetime) -> None:
    """Compare an unpacked SQLite file with its manifest, and ready its events for receivers."""
    check_sqlite(draft)
    with plain_engine(f"sqlite+aiosqlite:///{draft}").begin() as connection:
        found = table_counts(connection)
        wrong = [name for name, number in backup.manifest["rows"].items() if found.get(name) != number]
        if wrong:
            raise AfterdropError(
                str(backup.file), f"the counts differ, nothing was restored: {', '.join(wrong)}"
            )
        connection.exec_driver_sql(past_earlier_cursors(now))


@contextmanager
def _keys_put(settings: Settings, folder: Path) -> Iterator[None]:
    """Put the backup's keys where the service finds them, unless the settings give keys; never replace others.

    They are taken away again if the block fails.
    """
    kept = (folder / KEYS).read_text(encoding="ascii").split()
    place = settings.data_dir / KEYS
    if settings.secret_keys:
        if not set(kept) <= set(settings.secret_keys):
            raise SettingsError(
                "secret_keys", "do not include all keys of the backup, which its file secret_keys has"
            )
        yield
        return
    if place.exists():
        if place.read_text(encoding="ascii").split() != kept:
            raise AfterdropError(str(place), "contains other keys than the backup; move it away first")
        yield
        return
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    with staging(settings.data_dir) as own:
        (own / KEYS).write_text("".join(f"{key}\n" for key in kept), encoding="ascii")
        put_in_place(own / KEYS, place)
    try:
        yield
    except BaseException:
        place.unlink(missing_ok=True)
        raise


def note_backup(settings: Settings, backup: Backup, now: datetime) -> None:
    """Record a backup that a command made where the runs of the daily ones are recorded."""
    row = {
        "job": BACKUP,
        "moment": now,
        "claimed_by": "command",
        "started_at": now,
        "finished_at": now,
        "attempts": 1,
    }
    with plain_engine(database_url(settings)).begin() as connection:
        connection.execute(sa.insert(job_runs).values(**row, result=_result(backup)))


class BackupResult(TypedDict):
    """The result of a backup: its file, how many rows it has, and its bytes."""

    file: str
    rows: int
    bytes: int


def _result(backup: Backup) -> BackupResult:
    return {"file": str(backup.file), "rows": backup.rows, "bytes": backup.file.stat().st_size}


async def back_up_daily(context: QueueContext) -> BackupResult:
    """Back up into the folder of the settings and delete all but the newest files there; gives file, rows and bytes."""
    chosen = context.settings.backup
    assert chosen.dir is not None
    made = await asyncio.to_thread(make_backup, context.settings, chosen.dir, context.now())
    for old in sorted(path for path in chosen.dir.iterdir() if _OURS.fullmatch(path.name))[: -chosen.keep]:
        old.unlink(missing_ok=True)
    return _result(made)
