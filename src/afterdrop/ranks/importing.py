"""Import a release: unpack, check, sort, and bring the finished table into use in one step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import duckdb

from afterdrop.ranks.faults import RanksError
from afterdrop.ranks.gunzip import Unpacked
from afterdrop.ranks.manifest import Manifest
from afterdrop.ranks.piped import load, read_csv
from afterdrop.ranks.rows import KEY_SQL, RANKS_COLUMNS, RanksSeen, shorten, without_header
from afterdrop.ranks.shelf import Shelf
from afterdrop.ranks.workshop import Sources, Workshop, explained

Progress = Callable[[str, int, int], None]
LEAST_MEMORY = 200_000_000

_LOAD = f"""CREATE TABLE staging.raw AS
SELECT line, harmonic, pagerank, hosts, name, {KEY_SQL} AS key, harmonic_value > before AS rises,
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
    shelf: Shelf, release: str, sources: Sources, now: datetime, *, memory: int, progress: Progress
) -> Manifest:
    """Build the table of `release` within about `memory` bytes, bring it into use, remove surplus old ones.

    Raises RanksError naming file and line when a file is not whole, sorted and free of doubles, or the disk is full:
    then the table in use stays. `progress` hears of the step, and of bytes (or parts) done and in all.
    """
    if memory < LEAST_MEMORY:
        raise RanksError("--memory", f"must be at least {LEAST_MEMORY // 1_000_000}MB")
    sources.files()
    with shelf.importing(), explained(shelf.folder):
        shop = Workshop(shelf.workshop(release))
        for left in shelf.unfinished():
            if left != shop.folder:
                shelf.clear(left)
        shop.begin(sources, {"links": sources.edges is not None})
        try:
            with shop.open(memory) as conn:
                manifest = _build(shop, conn, release, sources, now, memory, progress)
            shelf.put(shop.table, shelf.place(release, now))
        except BaseException:
            if sources.edges is None:
                shelf.clear(shop.folder)
            raise
        shelf.clear(shop.folder)
        shelf.tidy()
    return manifest


def _build(
    shop: Workshop,
    conn: duckdb.DuckDBPyConnection,
    release: str,
    sources: Sources,
    now: datetime,
    memory: int,
    progress: Progress,
) -> Manifest:
    counted = add_ranks(shop, conn, sources.ranks, progress, names=sources.edges is not None)
    manifest = Manifest(
        release, now, **counted, sources={file.name: file.stat().st_size for file in sources.files()}
    )
    manifest.write(conn)
    conn.execute("CHECKPOINT")
    return manifest


def add_ranks(
    shop: Workshop, conn: duckdb.DuckDBPyConnection, file: Path, progress: Progress, *, names: bool
) -> dict[str, int]:
    """Fill table `ranks`, sorted by key, from a ranks file; with `names` also `names`, by harmonic position.

    The answer counts `nodes` and `collisions`. Raises RanksError with the first line that is wrong.
    """
    done = shop.done("ranks")
    if done is not None:
        return done
    raw = shop.scratch / "raw.duckdb"
    for table in ("ranks", "names"):
        conn.execute(f"DROP TABLE IF EXISTS {table}")
    conn.execute(f"ATTACH '{str(raw).replace(chr(39), chr(39) * 2)}' AS staging")
    packed = Unpacked(file, lambda read, total: progress("reading ranks", read, total))
    lines = without_header(packed.chunks(), str(file))
    load(conn, _LOAD, lines, str(file), RANKS_COLUMNS, header_lines=1)
    seen = _look_through(conn)
    complaint = seen.complaint()
    if complaint:
        raise RanksError(str(file), complaint)
    progress("sorting ranks", 0, seen.rows)
    conn.execute(
        "CREATE TABLE ranks AS SELECT key, harmonic, pagerank, hosts, NULL::UINTEGER AS node, "
        "NULL::UINTEGER AS domains FROM staging.raw ORDER BY key"
    )
    collisions = _refuse_doubles(conn, file)
    if names:
        conn.execute("CREATE TABLE names AS SELECT harmonic, name FROM staging.raw ORDER BY harmonic")
    conn.execute("DETACH staging")
    raw.unlink(missing_ok=True)
    progress("sorting ranks", seen.rows, seen.rows)
    counted = {"nodes": seen.rows, "collisions": collisions}
    conn.execute("CHECKPOINT")
    shop.finish("ranks", **counted)
    return counted


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


def _refuse_doubles(conn: duckdb.DuckDBPyConnection, file: Path) -> int:
    """RanksError for a name that stands twice. Names that merely share a key are both left out and counted:
    better unknown than wrong."""
    shared = [
        row[0]
        for row in conn.execute(
            "SELECT DISTINCT key FROM (SELECT key, lag(key) OVER () AS before FROM ranks) WHERE key = before"
        ).fetchall()
    ]
    if not shared:
        return 0
    double = conn.execute(
        "SELECT name, min(line), max(line) FROM staging.raw WHERE key IN (SELECT unnest(?::UBIGINT[])) "
        "GROUP BY name HAVING count(*) > 1 ORDER BY 3 LIMIT 1",
        [shared],
    ).fetchone()
    if double:
        name, first, again = double
        raise RanksError(str(file), f"names {shorten(name)} twice, at lines {first + 1:,} and {again + 1:,}")
    removed = conn.execute(
        "DELETE FROM ranks WHERE key IN (SELECT unnest(?::UBIGINT[])) RETURNING key", [shared]
    )
    return len(removed.fetchall())
