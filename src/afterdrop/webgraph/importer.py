"""Import a release: unpack, check, sort, and bring the finished table into use in one step."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from afterdrop.webgraph.build_dir import BuildDir, explained
from afterdrop.webgraph.errors import RanksError, interruptible, sized
from afterdrop.webgraph.file_format import RANKS_COLUMNS, RanksSeen, key_sql, shorten, without_header
from afterdrop.webgraph.graph_files import GraphFiles, GzipText, load_csv, read_csv
from afterdrop.webgraph.manifest import Manifest
from afterdrop.webgraph.referring_domains import BYTES_A_VERTEX, import_links, place_vertices
from afterdrop.webgraph.table_dir import TableDir

Progress = Callable[[str, int, int], None]
LEAST_MEMORY = 300_000_000

_LOAD = f"""CREATE TABLE staging.raw AS
SELECT line, harmonic, pagerank, hosts, name, harmonic_value > before AS rises,
    coalesce(harmonic_value < 0 OR pagerank_value < 0 OR NOT isfinite(harmonic_value + pagerank_value)
        OR hosts IS NULL, true) AS odd
FROM (
    SELECT (row_number() OVER ())::UINTEGER AS line, lag(harmonic_value) OVER () AS before, *
    FROM {read_csv(RANKS_COLUMNS)}
)"""
_SEEN = """SELECT count(*),
    min(line) FILTER (harmonic IS DISTINCT FROM line),
    min(line) FILTER (rises),
    min(line) FILTER (coalesce(name, '') = ''),
    min(line) FILTER (odd),
    min(line) FILTER (pagerank IS NULL OR pagerank = 0 OR pagerank > (SELECT count(*) FROM staging.raw)),
    coalesce(sum(pagerank::HUGEINT), 0),
    coalesce(sum(pagerank::HUGEINT * pagerank), 0)
