"""Importing links: exact numbers of referring domains and the best-ranked of them, from the vertices and edges files.

The vertices tell which number of the edges file is which name, and where that name stands in the ranks. The links go
to disk by ranges of their targets (buckets) and are sorted range by range: memory is bounded by the largest range,
and an interrupted import goes on at the first range that is not done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import duckdb
import numpy as np

from afterdrop.sources.webgraph.build_dir import BuildDir
from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import (
    VERTICES_COLUMNS,
    VERTICES_FAULTS,
    key_sql,
    refusing,
    shorten,
)
from afterdrop.sources.webgraph.graph_files import GzipText, load_csv, read_csv
from afterdrop.sources.webgraph.link_pairs import (
    HALF,
    LOW,
    BadLine,
    Pairs,
    Positions,
    Referrers,
    read_pairs,
    referrers,
)

Progress = Callable[[str, int, int], None]

TOP = 100
# The arrays that `place_vertices` holds at once: key, position and place of each name in the ranks, position of each
# vertex.
BYTES_A_VERTEX = 24
_BYTES = 8
# Sorting a bucket takes about six times its own size (pairs, their halves, counts, the choice).
_SHARE = 8
_MOST_BUCKETS = 256
# Pairs gathered before they are sorted and written to their buckets: 32 MB.
_AT_ONCE = 4_000_000
# Compressed bytes of a link in the published files: 3.4 in 2026. A lower number makes more buckets, which is safe.
_PACKED = 3.0


def place_vertices(
    build_dir: BuildDir,
    conn: duckdb.DuckDBPyConnection,
    file: Path,
    salt: str,
    nodes: int,
    progress: Progress,
) -> None:
    """Write `positions.npy` (harmonic position by vertex) and `vertices.npy` (vertex by row of `base.ranks`).

    Raises RanksError when the file is not sorted, names a vertex twice, or does not match the ranks.
    """
    if build_dir.done("vertices") is not None:
        return
    raw = build_dir.scratch / "vertices.duckdb"
    conn.execute(f"ATTACH '{build_dir.quoted(raw)}' AS vertices")
    packed = GzipText(file, lambda read, total: progress("reading vertices", read, total))
    statement = f"""CREATE TABLE vertices.raw AS
        SELECT line, {key_sql(salt)} AS key, name, {refusing(VERTICES_FAULTS)} AS refused FROM (
            SELECT (row_number() OVER ())::UBIGINT AS line, lag(name) OVER () AS above, *
            FROM {read_csv(VERTICES_COLUMNS)}
        )"""
    load_csv(conn, statement, packed.chunks(), str(file))
    progress("placing vertices", 0, 1)
    _store_positions(build_dir, conn, file, nodes)
    conn.execute("DETACH vertices")
    raw.unlink()
    progress("placing vertices", 1, 1)
    build_dir.finish("vertices")


def _store_positions(build_dir: BuildDir, conn: duckdb.DuckDBPyConnection, file: Path, nodes: int) -> None:
    """Find the key of each vertex among the sorted keys of the ranks; when all are there, store both directions."""
    (rows,) = conn.execute("SELECT count(*) FROM vertices.raw").fetchone() or (0,)
    if rows != nodes:
        raise RanksError(
            str(file), f"has {rows:,} names, the ranks file {nodes:,}: they are not of one release"
        )
    ranked = conn.execute("SELECT key, harmonic FROM base.ranks").fetchnumpy()
    positions, vertices = np.empty(nodes, np.uint32), np.empty(nodes, np.uint32)
    for start in range(0, nodes, _AT_ONCE):
        end = min(start + _AT_ONCE, nodes)
        keys = conn.execute(
            "SELECT key FROM vertices.raw WHERE line > ? AND line <= ?", [start, end]
        ).fetchnumpy()["key"]
        # In sorted order the search stays in the processor's cache: thirteen times as fast.
        order = np.argsort(keys)
        place = np.empty(len(keys), np.int64)
        place[order] = np.searchsorted(ranked["key"], keys[order])
        place[place == nodes] = 0
        unknown = ranked["key"][place] != keys
        if unknown.any():
            line = start + int(np.argmax(unknown)) + 1
            (name,) = conn.execute("SELECT name FROM vertices.raw WHERE line = ?", [line]).fetchone() or ("",)
            raise RanksError(
                str(file), f"line {line:,} names {shorten(name)}, which the ranks file does not have"
            )
        positions[start:end] = ranked["harmonic"][place]
        vertices[place] = np.arange(start, end, dtype=np.uint32)
    np.save(build_dir.folder / "positions.npy", positions)
    np.save(build_dir.folder / "vertices.npy", vertices)


class LinkCounts(NamedTuple):
    """The numbers of links between names, and of those from a name to itself."""

    links: int
    self_links: int


class _Filled(NamedTuple):
    """The result of reading the edges file: the numbers of links, and of buckets and the names of each."""

    links: int
    self_links: int
    buckets: int
    width: int


@dataclass(frozen=True, slots=True)
class LinkImport:
    """The import of one release's links. `positions`: harmonic position by vertex; `limit`: bytes of one sort."""

    build_dir: BuildDir
    positions: Positions
    limit: int

    @property
    def nodes(self) -> int:
        """The number of names."""
        return len(self.positions)

    def raw(self, bucket: int) -> Path:
        """The file of a bucket's unsorted pairs."""
        return self.build_dir.folder / f"pairs-{bucket:03}"

    def kept(self, bucket: int) -> Path:
        """The file of a bucket's chosen pairs."""
        return self.build_dir.folder / f"kept-{bucket:03}.npy"

    def counts(self, bucket: int) -> Path:
        """The file of the numbers of referring domains of a bucket's names."""
        return self.build_dir.folder / f"counts-{bucket:03}.npy"

    def fill_buckets(self, edges: Path, progress: Progress) -> _Filled:
        """Read the edges file once and write the links to buckets by target."""
        done = self.build_dir.done("edges")
        if done is not None:
            return _Filled(*(int(done[name]) for name in _Filled._fields))
        wanted = edges.stat().st_size / _PACKED * _BYTES / self.limit
        buckets = min(max(int(wanted) + 1, 1), _MOST_BUCKETS, max(self.nodes, 1))
        width = -(-self.nodes // buckets)
        firsts = np.arange(0, self.nodes, width, dtype=np.uint64) << HALF
        total, selves = 0, 0
        with ExitStack() as stack:
            files = [stack.enter_context(self.raw(place).open("wb")) for place in range(len(firsts))]
            for pairs in self._read(edges, progress):
                target, source = pairs & LOW, pairs >> HALF
                foreign = target != source
                own = len(pairs) - int(np.count_nonzero(foreign))
                total, selves = total + len(pairs) - own, selves + own
                turned = target << HALF | self.positions[source.astype(np.int64)]
                _write_buckets(turned[foreign] if own else turned, firsts, files)
        filled = _Filled(total, selves, len(firsts), width)
        self.build_dir.finish("edges", **filled._asdict())
        return filled

    def _read(self, edges: Path, progress: Progress) -> Iterator[Pairs]:
        """The checked pairs (from, to) of the file, millions at once."""
        packed = GzipText(edges, lambda read, total: progress("reading links", read, total))
        gathered: list[Pairs] = []
        lines, held, last = 0, 0, -1
        for chunk in packed.whole_lines():
            try:
                pairs = read_pairs(chunk, lines, self.nodes, last)
            except BadLine as error:
                raise RanksError(str(edges), str(error)) from None
            lines, held, last = lines + len(pairs), held + len(pairs), int(pairs[-1])
            gathered.append(pairs)
            if held >= _AT_ONCE:
                yield np.concatenate(gathered)
                gathered, held = [], 0
        if gathered:
            yield np.concatenate(gathered)

    def sort(self, bucket: int, width: int) -> None:
        """Count and choose one bucket's referring domains, then delete its pairs; only once for each bucket."""
        step = f"bucket {bucket}"
        if self.build_dir.done(step) is None:
            first = bucket * width
            names = min(width, self.nodes - first)
            parts = list(self._sorted(self.raw(bucket), first, names))
            np.save(self.counts(bucket), np.concatenate([part.counts for part in parts]))
            np.save(self.kept(bucket), np.concatenate([part.kept for part in parts]))
            self.build_dir.finish(step)
        self.raw(bucket).unlink(missing_ok=True)

    def _sorted(self, file: Path, first: int, names: int) -> Iterator[Referrers]:
        """The bucket's referring domains: at once, or in narrower ranges when the bucket is larger than the limit."""
        pieces = min(-(-file.stat().st_size // self.limit), names) or 1
        step = -(-names // pieces)
        for start in range(first, first + names, step):
            end = min(start + step, first + names)
            whole = pieces == 1
            pairs = np.fromfile(file, np.uint64) if whole else _between(file, start, end)
            yield referrers(pairs, start, end - start, TOP)


def _write_buckets(pairs: Pairs, firsts: Pairs, files: Sequence[BinaryIO]) -> None:
    pairs.sort()
    cuts = [*np.searchsorted(pairs, firsts).tolist(), len(pairs)]
    for place, file in enumerate(files):
        pairs[cuts[place] : cuts[place + 1]].tofile(file)


def _between(file: Path, start: int, end: int) -> Pairs:
    """The pairs of the names from `start` up to but not including `end`, read in portions."""
    found: list[Pairs] = []
    with file.open("rb") as stream:
        while len(portion := np.fromfile(stream, np.uint64, _AT_ONCE)):
            name = portion >> HALF
            found.append(portion[(name >= start) & (name < end)])
    return np.concatenate(found)


def import_links(
    build_dir: BuildDir,
    conn: duckdb.DuckDBPyConnection,
    edges: Path,
    nodes: int,
    memory: int,
    progress: Progress,
) -> LinkCounts:
    """Make the tables `links` and `ranks` from `base.ranks` and the arrays that `place_vertices` wrote.

    `links` has a name's vertex and a referring domain's position, at most 100 of them for a name. `ranks` gets the
    numbers of referring domains. Raises RanksError naming the line
    that is wrong.
    """
    work = LinkImport(
        build_dir, np.load(build_dir.folder / "positions.npy"), max((memory - 8 * nodes) // _SHARE, 1 << 20)
    )
    filled = work.fill_buckets(edges, progress)
    buckets = range(filled.buckets)
    for bucket in buckets:
        progress("sorting links", bucket, len(buckets))
        work.sort(bucket, filled.width)
    progress("sorting links", len(buckets), len(buckets))
    counts = np.concatenate([np.load(work.counts(bucket)) for bucket in buckets])
    if int(counts.sum(dtype=np.int64)) != filled.links:
        raise RanksError(str(edges), "was counted twice with different results: import it again")
    _write(conn, work, counts, buckets, progress)
    return LinkCounts(filled.links, filled.self_links)


def _write(
    conn: duckdb.DuckDBPyConnection, work: LinkImport, counts: Positions, buckets: range, progress: Progress
) -> None:
    conn.execute("CREATE OR REPLACE TABLE links (node UINTEGER, source UINTEGER)")
    for bucket in buckets:
        progress("writing links", bucket, len(buckets) + 1)
        pairs = np.load(work.kept(bucket))
        _insert(conn, "links", {"node": (pairs >> HALF).astype(np.uint32), "source": pairs.astype(np.uint32)})
    progress("writing links", len(buckets), len(buckets) + 1)
    vertices = np.load(work.build_dir.folder / "vertices.npy")
    conn.execute("CREATE TEMP TABLE placed (node UINTEGER, domains UINTEGER)")
    for start in range(0, len(vertices), _AT_ONCE):
        nodes = vertices[start : start + _AT_ONCE]
        _insert(conn, "placed", {"node": nodes, "domains": counts[nodes]})
    conn.execute(
        "CREATE OR REPLACE TABLE ranks AS SELECT bare.* EXCLUDE (node, domains), placed.node, placed.domains "
        "FROM base.ranks AS bare POSITIONAL JOIN placed"
    )
    conn.execute("DROP TABLE placed")
    progress("writing links", len(buckets) + 1, len(buckets) + 1)


def _insert(conn: duckdb.DuckDBPyConnection, table: str, columns: dict[str, Positions]) -> None:
    conn.register("portion", columns)
    conn.execute(f"INSERT INTO {table} SELECT * FROM portion")
    conn.unregister("portion")
