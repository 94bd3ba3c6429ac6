"""The vertices: which number of the edges file is which name, and where that name stands in the ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from afterdrop.webgraph.build_dir import BuildDir
from afterdrop.webgraph.duckdb_feed import load, read_csv
from afterdrop.webgraph.errors import RanksError
from afterdrop.webgraph.gunzip import Unpacked
from afterdrop.webgraph.rows import VERTICES_COLUMNS, VerticesSeen, key_sql

Progress = Callable[[str, int, int], None]

# The arrays this step holds at once: key, position and place of each name in the ranks, position of each vertex.
BYTES_A_VERTEX = 24
_AT_ONCE = 4_000_000


def place_vertices(
    shop: BuildDir, conn: duckdb.DuckDBPyConnection, file: Path, salt: str, nodes: int, progress: Progress
) -> None:
    """Leave `positions.npy` (harmonic position by vertex) and `vertices.npy` (vertex by row of `base.ranks`).

    Raises RanksError when the file is not sorted, names a vertex twice, or does not match the ranks.
    """
    if shop.done("vertices") is not None:
        return
    raw = shop.scratch / "vertices.duckdb"
    conn.execute(f"ATTACH '{shop.quoted(raw)}' AS vertices")
    packed = Unpacked(file, lambda read, total: progress("reading vertices", read, total))
    statement = f"""CREATE TABLE vertices.raw AS
        SELECT (row_number() OVER ())::UBIGINT AS line, node, {key_sql(salt)} AS key,
            name IS NULL OR coalesce(name <= lag(name) OVER (), false) AS unsorted, name
        FROM {read_csv(VERTICES_COLUMNS)}"""
    load(conn, statement, packed.chunks(), str(file), VERTICES_COLUMNS)
    progress("placing vertices", 0, 1)
    complaint = _match(shop, conn, nodes).complaint()
    if complaint:
        raise RanksError(str(file), complaint)
    conn.execute("DETACH vertices")
    raw.unlink()
    progress("placing vertices", 1, 1)
    shop.finish("vertices")


def _match(shop: BuildDir, conn: duckdb.DuckDBPyConnection, nodes: int) -> VerticesSeen:
    row = conn.execute(
        "SELECT count(*), min(line) FILTER (node IS DISTINCT FROM line - 1), min(line) FILTER (unsorted) "
        "FROM vertices.raw"
    ).fetchone()
    rows, misplaced, unsorted = row or (0, None, None)
    if misplaced is not None:
        return VerticesSeen(rows, nodes, misplaced=(misplaced, _at(conn, "node", misplaced)))
    if unsorted is not None:
        return VerticesSeen(rows, nodes, unsorted=(unsorted, _at(conn, "name", unsorted) or ""))
    return _place(shop, conn, rows, nodes)


def _place(shop: BuildDir, conn: duckdb.DuckDBPyConnection, rows: int, nodes: int) -> VerticesSeen:
    """Find each vertex's key among the ranks' sorted ones, and store both directions when all are there."""
    ranked = conn.execute("SELECT key, harmonic FROM base.ranks").fetchnumpy()
    positions, vertices = np.empty(nodes, np.uint32), np.empty(nodes, np.uint32)
    for start in range(0, min(rows, nodes), _AT_ONCE):
        end = min(start + _AT_ONCE, rows, nodes)
        keys = conn.execute(
            "SELECT key FROM vertices.raw WHERE line > ? AND line <= ?", [start, end]
        ).fetchnumpy()["key"]
        # Asked in order the search stays in the processor's cache: thirteen times as fast.
        order = np.argsort(keys)
        place = np.empty(len(keys), np.int64)
        place[order] = np.searchsorted(ranked["key"], keys[order])
        place[place == nodes] = 0
        strange = ranked["key"][place] != keys
        if strange.any():
            line = start + int(np.argmax(strange)) + 1
            return VerticesSeen(rows, nodes, unranked=(line, _at(conn, "name", line) or ""))
        positions[start:end] = ranked["harmonic"][place]
        vertices[place] = np.arange(start, end, dtype=np.uint32)
    np.save(shop.folder / "positions.npy", positions)
    np.save(shop.folder / "vertices.npy", vertices)
    return VerticesSeen(rows, nodes)


def _at(conn: duckdb.DuckDBPyConnection, column: str, line: int) -> Any:
    found = conn.execute(f"SELECT {column} FROM vertices.raw WHERE line = ?", [line]).fetchone()
    return found[0] if found else None
