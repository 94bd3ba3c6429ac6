"""The tables of link ranks as `ranks`, `status` and `doctor` show them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.webgraph.manifest import Manifest
    from afterdrop.webgraph.table_dir import TableDir


def table_rows(table_dir: TableDir) -> Iterator[dict[str, Any]]:
    """The finished tables, the one in use first; `remark` describes a table or says why it cannot be opened."""
    files = list(table_dir.tables())
    if not files:
        return  # without a table there is no need to load what reads one
    from contextlib import closing

    from afterdrop.webgraph.errors import RanksError
    from afterdrop.webgraph.release import attribution
    from afterdrop.webgraph.table import open_table

    for place, file in enumerate(files):
        row: dict[str, Any] = {"file": str(file), "in_use": place == 0, "bytes": file.stat().st_size}
        try:
            with closing(open_table(file)) as table:
                of, remark = table.manifest, table_sentence(table.manifest)
            row |= {**asdict(of), "attribution": attribution(of.release), "remark": remark}
        except RanksError as error:
            row["remark"] = error.message
        yield row


def used_table(settings: Settings) -> dict[str, Any] | None:
    """The table that look-ups read; None without one. If it is not `readable`, `remark` says why."""
    from afterdrop.webgraph.table_dir import open_table_dir

    row = next(table_rows(open_table_dir(settings)), None)
    if row is None:
        return None
    told_of = {name: row.get(name) for name in ("file", "release", "imported_at", "remark")}
    return {**told_of, "readable": told_of["release"] is not None}


def unfinished_rows(table_dir: TableDir) -> Iterator[dict[str, Any]]:
    """The files that unfinished imports and downloads left behind."""
    for left in table_dir.unfinished():
        yield {"file": str(left), "in_use": False, "bytes": None, "remark": "an unfinished import"}
    for left in table_dir.downloads():
        size = left.stat().st_size
        yield {"file": str(left), "in_use": False, "bytes": size, "remark": "downloaded, not imported yet"}


def credit_line(release: str) -> str:
    """The credit line that must stand wherever the graph's values are shown."""
    from afterdrop.webgraph.release import attribution

    owed = attribution(release)
    return f"{owed['text']}, {owed['url']}"


def table_sentence(manifest: Manifest) -> str:
    """One sentence that describes a table."""
    links = "ranks only" if manifest.links is None else f"{manifest.links:,} links"
    return (
        f"{manifest.release}: {manifest.nodes:,} domains, {links}, "
        f"imported {manifest.imported_at:%Y-%m-%d %H:%M} UTC"
    )
