"""`afterdrop check DOMAIN`: order a domain check, follow it to its end, and print what it found."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from afterdrop.accounts.account import Account
    from afterdrop.checks.order import CheckOrder
    from afterdrop.checks.store import CheckRow
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database

# Workers write a heartbeat every ten seconds; one that missed two of them counts as dead.
ALIVE = timedelta(seconds=30)
LOOK_SECONDS = 0.5
_UNKNOWN = "–"
Report = Callable[[str], None]


def check(
    domain: Annotated[str, typer.Argument(help="Any domain; a URL or subdomain is reduced to it.")] = "",
    *,
    file: Annotated[
        Path | None,
        typer.Option(
            help="A file with up to 100 names, one per line; - for standard input.", allow_dash=True
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --file: do not ask before spending credits.")
    ] = False,
    account: Annotated[
        str,
        typer.Option(help="The account that orders it; by default the only account, or the only operator's."),
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, as the API shows a check.")
    ] = False,
) -> None:
    """Check any domain: history, metrics, registry, score. Costs one of the account's check credits.

    A check made within the last 7 days is shown again for free. A running worker does the work; if none is running,
    this command does it. Exits with code 1 if the check failed (its credit is returned).

    With --file, many names are checked in one order. Names on the lists are free, and the cost of the others is
    named before it is spent.
    """
    from afterdrop.core.domain_names import domain_of_url

    if (file is None) == (not domain):
        raise typer.BadParameter("Give either a domain or --file.")
    settings = load_settings()
    if file is not None:
        from afterdrop.cli.check_batch import check_file

        raise typer.Exit(check_file(settings, file, account, yes=yes, as_json=as_json))
    detail = asyncio.run(run_check(settings, domain_of_url(domain, settings.scan.sale_zones), account))
    if as_json:
        console.json_line(detail)
    else:
        show_check(detail)
    if detail["status"] == "failed":
        raise typer.Exit(1)


async def run_check(settings: Settings, domain: str, email: str) -> dict[str, Any]:
    """Order a check and wait for its end; returns its detail as the API shows it."""
    from afterdrop.accounts.members import acting_account
    from afterdrop.checks.order import check_detail
    from afterdrop.web.responses import json_bytes

    async with open_existing(settings) as database:
        async with database.write() as conn:
            payer = await acting_account(conn, email)
            ordered = await _order(conn, settings, payer, domain)
        _note_cost(ordered, payer)
        with told_progress(domain) as tell:
            row = await _wait_for_result(settings, database, payer.id, ordered.check["id"], tell)
    detail: dict[str, Any] = orjson.loads(json_bytes(check_detail(row, settings.site_url)))
    if row["status"] == "failed":
        console.note(f"the check failed, and its credit has been returned: {row['error']}")
    return detail


async def _order(conn: AsyncConnection, settings: Settings, payer: Account, domain: str) -> CheckOrder:
    from afterdrop.checks.order import NoChecksLeft, order_check

    now = clock.now()
    allowance = settings.plan(payer.plan(now)).checks_per_month
    try:
        return await order_check(conn, payer.id, domain, allowance=allowance, now=now)
    except NoChecksLeft as error:
        more = f"{error.message}; `afterdrop account credits {payer.email} NUMBER` adds some"
        raise AfterdropError(payer.email, more) from None


def _note_cost(ordered: CheckOrder, payer: Account) -> None:
    check = ordered.check
    if ordered.queue_position is None:
        when = f"{check['created_at']:%Y-%m-%d %H:%M}Z"
        console.note(f"{check['domain']} was ordered by {payer.email} at {when}: no credit used")
    else:
        console.note(f"{check['id']} ordered by {payer.email} for one credit")


async def _wait_for_result(
    settings: Settings, database: Database, account_id: int, check_id: str, tell: Report
) -> CheckRow:
    """Wait until a check is done or failed; process it here when no worker is running."""
    from afterdrop.checks import store

    stop = asyncio.Event()
    here: asyncio.Task[None] | None = None
    try:
        while True:
            async with database.read() as conn:
                row = await store.check_row(conn, account_id, check_id)
                if row is None:
                    raise AfterdropError(check_id, "no longer exists: its account was deleted")
                if row["status"] in ("done", "failed"):
                    return row
                place = await store.queue_position(conn, check_id)
                waited_for = await store.anyone_working(conn, clock.now() - ALIVE)
            if here is None and not waited_for:
                here = asyncio.create_task(work_here(settings, database, [check_id], stop))
            elif here is not None and here.done():
                here.result()
            tell(_status_text(row, place, here is not None))
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        stop.set()
        if here is not None:
            await here


def _status_text(row: CheckRow, place: int, here: bool) -> str:
    if row["status"] == "running":
        return f"running: {row['progress'] or 'starting'}"
    again = f"; tried {row['attempts']} times, last: {row['error']}" if row["error"] else ""
    who = "no worker is running, so it runs here" if here else "waiting for a worker"
    return f"queued, place {place}: {who}{again}"


async def work_here(
    settings: Settings, database: Database, check_ids: Sequence[str], stop: asyncio.Event
) -> None:
    """Process these checks as a worker would; other checks stay in the queue."""
    from afterdrop.checks import store
    from afterdrop.checks.worker import check_queue
    from afterdrop.queue.loop import QueueRunner
    from afterdrop.queue.worker import worker_name
    from afterdrop.worker.context import open_context

    name = worker_name(socket.gethostname(), os.getpid(), secrets.token_hex(3))
    async with open_context(settings, database, worker=name) as context:
        everyones = check_queue(context)

        async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[CheckRow]:
            # Claims nothing, but returns what dead workers held to the queue.
            await everyones.claim(conn, now, 0)
            return await store.claim(conn, context.worker, now, context.lease, limit, only=check_ids)

        line = QueueRunner(replace(everyones, claim=claim), database, context.now, stop, asyncio.Event())
        await line.run()


@contextmanager
def told_progress(domain: str) -> Iterator[Report]:
    """Show the check's progress: a status line on a terminal, and a line for every change elsewhere."""
    if sys.stderr.isatty():
        from rich.text import Text

        began = clock.monotonic()
        with console.drawing(stderr=True).status(domain) as status:
            yield lambda text: status.update(
                Text(console.printable(f"{domain} {text} ({clock.monotonic() - began:.0f} s)"))
            )
        return
    said = ""

    def tell(text: str) -> None:
        nonlocal said
        if text != said:
            said = text
            console.note(f"{domain} {text}")

    yield tell