FROM staging.raw"""


def import_graph(
    shelf: TableDir, release: str, sources: GraphFiles, now: datetime, *, memory: int, progress: Progress
) -> Manifest:
    """Build the table of `release` within about `memory` bytes, bring it into use, remove surplus old ones.

    Raises RanksError naming file and line when a file is not whole, sorted and free of doubles, or the disk is full:
    then the table in use stays. `progress` hears of the step, and of bytes (or parts) done and in all.
    """
    if memory < LEAST_MEMORY:
        raise RanksError("--memory", f"must be at least {LEAST_MEMORY // 1_000_000}MB")
    shop = BuildDir(shelf.workshop(release))
    with shelf.importing(), explained(shelf.folder), interruptible():
        _refuse_small_disk(shelf, sources)
        for left in shelf.unfinished():
            if left != shop.folder:
                shelf.clear(left)
        shop.begin(sources)
        try:
            # Beside DuckDB's share come the process itself and, with links, the arrays of numbers.
            with shop.open(memory // 2 if sources.edges else memory * 4 // 5) as conn:
                manifest = _build(shop, conn, release, sources, now, memory, progress)
            shelf.put(shop.table, shelf.place(release, now))
        except BaseException:
            if sources.edges is None:
                shelf.clear(shop.folder)
            raise
        shelf.clear(shop.folder)
        shelf.tidy()
    return manifest


def _refuse_small_disk(shelf: TableDir, sources: GraphFiles) -> None:
    """Measured: a ranks import takes three times its compressed file while it runs, links four times theirs.

    What imports that did not end left is a part of that, or is removed and makes room.
    """
    ranks, *others = (file.stat().st_size for file in sources.files())
    left = (file for folder in shelf.unfinished() for file in folder.rglob("*") if file.is_file())
    needed = 3 * ranks + 4 * sum(others) - sum(file.stat().st_size for file in left)
    free = shutil.disk_usage(shelf.folder).free
    if free < needed:
        raise RanksError(
            str(shelf.folder), f"has {sized(free)} free; this import needs about {sized(needed)}"
        )


def _build(
    shop: BuildDir,
    conn: duckdb.DuckDBPyConnection,
    release: str,
    sources: GraphFiles,
    now: datetime,
    memory: int,
    progress: Progress,
) -> Manifest:
    with_links = sources.edges is not None
    counted = shop.done("ranks") or add_ranks(shop, conn, sources.ranks, progress, base=with_links)
    if sources.vertices is not None and sources.edges is not None:
        nodes = counted["nodes"]
        if memory // 2 < BYTES_A_VERTEX * nodes:
            least = f"{2 * BYTES_A_VERTEX * nodes / 1e9:.1f}GB"
            raise RanksError("--memory", f"must be at least {least} for the links of {nodes:,} names")
        place_vertices(shop, conn, sources.vertices, counted["salt"], nodes, progress)
        counted |= import_links(shop, conn, sources.edges, nodes, memory // 2, progress)
    sizes = {file.name: file.stat().st_size for file in sources.files()}
    manifest = Manifest(release, now, **counted, sources=sizes)
    manifest.write(conn)
    return manifest


def add_ranks(
    shop: BuildDir, conn: duckdb.DuckDBPyConnection, file: Path, progress: Progress, *, base: bool
) -> dict[str, Any]:
    """Fill table `ranks`, sorted by key, from a ranks file; with `base` in there, and `names` by position here.

    The answer has the number of `nodes` and the `salt`. Raises RanksError with the first line that is wrong.
    """
    ranks = "base.ranks" if base else "ranks"
    for table in (ranks, "names"):
        conn.execute(f"DROP TABLE IF EXISTS {table}")
    raw = shop.scratch / "raw.duckdb"
    conn.execute(f"ATTACH '{shop.quoted(raw)}' AS staging")
    packed = GzipText(file, lambda read, total: progress("reading ranks", read, total))
    lines = without_header(packed.chunks(), str(file))
    load_csv(conn, _LOAD, lines, str(file), RANKS_COLUMNS, header_lines=1)
    seen = _look_through(conn)
    if seen.doubled:
        seen = replace(seen, double=_double(conn))
    complaint = seen.complaint()
    if complaint:
        raise RanksError(str(file), complaint)
    progress("sorting ranks", 0, seen.rows)
    salt = _sort(conn, ranks, file)
    if base:
        conn.execute("CREATE TABLE names AS SELECT harmonic, name FROM staging.raw ORDER BY harmonic")
        conn.execute("CHECKPOINT base")
        conn.execute("CHECKPOINT")
        shop.finish("ranks", nodes=seen.rows, salt=salt)
    conn.execute("DETACH staging")
    raw.unlink(missing_ok=True)
    progress("sorting ranks", seen.rows, seen.rows)
    return {"nodes": seen.rows, "salt": salt}


def _sort(conn: duckdb.DuckDBPyConnection, ranks: str, file: Path) -> str:
    """Make the sorted table; the salt with which no two names share a key (with 121 M names the first does but once
    in 2,500 releases). RanksError for a name that stands twice."""
    for salt in ("", "1", "2", "3"):
        conn.execute(
            f"CREATE OR REPLACE TABLE {ranks} AS SELECT {key_sql(salt)} AS key, harmonic, pagerank, hosts, "
            "NULL::UINTEGER AS node, NULL::UINTEGER AS domains FROM staging.raw ORDER BY key"
        )
        shared = conn.execute(
            "SELECT list(DISTINCT key) FROM (SELECT key, lag(key) OVER () AS before FROM "
            f"{ranks}) WHERE key = before"
        ).fetchone()
        if shared is None or shared[0] is None:
            return salt
        double = conn.execute(
            f"SELECT name, min(line), max(line) FROM staging.raw WHERE {key_sql(salt)} IN (SELECT unnest(?::UBIGINT[]))"
            " GROUP BY name HAVING count(*) > 1 ORDER BY 3 LIMIT 1",
            [shared[0]],
        ).fetchone()
        if double:
            name, first, again = double
            raise RanksError(
                str(file), f"names {shorten(name)} twice, at lines {first + 1:,} and {again + 1:,}"
            )
    raise RanksError(str(file), "has names that share their keys under every salt")


def _look_through(conn: duckdb.DuckDBPyConnection) -> RanksSeen:
    row = conn.execute(_SEEN).fetchone() or ()
    rows, misplaced, rising, unnamed, odd, beyond, total, squares = row

    def at(column: str, line: int | None) -> tuple[int, int | None] | None:
        if line is None:
            return None
        found = conn.execute(f"SELECT {column} FROM staging.raw WHERE line = ?", [line]).fetchone()
        return line, found[0] if found else None

    return RanksSeen(
        rows, at("harmonic", misplaced), rising, unnamed, odd, at("pagerank", beyond), total, squares
    )


def _double(conn: duckdb.DuckDBPyConnection) -> tuple[int, int, int] | None:
    """The first PageRank position that stands twice, with two lines that have it."""
    found: tuple[int, int, int] | None = conn.execute(
        "SELECT pagerank, min(line), max(line) FROM staging.raw "
        "GROUP BY pagerank HAVING count(*) > 1 ORDER BY 3 LIMIT 1"
    ).fetchone()
    return found
