"""The files of a web-graph release on disk: which ones there are, their text unpacked, and loading it into DuckDB.

Text is counted and checked while it is read, so that a damaged or cut file is noticed with the place.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from afterdrop.core.errors import AfterdropError
from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import shorten

Progress = Callable[[int, int], None]
_READ = 1 << 18
_MAGIC = b"\x1f\x8b"
_MOST = 1 << 22
_TOLD = 240


@dataclass(frozen=True, slots=True)
class GraphFiles:
    """The files of a release: the ranks, and for links the vertices and edges too."""

    ranks: Path
    vertices: Path | None = None
    edges: Path | None = None

    def files(self) -> list[Path]:
        """The files given. RanksError when one does not exist, or when only one of vertices and edges is given."""
        if (self.vertices is None) != (self.edges is None):
            raise RanksError("links", "need both files, vertices and edges")
        given = [file for file in (self.ranks, self.vertices, self.edges) if file is not None]
        for file in given:
            if not file.is_file():
                raise RanksError(str(file), "is not there")
        return given

    def fingerprint(self) -> dict[str, list[int]]:
        """Sizes and times by name: an interrupted import may go on only with the same files."""
        return {file.name: [file.stat().st_size, file.stat().st_mtime_ns] for file in self.files()}


def no_progress(done: int, total: int) -> None:
    """Ignore progress."""


@dataclass
class GzipText:
    """The text of a gzip file (one member or several), in chunks of at most 4 MB.

    `lines` counts the line ends so far. `progress` is called with the compressed bytes read and their total.
    """

    file: Path
    progress: Progress = no_progress
    lines: int = 0

    def chunks(self) -> Iterator[bytes]:
        """The chunks, cut anywhere. RanksError with the place where the file is damaged, cut off or not gzip."""
        total, done, ended = self.file.stat().st_size, 0, True
        member: zlib._Decompress | None = None
        with self.file.open("rb") as packed:
            if total and packed.read(2) != _MAGIC:
                raise RanksError(str(self.file), "is not a gzip file")
            packed.seek(0)
            while data := packed.read(_READ):
                done += len(data)
                while data:
                    if member is None:
                        data = data.lstrip(
                            b"\0"
                        )  # tapes and copies pad with zeros, which RFC 1952 readers skip
                        member = zlib.decompressobj(31) if data else None
                        continue
                    chunk = self._unpack(member, data, done)
                    if chunk:
                        self.lines += chunk.count(b"\n")
                        ended = chunk.endswith(b"\n")
                        yield chunk
                    data = member.unused_data if member.eof else member.unconsumed_tail
                    member = None if member.eof else member
                self.progress(done, total)
        if member is not None:
            raise RanksError(str(self.file), f"is cut off: it ends after line {self.lines:,}")
        if not ended:
            raise RanksError(str(self.file), f"is cut off: it ends in the middle of line {self.lines + 1:,}")

    def _unpack(self, member: zlib._Decompress, data: bytes, done: int) -> bytes:
        try:
            return member.decompress(data, _MOST)
        except zlib.error as error:
            where = f"before byte {done:,}, after line {self.lines:,}"
            raise RanksError(str(self.file), f"is damaged {where} ({error})") from None

    def whole_lines(self) -> Iterator[bytes]:
        """The same text cut at line ends: every chunk is one or more whole lines."""
        rest = b""
        for chunk in self.chunks():
            end = chunk.rfind(b"\n") + 1
            if end:
                yield rest + chunk[:end]
                rest = chunk[end:]
            else:
                rest += chunk
                if len(rest) > _MOST:
                    raise RanksError(str(self.file), f"has a line over {_MOST:,} bytes after {self.lines:,}")


def read_csv(columns: Mapping[str, str], header_lines: int = 0) -> str:
    """SQL that reads tab-separated lines from the file given as a parameter, without quoting or trimming."""
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    return (
        "read_csv(?, auto_detect = false, header = false, delim = '\t', quote = '', escape = '', "
        f"parallel = false, skip = {header_lines}, columns = {{{types}}})"
    )


def load_csv(
    conn: duckdb.DuckDBPyConnection,
    statement: str,
    chunks: Iterator[bytes],
    file: str,
) -> None:
    """Run `statement` over the text of `chunks`; its one parameter is the file that `read_csv` reads.

    Raises RanksError with what DuckDB says of a line, or the error that `chunks` raised.
    """
    reading, writing = os.pipe()
    faults: list[AfterdropError | OSError] = []
    writer = threading.Thread(
        target=_write_pipe, args=(writing, chunks, faults), name="ranks-unpack", daemon=True
    )
    writer.start()
    unreadable: duckdb.Error | None = None
    try:
        conn.execute(statement, [f"/dev/fd/{reading}"])
    except duckdb.Error as error:
        unreadable = error
    finally:
        # Without a reader the next write of the thread fails, and the thread ends.
        os.close(reading)
        writer.join()
    if faults:
        # A file that is cut off ends in half a line: the message that it is cut off is the better one.
        raise faults[0]
    if isinstance(unreadable, duckdb.ConversionException | duckdb.InvalidInputException):
        # "Invalid Input Error: CSV Error on Line: 5", the line, and what is wrong with it; then come options of DuckDB.
        said = str(unreadable).partition(": ")[2].splitlines()[:3]
        raise RanksError(file, shorten(" ".join(said), _TOLD)) from None
    if unreadable is not None:
        raise unreadable


def _write_pipe(writing: int, chunks: Iterator[bytes], faults: list[AfterdropError | OSError]) -> None:
    try:
        with os.fdopen(writing, "wb") as pipe:
            pipe.writelines(chunks)
    except BrokenPipeError:
        return
    except (AfterdropError, OSError) as error:
        faults.append(error)
