"""The table in use: its manifest, and reading link ranks of single names or of many at once, never on the event loop.

The manifest names the release, its size, and the files that the table was made from.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import orjson
from numpy.typing import NDArray

from afterdrop.core.domain_names import host_name
from afterdrop.core.errors import BadName
from afterdrop.sources.metrics.model import (
    LINK_PLACE,
    LINK_RANK,
    REFERRING_DOMAINS,
    TOP_REFERRING_DOMAINS,
    Metric,
    Role,
    Value,
)
from afterdrop.sources.webgraph.errors import RanksError, interruptible
from afterdrop.sources.webgraph.file_format import keys_of, reverse
from afterdrop.sources.webgraph.release import attribution, window_end
from afterdrop.sources.webgraph.table_dir import TableDir

# A table of another version is not read: it must be imported again.
SHAPE = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """The origin of a table. `links` is None for a table of ranks alone; `salt` is hashed before each name.

    `sources` are the sizes of the imported files in bytes, by name. `links` does not count the `self_links`,
    and `nodes` not the `doubles`: lines that name again what stands above them.
    """

    release: str
    imported_at: datetime
    nodes: int
    links: int | None = None
    self_links: int = 0
    salt: str = ""
    doubles: int = 0
    sources: dict[str, int] = field(default_factory=dict)

    @property
    def as_of(self) -> datetime:
        """The time of the table's data: the end of its crawls, or its import when the release does not say."""
        return window_end(self.release) or self.imported_at

    def write(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Store the manifest in the table's file."""
        text = orjson.dumps(
            {
                "release": self.release,
                "imported_at": self.imported_at.isoformat(),
                "nodes": self.nodes,
                "links": self.links,
                "self_links": self.self_links,
                "salt": self.salt,
                "doubles": self.doubles,
                "sources": self.sources,
            }
        ).decode()
        conn.execute(
            "CREATE OR REPLACE TABLE manifest AS SELECT ?::INTEGER AS shape, ? AS content", [SHAPE, text]
        )


def read_manifest(conn: duckdb.DuckDBPyConnection, file: Path) -> Manifest:
    """The manifest of an open table. RanksError when it is not a table of ours."""
    try:
        row = conn.execute("SELECT shape, content FROM manifest").fetchone()
    except duckdb.CatalogException:
        row = None
    if row is None or row[0] != SHAPE:
        raise RanksError(str(file), "is not a table of link ranks of this version: import it again")
    found = orjson.loads(row[1])
    return Manifest(**{**found, "imported_at": datetime.fromisoformat(found["imported_at"])})


Positions = NDArray[np.uint32]


def link_ranks(
    harmonic: Positions, pagerank: Positions, nodes: int, domains: Positions | None = None
) -> NDArray[np.float64]:
    """The ranks of names from their positions by harmonic centrality and by PageRank among `nodes` names.

    Positions count from 1. The rank is the geometric mean of both on a logarithmic scale: the first of all has 100,
    the last 0, and every factor of the graph's size is worth the same. A name to which no domain links has 0
    (`domains` 0; None when that was not counted). Two decimals.

    >>> link_ranks(np.array([1000], np.uint32), np.array([1000], np.uint32), 121_000_000).tolist()
    [62.88]
    """
    if nodes <= 1:
        ratings: NDArray[np.float64] = np.full(len(harmonic), 100.0)
    else:
        mean = (np.log(harmonic, dtype=np.float64) + np.log(pagerank, dtype=np.float64)) / 2
        ratings = np.round(np.clip(100 * (1 - mean / np.log(nodes)), 0, 100), 2)
    if domains is not None:
        ratings[domains == 0] = 0.0
    return ratings


Places = NDArray[np.uint32]

log = logging.getLogger("afterdrop.ranks")

PROVIDER = "link_ranks"
TOP = 100
# A look-up of few names is for a survivor of the review or a check: it lists the referring domains too.
LISTED_MOST = 20
_MEMORY = "1GB"


class LinkRank(NamedTuple):
    """The graph's figures of one name. Positions count from 1.

    `domains` is None for a table without links. `top`, the best-ranked referring domains (at most 100), is also None
    when it was not asked for.
    """

    harmonic: int
    pagerank: int
    hosts: int
    rating: float
    domains: int | None = None
    top: tuple[str, ...] | None = None


class Joined(NamedTuple):
    """The figures of the names found, in columns.

    `linking` (numbers of referring domains) and `nodes` (vertices) are None for a table without links.
    """

    names: list[str]
    harmonic: Places
    pagerank: Places
    hosts: Places
    ratings: NDArray[np.float64]
    linking: Places | None
    nodes: Places | None


@dataclass(frozen=True, slots=True)
class Table:
    """One open table. Open it with `open_table` and close it after use."""

    file: Path
    conn: duckdb.DuckDBPyConnection
    manifest: Manifest

    def close(self) -> None:
        """Close the file."""
        self.conn.close()

    def read_through(self) -> None:
        """Read every value once, which takes seconds for 121 million names. RanksError when a block is damaged."""
        tables = ("ranks",) if self.manifest.links is None else ("ranks", "names", "links")
        with _readable(self.file), closing(self.conn.cursor()) as cursor:
            for table in tables:
                # DuckDB may take sums and extremes from a table's statistics; a hash needs the values.
                cursor.execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM {table}").fetchall()

    def join(self, domains: Sequence[str]) -> Joined:
        """The figures of many `domains` (registrable, lowercase A-labels), in columns rather than objects.

        RanksError where the file is damaged.
        """
        asked = keys_of(domains, self.manifest.salt)
        with _readable(self.file), closing(self.conn.cursor()) as cursor:
            if len(domains) == 1:
                rows = cursor.execute("SELECT 0 AS place, * FROM ranks WHERE key = ?", [int(asked[0])])
            else:
                cursor.register("asked", {"key": asked, "place": np.arange(len(asked), dtype=np.uint32)})
                rows = cursor.execute("SELECT place, ranks.* FROM asked JOIN ranks USING (key)")
            found = rows.fetchnumpy()
        linked = self.manifest.links is not None
        linking = found["domains"] if linked else None
        return Joined(
            [domains[place] for place in found["place"].tolist()],
            found["harmonic"],
            found["pagerank"],
            found["hosts"],
            link_ranks(found["harmonic"], found["pagerank"], self.manifest.nodes, linking),
            linking,
            found["node"] if linked else None,
        )

    def look_up(self, domains: Sequence[str], *, top: bool = False) -> dict[str, LinkRank]:
        """The figures of `domains` (as in `join`); names the graph lacks are absent."""
        if not domains:
            return {}
        found = self.join(domains)
        best: Iterable[tuple[str, ...] | None] = repeat(None)
        if top and found.nodes is not None:
            with _readable(self.file), closing(self.conn.cursor()) as cursor:
                best = [self._top(cursor, node) for node in found.nodes.tolist()]
        figures = zip(
            found.harmonic.tolist(),
            found.pagerank.tolist(),
            found.hosts.tolist(),
            found.ratings.tolist(),
            repeat(None) if found.linking is None else found.linking.tolist(),
            best,
            strict=False,
        )
        return dict(zip(found.names, map(LinkRank._make, figures), strict=True))

    def _top(self, cursor: duckdb.DuckDBPyConnection, node: int) -> tuple[str, ...]:
        found = cursor.execute("SELECT source FROM links WHERE node = ? ORDER BY source", [node]).fetchall()
        places = [source for (source,) in found]
        if not places:
            return ()
        # Names are stored by position, so a position is a row number: forty times as fast as a search.
        named = cursor.execute(
            "SELECT harmonic, name FROM names WHERE rowid IN (SELECT unnest(?::BIGINT[]))",
            [[place - 1 for place in places]],
        ).fetchall()
        names = dict(named)
        return tuple(name for place in places if (name := _shown_name(names[place])) is not None)


def _shown_name(name: str) -> str | None:
    """A name of the graph in its usual order; None when it is not a public host name (the file is text of others)."""
    try:
        return host_name(reverse(name))
    except BadName:
        return None


def open_table(file: Path) -> Table:
    """Open a table for reading. RanksError when it is damaged or of another version."""
    with _readable(file):
        conn = duckdb.connect(str(file), read_only=True, config={"memory_limit": _MEMORY})
        try:
            return Table(file, conn, read_manifest(conn, file))
        except BaseException:
            conn.close()
            raise


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Turn damage into RanksError. Blocks are checked as they are read, so that any query may find damage."""
    try:
        with interruptible():
            yield
    except duckdb.Error as error:
        raise RanksError(str(file), f"cannot be read ({str(error).partition(chr(10))[0]})") from None


@dataclass
class LinkRanks:
    """The table in use as a metric provider (`sources.metrics.lookup.LocalRanks`): free, asked first, without network.

    The next look-up after an import uses the new table. A table that cannot be read gives nothing and is logged.
    """

    table_dir: TableDir
    name: str = PROVIDER
    _table: Table | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def __aenter__(self) -> LinkRanks:
        return self

    async def __aexit__(self, *about: object) -> None:
        self.close()

    async def metrics_of(self, domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        """`link_rank` of each known name; with links also `referring_domains`, and the top ones for up to 20 names."""
        return await asyncio.to_thread(self._metrics_of, domains)

    def close(self) -> None:
        """Close the table."""
        with self._lock:
            if self._table is not None:
                self._table.close()
                self._table = None

    def current(self) -> Table | None:
        """The table in use, opened again when another came into use; None without one. RanksError when damaged."""
        file = self.table_dir.in_use()
        with self._lock:
            if self._table is not None and self._table.file != file:
                # Another thread may be in the middle of a look-up: the table is closed when its last user drops it.
                self._table = None
            if self._table is None and file is not None:
                self._table = open_table(file)
            return self._table

    def _metrics_of(self, domains: Sequence[str]) -> dict[str, list[Metric]]:
        try:
            table = self.current()
            if table is None:
                return {}
            few = len(domains) <= LISTED_MOST
            found = table.look_up(domains, top=few)
            metrics = as_metrics(found, table.manifest)
            if not few:
                return metrics
            releases = [(old.look_up(domains), old.manifest) for old in self._earlier()]
            for ranks, manifest in [(found, table.manifest), *releases]:
                for domain, rank in ranks.items():
                    metrics.setdefault(domain, []).append(place_of(rank, manifest))
        except RanksError as error:
            log.warning("link ranks: %s", error)
            return {}
        return metrics

    def _earlier(self) -> Iterator[Table]:
        """The tables that were in use before and are kept; one that cannot be read is left out."""
        for file in self.table_dir.tables()[1:]:
            try:
                table = open_table(file)
            except RanksError as error:
                log.warning("link ranks: %s", error)
                continue
            with closing(table):
                yield table


def as_metrics(found: Mapping[str, LinkRank], manifest: Manifest) -> dict[str, list[Metric]]:
    """Look-ups as metrics that name the release. They are dated like the graph, so that newer vendor values win."""
    credit, as_of = attribution(manifest.release), manifest.as_of

    def metric(role: Role, value: Value) -> Metric:
        return Metric(role, value, PROVIDER, as_of, attribution=credit)

    found_metrics: dict[str, list[Metric]] = {}
    for domain, rank in found.items():
        found_metrics[domain] = values = [metric(LINK_RANK, rank.rating)]
        if rank.domains is not None:
            values.append(metric(REFERRING_DOMAINS, rank.domains))
        if rank.top is not None:
            values.append(metric(TOP_REFERRING_DOMAINS, list(rank.top)))
    return found_metrics


def place_of(rank: LinkRank, manifest: Manifest) -> Metric:
    """Where a name stood in one release; each release is a provider of its own, so that earlier ones are kept."""
    place: dict[str, str | int | float | None] = {
        "release": manifest.release,
        "as_of": manifest.as_of.date().isoformat(),
        "harmonic": rank.harmonic,
        "pagerank": rank.pagerank,
        "referring_domains": rank.domains,
        "rank": rank.rating,
    }
    provider = f"{PROVIDER}:{manifest.release}"
    return Metric(LINK_PLACE, [place], provider, manifest.as_of, attribution=attribution(manifest.release))
