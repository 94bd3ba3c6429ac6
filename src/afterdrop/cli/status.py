"""`afterdrop status`: scans, sources, queues, workers, jobs and failures of this deployment."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock

if TYPE_CHECKING:
    from afterdrop.worker.alarms import Alarm


def status(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with code 1 if something is wrong; for cron and monitoring.")
    ] = False,
) -> None:
    """Show what is wrong, then scans, source health, queues with their ages, workers, last runs and failures."""
    found = asyncio.run(_status(json))
    if check and found:
        raise typer.Exit(1)


async def _status(json: bool) -> list[Alarm]:
    from afterdrop.accounts.secret_box import open_secret_box
    from afterdrop.cli.ranks_view import used_table
    from afterdrop.metrics.provider_files import load_providers
    from afterdrop.worker.alarms import alarms
    from afterdrop.worker.observation import Deployment, observe

    settings = load_settings()
    box = open_secret_box(settings)
    providers = tuple(load_providers(settings, os.environ))
    async with open_existing(settings) as database:
        seen = await observe(Deployment(settings, database, providers, clock.now, secret_box=box))
    found = alarms(seen, settings)
    shown = {**seen.health, "alarms": [{"alarm": each.key, "text": each.text} for each in found]}
    show_status({**shown, "link_ranks": await asyncio.to_thread(used_table, settings)}, json=json)
    return found


def show_status(health: dict[str, Any], *, json: bool) -> None:
    """Print what `worker.health` found, and under `link_ranks` the table of link ranks in use."""
    if json:
        console.json_line(health)
        return
    for alarm in health["alarms"]:
        console.line(f"ALARM {alarm['text']}")
    if "scans" not in health:
        return
    _scans_and_queues(health)
    _workers_and_jobs(health)
    _link_ranks(health["link_ranks"])
    _troubles(health)


def _scans_and_queues(health: dict[str, Any]) -> None:
    console.table(
        ("scan", "day", "started", "finished", "names", "passed", "became"),
        [
            (row["id"], row["day"], _time(row["started_at"]), _time(row["finished_at"]) or "under way", row["scanned"],
             row["passed_authority_filter"], _counts(row["counts"]))
            for row in health["scans"]
        ],
        title="Scans",
    )  # fmt: skip
    console.table(
        ("feed", "source", "last run", "names", "last good", "remark"),
        [
            (
                row["feed"],
                row["source"],
                row["state"],
                row["good"],
                _time(row["last_good"]) or "never",
                row["error"] or "",
            )
            for row in health["sources"]
        ],
        title="Sources",
    )
    console.table(
        ("queue", "waiting", "in progress", "due", "oldest"),
        [
            (row["queue"], row["waiting"], row["in_hand"], row["due"], _age(row["oldest_seconds"]))
            for row in health["queues"]
        ],
        title="Queues",
    )


def _workers_and_jobs(health: dict[str, Any]) -> None:
    console.table(
        ("worker", "state", "heartbeat"),
        [(row["id"], row["state"], _time(row["heartbeat_at"])) for row in health["workers"]],
        title="Workers",
    )
    console.table(
        ("job", "last due", "finished", "result"),
        [
            (
                row["job"],
                _time(row["moment"]),
                _time(row["finished_at"]) or "running",
                row["error"] or row["result"] or "",
            )
            for row in health["jobs"]
        ],
        title="Jobs",
    )


def _link_ranks(table: dict[str, Any] | None) -> None:
    if table is None:
        console.line("link ranks: none")
    elif table["readable"]:
        console.line(f"link ranks: {table['remark']}")
    else:
        console.line(f"LINK RANKS {table['file']}: {table['remark']}")


def _troubles(health: dict[str, Any]) -> None:
    for row in health["failures"]:
        console.line(f"FAILED {row['what']} {row['subject']} at {_time(row['at'])}: {row['error']}")
    for row in health["withheld_registries"]:
        console.line(
            f"WITHHELD {row['host']} at {_time(row['pass_at'])}: {row['turned_free']} of {row['asked']} names became"
            " available at once; none was announced"
        )
    for row in health["blocked_hosts"]:
        console.line(f"WAITING for {row['host']}: {row['note']}")


def _time(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}Z"


def _age(seconds: int | None) -> str:
    if seconds is None:
        return ""
    return (
        f"{seconds} s"
        if seconds < 120
        else f"{seconds // 60} min"
        if seconds < 7200
        else f"{seconds // 3600} h"
    )


def _counts(counts: dict[str, Any]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()) if isinstance(number, int))
