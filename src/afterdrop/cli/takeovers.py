"""`afterdrop takeovers …`: counts of names that somebody else took over."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.cli.console import line, print_rows

takeovers_app = typer.Typer(no_args_is_help=True, help="Names that somebody else took over: counts.")


@takeovers_app.command("counts")
def counts(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Count visited names by our verdict and by the content at the last visit."""
    from afterdrop.catalogue import visits

    async def read() -> list[dict[str, object]]:
        async with open_existing(load_settings()) as database, database.read() as conn:
            totals = await visits.counts(conn)
        return [
            {"ours": ours or "never_scanned", "kind": kind, "names": count} for ours, kind, count in totals
        ]

    rows = asyncio.run(read())
    if rows or as_json:
        print_rows(["our verdict", "what stands there", "names"], rows, as_json)
    else:
        line("No name has been visited yet.")
