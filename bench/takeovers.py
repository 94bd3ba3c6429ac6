"""What became of names, as labels for those who change the rules: every visit of a deployment.

python -m bench.takeovers [--labelled] [--out FILE]

The deployment is the one of AFTERDROP_SETTINGS, else of ./afterdrop.toml.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, TextIO

import orjson
import typer
from bench.commands import run

from afterdrop.catalogue import visits
from afterdrop.catalogue.visits import VisitRow
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.cli.console import line
from afterdrop.core.json_shapes import instant
from afterdrop.core.settings import Settings
from afterdrop.sources.live.warc_record import evidence_dir, record_path


def export(
    out: Annotated[Path | None, typer.Option(help="The file to write; by default standard output.")] = None,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="Only visits that a person called right or wrong.")
    ] = False,
) -> None:
    """Write every visit as a JSON line: the page, our verdict, what a person says of it, and its WARC file."""
    settings = load_settings()

    async def write(file: TextIO) -> int:
        count = 0
        async for row in _rows(settings):
            if row["label"] is not None or not labelled:
                file.write(exported(row, settings) + "\n")
                count += 1
        return count

    if out is None:
        asyncio.run(write(sys.stdout))
        return
    with out.open("w", encoding="utf-8") as file:
        count = asyncio.run(write(file))
    line(f"{count:,} visit{'' if count == 1 else 's'} written to {out}.")


async def _rows(settings: Settings) -> AsyncIterator[VisitRow]:
    async with open_existing(settings) as database, database.read() as conn:
        async for row in visits.every(conn):
            yield row


def exported(row: VisitRow, settings: Settings) -> str:
    """A visit as a JSON object; `evidence` is the path of the page's WARC file, null where none is kept."""
    path = record_path(evidence_dir(settings), row["evidence"]) if row["evidence"] else None
    plain = ("domain", "day", "registrar", "ours", "url", "kind", "category", "title", "quotes", "price")
    members = {
        **{name: row[name] for name in plain},  # type: ignore[literal-required]
        **{name: row[name] for name in ("leads_to", "note", "label")},
        "visited_at": instant(row["visited_at"]),
        "registered_at": instant(row["registered_at"]),
        "dropped_at": instant(row["dropped_at"]),
        "evidence": str(path) if path and path.exists() else None,
    }
    return orjson.dumps(members).decode()


if __name__ == "__main__":
    run(export)
