"""The manifest of a table of link ranks: its release, its size, and the files it was made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import duckdb
import orjson

from afterdrop.webgraph.errors import RanksError
from afterdrop.webgraph.release import window_end

# A table of another version is not read: it must be imported again.
SHAPE = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a table was made from. `links` is None for a table of ranks alone; `salt` is hashed before each name.

    `sources` are the sizes of the imported files in bytes, by name. `links` does not count the `self_links`.
    """

    release: str
    imported_at: datetime
    nodes: int
    links: int | None = None
    self_links: int = 0
    salt: str = ""
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
