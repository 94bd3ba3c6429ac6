"""Small graphs in the three files of the open graph, whole or damaged in one place, and the expected results."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import duckdb

from afterdrop.sources.webgraph.file_format import HEADER, reverse
from afterdrop.sources.webgraph.graph_files import GraphFiles
from afterdrop.sources.webgraph.importer import import_graph
from afterdrop.sources.webgraph.table import Manifest
from afterdrop.sources.webgraph.table_dir import TableDir

RELEASE = "cc-main-2026-apr-may-jun"
NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)
MEMORY = 300_000_000


@dataclass
class Graph:
    """`names` forward in rank order; `links` between places in that order."""

    names: list[str]
    links: set[tuple[int, int]]

    def ranks(self) -> list[str]:
        """The lines below the header. PageRank's order is the harmonic one with neighbours swapped."""
        n = len(self.names)
        swapped = [place ^ 1 if (place ^ 1) < n else place for place in range(n)]
        return [
            f"{place + 1}\t{2.9799486 - place / n}E7\t{swapped[place] + 1}\t1.23E-{place % 5 + 1}\t{reverse(name)}\t1"
            for place, name in enumerate(self.names)
        ]

    def order(self) -> list[int]:
        """Places in rank order by vertex."""
        return sorted(range(len(self.names)), key=lambda place: reverse(self.names[place]))

    def vertices(self) -> list[str]:
        """The vertices' lines."""
        return [f"{node}\t{reverse(self.names[place])}\t1" for node, place in enumerate(self.order())]

    def edges(self) -> list[str]:
        """The edges' lines."""
        node = {place: node for node, place in enumerate(self.order())}
        return [f"{a}\t{b}" for a, b in sorted((node[a], node[b]) for a, b in self.links)]

    def linking(self, place: int) -> list[str]:
        """The names that link to a name, best-ranked first."""
        return [self.names[a] for a in sorted(a for a, b in self.links if b == place and a != place)]


def make(names: int = 200, links: int = 2000, seed: int = 1) -> Graph:
    """A graph in which few names have many links; the last names have none."""
    rng = random.Random(seed)
    made = [
        f"{'nabcdefg'[number % 8]}{number:04}.{('com', 'org', 'co.uk', 'xn--p1ai')[number % 4]}"
        for number in range(names)
    ]
    rng.shuffle(made)
    pairs = {(rng.randrange(names), int((names - 20) * rng.random() ** 3)) for _ in range(links)}
    return Graph(made, {(a, b) for a, b in pairs if a != b})


def write(folder: Path, part: str, lines: Iterable[str], *, header: bytes = HEADER, end: str = "\n") -> Path:
    """One file under its published name; only ranks have a header."""
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    text += end.encode() if text else b""
    file = folder / f"{RELEASE}-domain-{part}.txt.gz"
    file.write_bytes(gzip.compress((header + b"\n" if part == "ranks" else b"") + text, mtime=0))
    return file


def written(folder: Path, graph: Graph, *, links: bool = True) -> GraphFiles:
    """All files of a graph."""
    folder.mkdir(parents=True, exist_ok=True)
    ranks = write(folder, "ranks", graph.ranks())
    if not links:
        return GraphFiles(ranks)
    return GraphFiles(
        ranks, write(folder, "vertices", graph.vertices()), write(folder, "edges", graph.edges())
    )


def import_into(
    table_dir: TableDir,
    sources: GraphFiles,
    now: datetime = NOW,
    release: str = RELEASE,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Manifest:
    """Import as the command does."""
    return import_graph(table_dir, release, sources, now, memory=MEMORY, progress=progress)


def damaged(file: Path) -> Iterator[Literal["nowhere", "at once", "later"]]:
    """A table with each of its blocks damaged in turn; yields where plain DuckDB notices the damage."""
    whole = file.read_bytes()
    for at in range(12288 + 5000, len(whole), 262144):  # blocks come after three headers
        file.write_bytes(whole[:at] + bytes(byte ^ 0xFF for byte in whole[at : at + 64]) + whole[at + 64 :])
        met: Literal["nowhere", "at once", "later"] = "at once"
        with suppress(duckdb.Error), duckdb.connect(str(file), read_only=True) as conn:
            conn.execute("SELECT * FROM manifest").fetchall()
            met = "later"
            for table in ("ranks", "names", "links"):
                with suppress(duckdb.CatalogException):
                    conn.execute(f"SELECT * FROM {table}").fetchnumpy()
            met = "nowhere"
        yield met
    file.write_bytes(whole)


def damage(file: Path, where: Literal["at once", "later"]) -> None:
    """Damage a block of a table that is read on opening it, or only by look-ups."""
    assert where in damaged(file)  # what stops looking leaves the file as it is then
