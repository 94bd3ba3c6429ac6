"""The folder in which a table is built, and which steps are done, so that an interrupted import can go on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, cast

import duckdb
import orjson

from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import shorten
from afterdrop.sources.webgraph.graph_files import GraphFiles

# What a finished step recorded.
Facts = dict[str, int | str]


class _State(TypedDict):
    """The state file: which files are imported, and the facts of each finished step."""

    about: dict[str, object]
    steps: dict[str, Facts]


@dataclass(frozen=True, slots=True)
class BuildDir:
    """A build folder, made by `begin`. The state file is written after each step, so its steps are whole on disk."""

    folder: Path

    @property
    def table(self) -> Path:
        """The file of the table that is being built."""
        return self.folder / "table.duckdb"

    @property
    def scratch(self) -> Path:
        """The folder for DuckDB's temporary files."""
        return self.folder / "spill"

    def begin(self, sources: GraphFiles) -> None:
        """Keep what an interrupted import of the same files left, else start from nothing."""
        about: dict[str, object] = {"sources": sources.fingerprint()}
        # The steps are void without the table: an import was killed after it had brought the table into use.
        if self._state()["about"] != about or not self.table.is_file():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self._write({"about": about, "steps": {}})
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()

    def done(self, step: str) -> Facts | None:
        """The facts that a finished step recorded; None when it is not done."""
        return self._state()["steps"].get(step)

    def finish(self, step: str, **facts: int | str) -> None:
        """Record that a step is done, with its facts."""
        state = self._state()
        state["steps"][step] = facts
        self._write(state)

    def _state(self) -> _State:
        nothing: _State = {"about": {}, "steps": {}}
        try:
            found = orjson.loads((self.folder / "state.json").read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return nothing
        return cast(_State, {**nothing, **found}) if isinstance(found, dict) else nothing

    def _write(self, state: _State) -> None:
        part = self.folder / "state.json.part"
        part.write_bytes(orjson.dumps(state))
        part.replace(self.folder / "state.json")

    @staticmethod
    def quoted(file: Path) -> str:
        """A path for use inside a quoted SQL string."""
        return str(file).replace("'", "''")

    @contextmanager
    def open(self, memory: int) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the table for writing with `memory` bytes for DuckDB. The database `base` holds intermediate tables."""
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{memory // 1_000_000}MB",
            "temp_directory": str(self.scratch),
            "preserve_insertion_order": "true",
        }
        with duckdb.connect(str(self.table), config=config) as conn:
            conn.execute(f"ATTACH '{self.quoted(self.folder / 'base.duckdb')}' AS base")
            yield conn
            conn.execute("CHECKPOINT")
            conn.execute("DETACH base")


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn errors of the disk and of DuckDB (full, unwritable, out of memory) into RanksError."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise RanksError("--memory", f"is too little: {_first_line(error)}") from None
    except duckdb.Error as error:
        raise RanksError(str(folder), f"the table cannot be built: {_first_line(error)}") from None
    except OSError as error:
        # An array that could not be written whole says only how much of it was written.
        why = error.strerror or f"could not be written ({error}): is the disk full?"
        raise RanksError(str(error.filename or folder), why) from None


def _first_line(error: duckdb.Error) -> str:
    # Long enough for a path and what the system says of it ("No space left on device").
    return shorten(str(error).partition("\n")[0], 400)
