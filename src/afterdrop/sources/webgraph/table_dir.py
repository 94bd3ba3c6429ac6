"""The folder of the tables of link ranks: one file for each table; the one imported last is in use.

`afterdrop status` looks into it, so it imports nothing that reads or builds a table.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from afterdrop.core.settings import Settings
from afterdrop.sources.webgraph.errors import RanksError

_TABLE = re.compile(r"(?P<release>[a-z0-9-]+)\.(?P<stamp>\d{8}T\d{6})\.duckdb")
_STAMP = "%Y%m%dT%H%M%S"
_PART = ".part"


def release_of(table: Path) -> str:
    """The release in the file name of a table."""
    return table.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class TableDir:
    """The folder `ranks.dir`. A table's file name is `RELEASE.IMPORTED.duckdb`; the latest IMPORTED is in use."""

    folder: Path
    keep: int = 2

    def tables(self) -> list[Path]:
        """The finished tables, the one in use first."""
        try:
            names = [file.name for file in self.folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        found = [(match["stamp"], name) for name in names if (match := _TABLE.fullmatch(name))]
        return [self.folder / name for _, name in sorted(found, reverse=True)]

    def in_use(self) -> Path | None:
        """The table that look-ups read; None when there is none."""
        return next(iter(self.tables()), None)

    def unfinished(self) -> list[Path]:
        """The folders of unfinished imports."""
        return sorted(self.folder.glob(f"*{_PART}")) if self.folder.is_dir() else []

    def downloads(self) -> list[Path]:
        """The publisher's files in the folder: downloaded but not imported, or parts of interrupted downloads."""
        found = [*self.folder.glob("*-domain-*.txt.gz"), *self.folder.glob("*-domain-*.txt.gz.download")]
        return sorted(found)

    def new_file(self, release: str, imported_at: datetime) -> Path:
        """The file name for a new table. Its time is later than every other table's, so that it comes into use."""
        latest = max((_stamp(file) for file in self.tables()), default="")
        while (stamp := imported_at.strftime(_STAMP)) <= latest:
            imported_at = datetime.strptime(latest, _STAMP) + timedelta(seconds=1)  # noqa: DTZ007  # a name only
        return self.folder / f"{release}.{stamp}.duckdb"

    def build_folder(self, release: str) -> Path:
        """The folder in which a release's table is built."""
        return self.folder / f"{release}{_PART}"

    @contextmanager
    def importing(self, doing: str = "import") -> Iterator[None]:
        """Lock the folder for one import (or `download`). RanksError when another process holds the lock."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{doing}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RanksError(str(self.folder), f"another {doing} is already running here") from None
            yield

    def bring_into_use(self, built: Path, file: Path) -> None:
        """Move a finished table to its file name in one step, whole or not at all."""
        with built.open("rb") as opened:
            os.fsync(opened.fileno())
        built.rename(file)
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove_surplus(self) -> list[Path]:
        """Remove all but the `keep` latest tables. A process that reads an old one keeps it until its next look-up."""
        surplus = self.tables()[max(self.keep, 1) :]
        for file in surplus:
            file.unlink(missing_ok=True)
        return surplus

    def clear(self, build_folder: Path) -> None:
        """Remove the build folder of an import."""
        shutil.rmtree(build_folder, ignore_errors=True)


def _stamp(file: Path) -> str:
    found = _TABLE.fullmatch(file.name)
    return found["stamp"] if found else ""


def open_table_dir(settings: Settings) -> TableDir:
    """The table folder of these settings: `ranks.dir`, else `ranks` in the data directory."""
    return TableDir(settings.ranks.dir or settings.data_dir / "ranks")
