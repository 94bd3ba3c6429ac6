"""`afterdrop status` and `pace`: scans, sources, queues, workers, jobs, failures, and the pace of other hosts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import instant

if TYPE_CHECKING:
    from afterdrop.cli.ranks import UsedTable
    from afterdrop.http.circuit_breaker import Outage
    from afterdrop.http.pace import KeptPace
    from afterdrop.worker.alarms import Alarm
    from afterdrop.worker.health_shapes import Health


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
    from afterdrop.cli.ranks import used_table
    from afterdrop.sources.metrics.provider_files import load_providers
    from afterdrop.worker.alarms import alarms
    from afterdrop.worker.observation import Deployment, observe

    settings = load_settings()
    providers = tuple(load_providers(settings, os.environ))
    async with open_existing(settings) as database:
        box = open_secret_box(settings)  # only now, as it makes keys where there are none
        seen = await observe(Deployment(settings, database, providers, clock.now, secret_box=box))
    found = alarms(seen, settings)
    show_status(seen.health, found, await asyncio.to_thread(used_table, settings), json=json)
    return found


def show_status(health: Health, found: Sequence[Alarm], ranks: UsedTable | None, *, json: bool) -> None:
    """Print what is wrong, the deployment's health, and the table of link ranks in use."""
    if json:
        alarms = [{"alarm": alarm.key, "text": alarm.text} for alarm in found]
        console.json_line({**health, "alarms": alarms, "link_ranks": ranks})
        return
    for alarm in found:
        console.line(f"ALARM {alarm.text}")
    if "scans" not in health:
        return
    _scans_and_queues(health)
    console.table(
        ("archive", "asked today", "allowed a day"),
        [(row["host"], f"{row['asked_today']:,}", f"{row['allowed_a_day']:,}") for row in health["archives"]],
        title="Archives (requests on this UTC day)",
    )
    _workers_and_jobs(health)
    table = ranks
    if table is None:
        console.line("link ranks: none")
    elif table["readable"]:
        console.line(f"link ranks: {table['remark']}")
    else:
        console.line(f"LINK RANKS {table['file']}: {table['remark']}")
    _troubles(health)


def _scans_and_queues(health: Health) -> None:
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


def _workers_and_jobs(health: Health) -> None:
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


def _troubles(health: Health) -> None:
    for failure in health["failures"]:
        times = f" ({failure['times']} times)" if failure["times"] > 1 else ""
        console.line(
            f"FAILED {failure['what']} {failure['subject']} at {_time(failure['at'])}{times}: {failure['error']}"
        )
    for registry in health["withheld_registries"]:
        console.line(
            f"WITHHELD {registry['host']} at {_time(registry['pass_at'])}: {registry['turned_free']} of"
            f" {registry['asked']} names became available at once; none was announced"
        )
    for endpoint in health["failing_endpoints"]:
        console.line(
            f"FAILING endpoint {endpoint['endpoint']}: {endpoint['failed']} deliveries failed in the last hour,"
            f" {endpoint['retrying']} are tried again"
        )
    for name, note in health["given_up"].items():
        console.line(f"GIVEN UP provider {name}: {note}")
    for host, note in health["refusing_hosts"].items():
        console.line(f"REFUSED by {host}: {note}")
    for outage in health["outages"]:
        console.line(
            f"PAUSED {outage['host']}: it has not answered since {_time(outage['since'])} ({outage['note']}); next try"
            f" at {_time(outage['next_try_at'])}"
        )
    for blocked in health["blocked_hosts"]:
        console.line(f"WAITING for {blocked['host']}: {blocked['note']}")


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


def _counts(counts: Mapping[str, object]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()) if isinstance(number, int))


pace_app = typer.Typer(no_args_is_help=True, help="The pace of other hosts: list, clear.")


@pace_app.command("list")
def list_hosts(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """List other hosts with the time of the next request, and any block or pause with its reason."""
    from afterdrop.http import pace
    from afterdrop.http.circuit_breaker import outages

    async def read() -> tuple[Sequence[KeptPace], Sequence[Outage]]:
        async with open_existing(load_settings()) as database, database.read() as conn:
            return await pace.host_states(conn), await outages(conn)

    hosts, away = asyncio.run(read())
    paused = {outage.host: outage for outage in away}
    rows = [_shown(row, paused.get(row.host), clock.epoch()) for row in hosts]
    console.print_rows(("host", "state", "next request", "blocked until", "why"), rows, json)


def _shown(row: KeptPace, outage: Outage | None, now: float) -> dict[str, str | None]:
    from afterdrop.http.pace import LONGEST_BLOCK

    until = row.blocked_until
    note = row.note if until > now else row.refusal or row.note
    if outage is not None:
        until = max(until, outage.next_try_at)
        note = f"has not answered since {_moment(outage.since)} ({outage.note})"
    if max(row.next_at, until) > now + LONGEST_BLOCK:
        state = "a wrong clock wrote it; ignored"
    elif outage is not None:
        state = "paused" if outage.next_try_at > now else "tried again"
    else:
        state = "blocked" if until > now else "free"
    return {
        "host": row.host,
        "state": state,
        "next_at": _moment(row.next_at),
        "blocked_until": _moment(until),
        "note": note,
    }


def _moment(epoch: float) -> str | None:
    return instant(datetime.fromtimestamp(epoch, UTC)) if epoch else None


@pace_app.command()
def clear(
    host: Annotated[str, typer.Argument(help="As `pace list` shows it, such as web.archive.org/cdx.")],
) -> None:
    """Clear a host's pause and retry it now."""
    from afterdrop.http import pace
    from afterdrop.http.circuit_breaker import end_outage

    async def forget() -> bool:
        async with open_existing(load_settings()) as database, database.write() as conn:
            ended = await end_outage(conn, host)
            return await pace.unblock(conn, host) or ended

    if not asyncio.run(forget()):
        raise AfterdropError(host, "is not a known host; `afterdrop pace list` shows them")
    console.line(f"the pause of {host} has been cleared")
