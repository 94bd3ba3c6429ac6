"""File permissions: only the owner of a deployment may read its files, new ones (umask) and older ones (chmod)."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Our folders inside the data folder. Other folders in it are left as they are.
_FOLDERS = ("spool", "ranks", "sandbox")
_log = logging.getLogger(__name__)


def restrict_umask() -> None:
    """Make files that this process and its children create from now on readable for their owner only."""
    os.umask(_OTHERS)


def restrict_modes(data_dir: Path, database: Path | None) -> None:
    """Take all rights of other users from the data folder, its files and the database, and log what was changed.

    Files of another user, and a folder that other users share, are named in the log and left as they are.
    """
    mended, left = [], []
    for path in _kept(data_dir, database):
        if not (mode := _mode(path)) & _OTHERS:
            continue
        shown = f"{path} ({mode:04o})"
        try:
            path.chmod(mode & ~_OTHERS)
            mended.append(shown)
        except OSError as error:
            left.append(f"{shown}: {error.strerror}")
    if mended:
        _log.warning("other users of this machine could read or change %s; they no longer can", _few(mended))
    if left:
        _log.warning("other users of this machine can read or change %s", _few(left))


def open_to_others(files: list[Path]) -> list[str]:
    """Those of the files that other users have rights on, with their modes."""
    return [f"{path} ({mode:04o})" for path in files if (mode := _mode(path)) & _OTHERS]


def _kept(data_dir: Path, database: Path | None) -> Iterator[Path]:
    """The folder comes first: once it is closed, nobody can replace the files in it."""
    if data_dir.is_dir():
        if _shared(data_dir):
            _log.warning("%s is a folder others use too; give data_dir one of its own", data_dir)
        else:
            yield data_dir
            yield from (path for path in sorted(data_dir.iterdir()) if _is(path, stat.S_ISREG))
        yield from _inside(data_dir)
    if database is not None:
        for ending in ("", "-wal", "-shm", "-journal"):
            path = database.with_name(database.name + ending)
            if _is(path, stat.S_ISREG):
                yield path


def _shared(folder: Path) -> bool:
    return folder.resolve() == Path(folder.anchor or "/") or bool(folder.stat().st_mode & stat.S_ISVTX)


def _inside(data_dir: Path) -> Iterator[Path]:
    for name in _FOLDERS:
        for folder, _, files in os.walk(data_dir / name):  # follows no links
            if _is(Path(folder), stat.S_ISDIR):
                yield Path(folder)
                yield from (
                    path for path in (Path(folder, file) for file in files) if _is(path, stat.S_ISREG)
                )


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0  # it was removed in the meantime


def _few(paths: list[str]) -> str:
    more = len(paths) - 5
    return ", ".join(paths[:5]) + (f" and {more} more" if more > 0 else "")