def show_check(detail: Mapping[str, Any]) -> None:
    """Print a check for a person: whether it would be listed, why not, its score, registration and report."""
    console.line(f"{detail['domain']}: {_outcome(detail)}")
    for reason in detail["reject_reasons"]:
        console.line(f"  - {reason}")
    report = detail["report"]
    if report is not None:
        _score(report)
        _registration(detail["registration"])
        _summary(report)
    console.line(f"Report: {detail['report_url']}")


def _outcome(detail: Mapping[str, Any]) -> str:
    if detail["status"] == "failed":
        return "the check failed, and its credit has been returned"
    listed = "would be listed" if detail["would_list"] else "would not be listed"
    if detail["score"] is None:
        return f"nothing could be found out, so it has no score; {listed}"
    stands = (detail["report"] or {}).get("standing")
    if stands == "rejected":
        return f"REJECTED for spam; {listed}"
    if stands == "unknown":
        return f"not enough data for a score (the known parts give {detail['score']}); {listed}"
    return f"score {detail['score']}, {detail['verdict']}; {listed}"


def _score(report: Mapping[str, Any]) -> None:
    parts = report["score_breakdown"]
    console.table(
        ("part", "fraction"),
        [(name, _UNKNOWN if value is None else f"{value:.2f}") for name, value in parts.items()],
        title="Score",
    )


def _registration(registration: Mapping[str, Any]) -> None:
    said = [f"Registry: {registration['state']}"]
    for name, word in (("registrar", "with"), ("registered_at", "since"), ("expires_at", "until")):
        if registration[name]:
            said.append(f"{word} {registration[name]}")
    if registration["statuses"]:
        said.append(f"({', '.join(registration['statuses'])})")
    console.line(" ".join(said))


def _summary(report: Mapping[str, Any]) -> None:
    metrics = report["metrics"]
    years = f"{metrics['archive_first_year'] or _UNKNOWN} to {metrics['archive_last_year'] or _UNKNOWN}"
    console.line(f"Title: {report['title'] or _UNKNOWN}")
    console.line(f"Language: {report['language'] or _UNKNOWN}, topic: {report['topic'] or _UNKNOWN}")
    console.line(f"Web archive: {_figure(metrics['archive_years'])} years with captures, {years}")
    names = ("domain_rating", "trust_flow", "citation_flow", "referring_domains", "backlinks")
    console.line(
        "Links: " + ", ".join(f"{name.replace('_', ' ')} {_figure(metrics[name])}" for name in names)
    )
    console.table(
        ("flag", "result", "severity", "note"),
        [
            (check["flag"], check["result"], check["severity"], check["note"])
            for check in report["risk_checks"]
        ],
        title="Risk checks",
    )
    console.line(f"Archived pages in the revival kit: {report['revival_kit']['pages']}")


def _figure(value: object) -> str:
    return _UNKNOWN if value is None else f"{value:,}"
