"""Importing a release: unpack, check and sort its files, and bring the finished table into use in one step."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import duckdb

from afterdrop.sources.webgraph.build_dir import BuildDir, explained
from afterdrop.sources.webgraph.errors import RanksError, interruptible, sized
from afterdrop.sources.webgraph.file_format import (
    RANKS_COLUMNS,
    RANKS_FAULTS,
    headed,
    key_sql,
    refusing,
    shorten,
)
from afterdrop.sources.webgraph.graph_files import GraphFiles, GzipText, load_csv, read_csv
from afterdrop.sources.webgraph.referring_domains import (
    BYTES_A_VERTEX,
    LinkCounts,
    import_links,
    place_vertices,
)
from afterdrop.sources.webgraph.table import Manifest
from afterdrop.sources.webgraph.table_dir import TableDir

log = logging.getLogger("afterdrop.ranks")
Progress = Callable[[str, int, int], None]
LEAST_MEMORY = 300_000_000

_LOAD = f"""CREATE TABLE staging.raw AS
SELECT line, harmonic, pagerank, hosts, name, {refusing(RANKS_FAULTS)} AS refused
FROM (
    SELECT (row_number() OVER () + 1)::UINTEGER AS line, lag(harmonic_value) OVER () AS above, *
    FROM {read_csv(RANKS_COLUMNS, header_lines=1)}
)"""
_SUMS = """SELECT count(*), coalesce(max(pagerank), 0), coalesce(sum(pagerank::HUGEINT), 0),
    coalesce(sum(pagerank::HUGEINT * pagerank), 0) FROM staging.raw"""


class Ranked(NamedTuple):
    """A filled table of ranks: the number of names, the salt of their keys, and how many lines named one again."""

    nodes: int
    salt: str
    doubles: int = 0


def import_graph(
    table_dir: TableDir, release: str, sources: GraphFiles, now: datetime, *, memory: int, progress: Progress
) -> Manifest:
    """Build the table of `release` within about `memory` bytes, bring it into use, and remove surplus old tables.

    Raises RanksError naming file and line when a file is not whole and sorted, or when the disk is full; the table in
    use then stays. A name that the ranks have twice keeps its better place. `progress` is called with the step, and the
    bytes (or parts) done and in all.
    """
    if memory < LEAST_MEMORY:
        raise RanksError("--memory", f"must be at least {LEAST_MEMORY // 1_000_000}MB")
    build_dir = BuildDir(table_dir.build_folder(release))
    with table_dir.importing(), explained(table_dir.folder), interruptible():
        _refuse_small_disk(table_dir, sources)
        for left in table_dir.unfinished():
            if sources.edges is None or left != build_dir.folder:
                table_dir.clear(left)
        build_dir.begin(sources)
        try:
            # The process itself needs memory beside DuckDB and, with links, so do the arrays of numbers.
            with build_dir.open(memory // 2 if sources.edges else memory * 4 // 5) as conn:
                ranked, links = _build(build_dir, conn, sources, memory, progress)
                sizes = {file.name: file.stat().st_size for file in sources.files()}
                manifest = Manifest(
                    release, now, ranked.nodes, salt=ranked.salt, doubles=ranked.doubles, sources=sizes
                )
                if links is not None:
                    manifest = replace(manifest, links=links.links, self_links=links.self_links)
                manifest.write(conn)
            table_dir.bring_into_use(build_dir.table, table_dir.new_file(release, now))
        except BaseException:
            if sources.edges is None:
                table_dir.clear(build_dir.folder)
            raise
        table_dir.clear(build_dir.folder)
        table_dir.remove_surplus()
    return manifest


def _refuse_small_disk(table_dir: TableDir, sources: GraphFiles) -> None:
    """RanksError when the disk is too small. Measured: ranks take three times their compressed file, links four times.

    Files of unfinished imports count as free, because they are either reused or removed.
    """
    ranks, *others = (file.stat().st_size for file in sources.files())
    left = (file for folder in table_dir.unfinished() for file in folder.rglob("*") if file.is_file())
    needed = 3 * ranks + 4 * sum(others) - sum(file.stat().st_size for file in left)
    free = shutil.disk_usage(table_dir.folder).free
    if free < needed:
        raise RanksError(
            str(table_dir.folder), f"has {sized(free)} free; this import needs about {sized(needed)}"
        )


def _build(
    build_dir: BuildDir,
    conn: duckdb.DuckDBPyConnection,
    sources: GraphFiles,
    memory: int,
    progress: Progress,
) -> tuple[Ranked, LinkCounts | None]:
    """Build the tables. Returns what the manifest says of them."""
    with_links = sources.edges is not None
    if (done := build_dir.done("ranks")) is not None:
        ranked = Ranked(int(done["nodes"]), str(done["salt"]), int(done.get("doubles", 0)))
    else:
        ranked = add_ranks(build_dir, conn, sources.ranks, progress, base=with_links)
    links: LinkCounts | None = None
    if sources.vertices is not None and sources.edges is not None:
        nodes = ranked.nodes
        if memory // 2 < BYTES_A_VERTEX * nodes:
            least = f"{2 * BYTES_A_VERTEX * nodes / 1e9:.1f}GB"
            raise RanksError("--memory", f"must be at least {least} for the links of {nodes:,} names")
        place_vertices(build_dir, conn, sources.vertices, ranked.salt, nodes, progress)
        links = import_links(build_dir, conn, sources.edges, nodes, memory // 2, progress)
    return ranked, links


def add_ranks(
    build_dir: BuildDir, conn: duckdb.DuckDBPyConnection, file: Path, progress: Progress, *, base: bool
) -> Ranked:
    """Fill the table `ranks`, sorted by key, from a ranks file. With `base` it goes there, and `names` are stored too.

    Raises RanksError with the first line that is wrong.
    """
    ranks = "base.ranks" if base else "ranks"
    raw = build_dir.scratch / "raw.duckdb"
    conn.execute(f"ATTACH '{build_dir.quoted(raw)}' AS staging")
    packed = GzipText(file, lambda read, total: progress("reading ranks", read, total))
    load_csv(conn, _LOAD, headed(packed.whole_lines(), str(file)), str(file))
    rows = _checked(conn, file)
    progress("sorting ranks", 0, rows)
    salt, doubles = _sort(conn, ranks, file)
    nodes = rows - doubles
    if base:
        conn.execute(
            "CREATE OR REPLACE TABLE names AS SELECT harmonic, name FROM staging.raw ORDER BY harmonic"
        )
        conn.execute("CHECKPOINT base")
        conn.execute("CHECKPOINT")
        build_dir.finish("ranks", nodes=nodes, salt=salt, doubles=doubles)
    conn.execute("DETACH staging")
    raw.unlink(missing_ok=True)
    progress("sorting ranks", rows, rows)
    return Ranked(nodes, salt, doubles)


def _sort(conn: duckdb.DuckDBPyConnection, ranks: str, file: Path) -> tuple[str, int]:
    """Make the sorted table. Returns the salt with which no two names share a key, and how many doubles were left out.

    With 121 million names the first salt fails once in 2,500 releases.
    """
    doubles = 0
    # The first is tried once more, without doubles.
    for salt in ("", "", "1", "2", "3"):
        conn.execute(
            f"CREATE OR REPLACE TABLE {ranks} AS SELECT {key_sql(salt)} AS key, harmonic, pagerank, hosts, "
            "NULL::UINTEGER AS node, NULL::UINTEGER AS domains FROM staging.raw ORDER BY key"
        )
        shared = conn.execute(
            "SELECT list(DISTINCT key) FROM (SELECT key, lag(key) OVER () AS before FROM "
            f"{ranks}) WHERE key = before"
        ).fetchone()
        if shared is None or shared[0] is None:
            return salt, doubles
        doubles += _drop_doubles(conn, salt, shared[0], file)
    raise RanksError(str(file), "has names that share their keys under every salt")


def _drop_doubles(conn: duckdb.DuckDBPyConnection, salt: str, keys: list[int], file: Path) -> int:
    """Leave each name its better line, and close the gaps in both orders. Gives how many lines went."""
    worse = conn.execute(
        "SELECT line, harmonic, pagerank, name, first FROM (SELECT *, min(line) OVER (PARTITION BY name) AS first FROM "
        f"staging.raw WHERE {key_sql(salt)} IN (SELECT unnest(?::UBIGINT[]))) WHERE line > first ORDER BY line",
        [keys],
    ).fetchall()
    if not worse:
        return 0
    lines, harmonic, pagerank, names, firsts = map(list, zip(*worse, strict=True))
    log.warning(
        "%s: %s names stand twice and keep their better places; the first is %s, at lines %s and %s",
        file, f"{len(worse):,}", shorten(names[0]), f"{firsts[0]:,}", f"{lines[0]:,}",
    )  # fmt: skip
    conn.execute(
        "CREATE OR REPLACE TABLE staging.raw AS SELECT * REPLACE ("
        "(harmonic - len(list_filter(?::UINTEGER[], lambda place: place < harmonic)))::UINTEGER AS harmonic, "
        "(pagerank - len(list_filter(?::UINTEGER[], lambda place: place < pagerank)))::UINTEGER AS pagerank) "
        "FROM staging.raw WHERE NOT list_contains(?::UINTEGER[], line)",
        [harmonic, pagerank, lines],
    )
    return len(worse)


def _checked(conn: duckdb.DuckDBPyConnection, file: Path) -> int:
    """The number of rows. RanksError when their PageRank positions are not all numbers from 1 to that."""
    rows, most, total, squares = conn.execute(_SUMS).fetchone() or (0, 0, 0, 0)
    if rows == 0:
        raise RanksError(str(file), "has a header and no rows")
    if most > rows:
        raise RanksError(
            str(file), f"has PageRank position {most:,}, but only {rows:,} rows: rows are missing or wrong"
        )
    if (total, squares) != (rows * (rows + 1) // 2, rows * (rows + 1) * (2 * rows + 1) // 6):
        double = conn.execute(
            "SELECT format('{:,} twice, at lines {:,} and {:,}', pagerank, min(line), max(line)) FROM staging.raw "
            "GROUP BY pagerank HAVING count(*) > 1 ORDER BY max(line) LIMIT 1"
        ).fetchone()
        raise RanksError(str(file), f"has PageRank position {double[0] if double else 'unknown'}")
    return int(rows)
