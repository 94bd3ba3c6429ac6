"""Generate a web graph of domains of any size as the open graph's three files, with its exact counts.

    .venv/bin/python bench/graph.py --nodes 10000000 --out /tmp/graph [--links 165000000]

Writes NAME-domain-ranks.txt.gz and, with links, NAME-domain-vertices.txt.gz, NAME-domain-edges.txt.gz and
in-degrees.npy (the exact number of referring domains by vertex). Like the real graph: reversed names in byte order,
Java's number notation, few targets with very many links (Zipf), about two thirds of the names linking nowhere,
PageRank's order close to the harmonic one. Unlike it: the ranks are invented, not computed from the links.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import numpy as np

RELEASE = "cc-main-2026-apr-may-jun"
HEADER = b"#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts\n"
SOURCES_AT_ONCE = 1_000_000
LINKING = 0.37
_SYLLABLES = "ba ko mi ra te sho zu lo ver da go ni ple sun we qu ot hi ne cra".split()  # noqa: SIM905  # one line
_ENDS = "com com com com com com com com com net org de uk.co ru info fr nl br.com jp it".split()  # noqa: SIM905  # one line


def names(conn: duckdb.DuckDBPyConnection, nodes: int) -> None:
    """Make the table `nodes`: id (place among the names in byte order), name, and both rank positions."""
    parts = " || ".join(
        f"syllables[1 + (hash({salt}, i) % {len(_SYLLABLES)})::BIGINT]" for salt in range(1, 4)
    )
    conn.execute(
        f"""CREATE TABLE named AS
        SELECT ends[1 + (hash(0, i) % {len(_ENDS)})::BIGINT] || '.' || {parts} || lpad(lower(to_base(i, 36)), 6, '0')
            AS name
        FROM range(?) made(i), (SELECT ?::VARCHAR[] AS syllables, ?::VARCHAR[] AS ends)""",
        [nodes, _SYLLABLES, _ENDS],
    )
    conn.execute("""CREATE TABLE placed AS
        SELECT id, name, (row_number() OVER (ORDER BY hash(8, id), id))::UINTEGER AS harmonic
        FROM (SELECT (row_number() OVER (ORDER BY name) - 1)::UINTEGER AS id, name FROM named)""")
    conn.execute("DROP TABLE named")
    conn.execute("""CREATE TABLE nodes AS
        SELECT *, (row_number() OVER (ORDER BY harmonic * (0.5 + (hash(9, id) % 1000) / 1000.0), id))::UINTEGER
            AS pagerank
        FROM placed""")
    conn.execute("DROP TABLE placed")


def java(value: str) -> str:
    """SQL for a number as Java prints it: with an exponent below 0.001 and from ten million on."""
    return (
        f"CASE WHEN {value} >= 1e-3 AND {value} < 1e7 THEN {value}::DOUBLE::VARCHAR "
        f"ELSE replace(replace(format('{{:.7E}}', {value}::DOUBLE), 'E+0', 'E'), 'E-0', 'E-') END"
    )


def copy(conn: duckdb.DuckDBPyConnection, query: str, out: BinaryIO) -> None:
    """Append a query's rows to a file, tab-separated, as a gzip member (DuckDB's own gzip takes four times as long)."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "rows.txt"
        conn.execute(
            f"COPY ({query}) TO '{plain}' (FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '')"
        )
        packed = gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1, mtime=0)
        with plain.open("rb") as rows, packed:
            shutil.copyfileobj(rows, packed, 1 << 20)


def ranks(conn: duckdb.DuckDBPyConnection, nodes: int, file: Path) -> None:
    """The ranks file: a gzip member with the header, then one with the rows."""
    query = (
        f"SELECT harmonic, {java(f'(2.9799486e7 / (1 + 3.0 * harmonic / {nodes}))')}, pagerank, "
        f"{java('(0.0123 / pagerank)')}, name, 1 + hash(7, id) % 9 FROM nodes ORDER BY harmonic"
    )
    with file.open("wb") as out:
        out.write(gzip.compress(HEADER, mtime=0))
        copy(conn, query, out)


def column(conn: duckdb.DuckDBPyConnection, query: str) -> Any:
    """One column as an array."""
    return next(iter(conn.execute(query).fetchnumpy().values()))


def edges(conn: duckdb.DuckDBPyConnection, nodes: int, links: int, out: Path) -> int:
    """Write the edges file and in-degrees.npy; returns the number of links without duplicates."""
    rng = np.random.default_rng(11)
    by_rank = column(conn, "SELECT id FROM nodes ORDER BY harmonic")
    degrees = np.zeros(nodes, np.uint32)
    mean = links / (nodes * LINKING) * 1.06
    total, file = 0, out / f"{RELEASE}-domain-edges.txt.gz"
    with file.open("wb") as stream:
        for start in range(0, nodes, SOURCES_AT_ONCE):
            sources = np.arange(start, min(start + SOURCES_AT_ONCE, nodes), dtype=np.uint64)
            sources = sources[rng.random(len(sources)) < LINKING]
            fan = np.minimum(rng.pareto(1.5, len(sources)) * mean / 2, 50_000).astype(np.int64) + 1
            origin = np.repeat(sources, fan)
            # Half by Zipf's law over the ranks, half anywhere: few names have very many links, most have some.
            zipf = np.minimum(np.power(float(nodes), rng.random(len(origin))).astype(np.int64) - 1, nodes - 1)
            place = np.where(rng.random(len(origin)) < 0.6, zipf, rng.integers(0, nodes, len(origin)))
            pairs = np.unique(origin << np.uint64(32) | by_rank[place].astype(np.uint64))
            pairs = pairs[(pairs >> np.uint64(32)) != (pairs & np.uint64(0xFFFFFFFF))]
            target = (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32)
            np.add(degrees, np.bincount(target, minlength=nodes).astype(np.uint32), out=degrees)
            chunk = {"source": (pairs >> np.uint64(32)).astype(np.uint32), "target": target}
            conn.register("chunk", chunk)
            copy(conn, "SELECT source, target FROM chunk", stream)
            conn.unregister("chunk")
            total += len(pairs)
    np.save(out / "in-degrees.npy", degrees)
    return total


def main() -> None:
    """Generate and print what was generated."""
    asked = argparse.ArgumentParser(description="Generate a web graph in the open graph's file formats.")
    asked.add_argument("--nodes", type=int, default=1_000_000)
    asked.add_argument("--links", type=int, default=0)
    asked.add_argument("--out", type=Path, required=True)
    options = asked.parse_args()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    scratch = out / "scratch.duckdb"
    scratch.unlink(missing_ok=True)
    with duckdb.connect(str(scratch), config={"memory_limit": "3GB"}) as conn:
        names(conn, options.nodes)
        ranks(conn, options.nodes, out / f"{RELEASE}-domain-ranks.txt.gz")
        if options.links:
            rows = "SELECT id, name, 1 + hash(7, id) % 9 FROM nodes ORDER BY id"
            with (out / f"{RELEASE}-domain-vertices.txt.gz").open("wb") as file:
                copy(conn, rows, file)
            print(f"{edges(conn, options.nodes, options.links, out):,} links")
    scratch.unlink()
    for made in sorted(out.glob("*.gz")):
        print(f"{made.name}: {made.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
