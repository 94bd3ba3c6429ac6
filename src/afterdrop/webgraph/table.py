"""Reading the table in use: link ranks of single names or of many at once, never on the event loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from afterdrop.core.domain_names import host_name
from afterdrop.core.errors import BadName
from afterdrop.metrics.model import LINK_RANK, REFERRING_DOMAINS, TOP_REFERRING_DOMAINS, Metric, Role, Value
from afterdrop.webgraph.errors import RanksError, interruptible
from afterdrop.webgraph.file_format import keys_of, reverse
from afterdrop.webgraph.formula import link_ranks
from afterdrop.webgraph.manifest import Manifest, read_manifest
from afterdrop.webgraph.release import attribution
from afterdrop.webgraph.table_dir import TableDir

Places = NDArray[np.uint32]

log = logging.getLogger("afterdrop.ranks")

PROVIDER = "link_ranks"
TOP = 100
# A look-up of few names is for a survivor of the review or a check: it lists the referring domains too.
LISTED_MOST = 20
_MEMORY = "1GB"


class LinkRank(NamedTuple):
    """What the graph knows of one name. Positions count from 1.

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
    """What is known of the names found, in columns.

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
        """What is known of many `domains` (registrable, lowercase A-labels), in columns rather than objects.

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
        """What is known of `domains` (as in `join`); names the graph lacks are absent."""
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
    """The table in use as a metric provider (`metrics.lookup.LocalRanks`): free, asked first, without network.

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
            found = table.look_up(domains, top=len(domains) <= LISTED_MOST)
        except RanksError as error:
            log.warning("link ranks: %s", error)
            return {}
        return as_metrics(found, table.manifest)


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
