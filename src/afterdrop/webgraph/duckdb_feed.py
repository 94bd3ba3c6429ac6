"""Feeding DuckDB a file that this process unpacks: what is read is counted and checked on the way."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping

import duckdb

from afterdrop.core.errors import AfterdropError
from afterdrop.webgraph.errors import RanksError
from afterdrop.webgraph.rows import fault_of_reader, without_blanks


def read_csv(columns: Mapping[str, str]) -> str:
    """SQL that reads tab-separated lines from the file given as parameter, each value exactly as it stands."""
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    return (
        "read_csv(?, auto_detect = false, header = false, delim = '\t', quote = '', escape = '', "
        f"parallel = false, columns = {{{types}}})"
    )


def load(
    conn: duckdb.DuckDBPyConnection,
    statement: str,
    chunks: Iterator[bytes],
    file: str,
    columns: Mapping[str, str],
    header_lines: int = 0,
) -> None:
    """Run `statement`, whose one parameter is what `read_csv(columns)` reads, over `chunks`.

    Raises RanksError with the line that cannot be read, or what `chunks` raised.
    """
    reading, writing = os.pipe()
    faults: list[AfterdropError | OSError] = []
    whole = without_blanks(chunks, file, header_lines)
    feeder = threading.Thread(target=_feed, args=(writing, whole, faults), name="ranks-unpack", daemon=True)
    feeder.start()
    unreadable: duckdb.Error | None = None
    try:
        conn.execute(statement, [f"/dev/fd/{reading}"])
    except duckdb.Error as error:
        unreadable = error
    finally:
        # Without a reader the feeder's next write fails, and it ends.
        os.close(reading)
        feeder.join()
    if faults:
        # A file that breaks off ends in half a line: that it breaks off is the better message.
        raise faults[0]
    if isinstance(unreadable, duckdb.ConversionException | duckdb.InvalidInputException):
        raise RanksError(file, fault_of_reader(str(unreadable), header_lines, len(columns))) from None
    if unreadable is not None:
        raise unreadable


def _feed(writing: int, chunks: Iterator[bytes], faults: list[AfterdropError | OSError]) -> None:
    try:
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            for chunk in chunks:
                view = memoryview(chunk)
                while view:
                    view = view[pipe.write(view) :]
    except BrokenPipeError:
        return
    except (AfterdropError, OSError) as error:
        faults.append(error)
