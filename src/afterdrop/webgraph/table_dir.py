"""Where the tables of link ranks lie: one file a table, the one imported last in use, unfinished ones apart."""

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
from afterdrop.webgraph.errors import RanksError

_TABLE = re.compile(r"(?P<release>[a-z0-9-]+)\.(?P<stamp>\d{8}T\d{6})\.duckdb")
_STAMP = "%Y%m%dT%H%M%S"
_PART = ".part"


def release_of(table: Path) -> str:
    """The release that a table's file is named after."""
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
        """The table that look-ups read, None when there is none."""
        return next(iter(self.tables()), None)

    def unfinished(self) -> list[Path]:
        """Folders of imports that did not end."""
        return sorted(self.folder.glob(f"*{_PART}")) if self.folder.is_dir() else []

    def downloads(self) -> list[Path]:
        """Files of the publisher that lie here: whole ones that were not imported, parts of interrupted downloads."""
        found = [*self.folder.glob("*-domain-*.txt.gz"), *self.folder.glob("*-domain-*.txt.gz.download")]
        return sorted(found)

    def place(self, release: str, imported_at: datetime) -> Path:
        """The file of a table to be: named later than every table there is, so that it comes into use."""
        latest = max((_stamp(file) for file in self.tables()), default="")
        while (stamp := imported_at.strftime(_STAMP)) <= latest:
            imported_at = datetime.strptime(latest, _STAMP) + timedelta(seconds=1)  # noqa: DTZ007  # a name only
        return self.folder / f"{release}.{stamp}.duckdb"

    def workshop(self, release: str) -> Path:
        """The folder in which a release's table is built."""
        return self.folder / f"{release}{_PART}"

    @contextmanager
    def importing(self, doing: str = "import") -> Iterator[None]:
        """Hold the shelf for one import (or `download`); RanksError when another process is at it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{doing}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RanksError(str(self.folder), f"another {doing} is running here") from None
            yield

    def put(self, built: Path, place: Path) -> None:
        """Bring a finished file into use in one step, whole or not at all."""
        with built.open("rb") as file:
            os.fsync(file.fileno())
        built.rename(place)
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def tidy(self) -> list[Path]:
        """Remove the tables beyond the `keep` latest; a process that reads one keeps it until it looks again."""
        surplus = self.tables()[max(self.keep, 1) :]
        for file in surplus:
            file.unlink(missing_ok=True)
        return surplus

    def clear(self, workshop: Path) -> None:
        """Remove what an import left in its folder."""
        shutil.rmtree(workshop, ignore_errors=True)


def _stamp(file: Path) -> str:
    found = _TABLE.fullmatch(file.name)
    return found["stamp"] if found else ""


def open_table_dir(settings: Settings) -> TableDir:
    """The shelf of these settings: `ranks.dir`, else `ranks` in the data directory."""
    return TableDir(settings.ranks.dir or settings.data_dir / "ranks", settings.ranks.keep)
