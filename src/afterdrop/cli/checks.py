"""`afterdrop check DOMAIN` and `check --file FILE`: order checks, follow them to their end, print their results."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection

    from afterdrop.accounts.account import Account
    from afterdrop.catalogue.shapes import CheckReport
    from afterdrop.checks.batch import BatchItem, CheckBatch
    from afterdrop.checks.order import CheckDetail, CheckOrder
    from afterdrop.checks.store import CheckRegistration, CheckRow
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database
    from afterdrop.db.leases import Claim

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
    from afterdrop.web.responses import json_bytes

    if (file is None) == (not domain):
        raise typer.BadParameter("Give either a domain or --file.")
    settings = load_settings()
    if file is not None:
        raise typer.Exit(check_file(settings, file, account, yes=yes, as_json=as_json))
    detail = asyncio.run(
        run_check(settings, domain_of_url(domain.strip(), settings.scan.sale_zones), account)
    )
    if as_json:
        console.json_line(orjson.loads(json_bytes(detail)))
    else:
        show_check(detail)
    if detail["status"] == "failed":
        raise typer.Exit(1)


async def run_check(settings: Settings, domain: str, email: str) -> CheckDetail:
    """Order a check and wait for its end; returns its detail."""
    from afterdrop.accounts.members import acting_account
    from afterdrop.checks.order import check_detail

    async with open_existing(settings) as database:
        async with database.write() as conn:
            payer = await acting_account(conn, email)
            ordered = await _order(conn, settings, payer, domain)
        check = ordered.check
        if ordered.queue_position is None:
            when = f"{check['created_at']:%Y-%m-%d %H:%M}Z"
            console.note(f"{check['domain']} was ordered by {payer.email} at {when}: no credit used")
        else:
            console.note(f"{check['id']} ordered by {payer.email} for one credit")
        with told_progress(domain) as tell:
            row = await _wait_for_result(settings, database, payer.id, ordered.check["id"], tell)
    if row["status"] == "failed":
        console.note(f"the check failed, and its credit has been returned: {row['error']}")
    return check_detail(row, settings.site_url)


async def _order(conn: AsyncConnection, settings: Settings, payer: Account, domain: str) -> CheckOrder:
    from afterdrop.checks.order import NoChecksLeft, order_check

    now = clock.now()
    allowance = settings.plan(payer.plan(now)).checks_per_month
    try:
        return await order_check(conn, payer.id, domain, allowance=allowance, now=now)
    except NoChecksLeft as error:
        more = f"{error.message}; `afterdrop account credits {payer.email} NUMBER` adds some"
        raise AfterdropError(payer.email, more) from None


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
    from afterdrop.worker_context import open_context

    name = worker_name(socket.gethostname(), os.getpid(), secrets.token_hex(3))
    async with open_context(settings, database, worker=name) as context:
        everyones = check_queue(context)

        async def claim(conn: AsyncConnection, claim: Claim) -> list[CheckRow]:
            # Claims nothing, but returns what dead workers held to the queue.
            await everyones.claim(conn, replace(claim, limit=0))
            return await store.claim(conn, claim, only=check_ids)

        await QueueRunner(replace(everyones, claim=claim), context, stop).run()


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


def show_check(detail: CheckDetail) -> None:
    """Print a check for a person: whether it would be listed, why not, its score, registration and report."""
    console.line(f"{detail['domain']}: {_outcome(detail)}")
    for reason in detail["reject_reasons"]:
        console.line(f"  - {reason}")
    report = detail["report"]
    if report is not None:
        if report["conclusion"] != "rejected":
            parts = report["score_breakdown"]
            console.table(
                ("part", "fraction"),
                [(name, _UNKNOWN if value is None else f"{value:.2f}") for name, value in parts.items()],
                title="Score",
            )
        if detail["registration"] is not None:
            _registration(detail["registration"])
        _summary(report)
    console.line(f"Report: {detail['report_url']}")


def _outcome(detail: CheckDetail) -> str:
    if detail["status"] == "failed":
        return "the check failed, and its credit has been returned"
    listed = "would be listed" if detail["would_list"] else "would not be listed"
    if detail["score"] is None:
        return f"nothing could be found out, so it has no score; {listed}"
    from afterdrop.scoring.conclusion import VERDICTS

    concluded = detail["report"]["conclusion"] if detail["report"] else "unknown"
    if concluded == "rejected":
        return "REJECTED for spam"
    word = VERDICTS[concluded].word.lower()
    if concluded == "unknown":
        return f"{word} for a score (the known parts give {detail['score']}); {listed}"
    return f"score {detail['score']}, {word}; {listed}"


def _registration(registration: CheckRegistration) -> None:
    said = [f"Registry: {registration['state']}"]
    for word, value in (
        ("with", registration["registrar"]),
        ("since", registration["registered_at"]),
        ("until", registration["expires_at"]),
    ):
        if value:
            said.append(f"{word} {value}")
    if registration["statuses"]:
        said.append(f"({', '.join(registration['statuses'])})")
    console.line(" ".join(said))


def _summary(report: CheckReport) -> None:
    from afterdrop.scoring.conclusion import level

    metrics = report["metrics"]
    years = f"{metrics['archive_first_year'] or _UNKNOWN} to {metrics['archive_last_year'] or _UNKNOWN}"
    console.line(f"Title: {report['title'] or _UNKNOWN}")
    console.line(f"Language: {report['language'] or _UNKNOWN}, topic: {report['topic'] or _UNKNOWN}")
    console.line(f"Web archive: {_figure(metrics['archive_years'])} years with captures, {years}")
    links = {
        "domain rating": metrics["domain_rating"],
        "trust flow": metrics["trust_flow"],
        "citation flow": metrics["citation_flow"],
        "referring domains": metrics["referring_domains"],
        "backlinks": metrics["backlinks"],
    }
    console.line("Links: " + ", ".join(f"{name} {_figure(value)}" for name, value in links.items()))
    console.table(
        ("flag", "result", "severity", "note"),
        [
            (check["flag"], check["result"], level(check["flag"], check["severity"]), check["note"])
            for check in report["risk_checks"]
        ],
        title="Risk checks",
    )
    console.line(f"Archived pages in the revival kit: {report['revival_kit']['pages']}")


def _figure(value: object) -> str:
    return _UNKNOWN if value is None else f"{value:,}"


def check_file(settings: Settings, file: Path, email: str, *, yes: bool, as_json: bool) -> int:
    """Check the names of a file; gives the exit code: 1 when a check failed (its credit has returned)."""
    from afterdrop.checks.batch import batch_json
    from afterdrop.web.responses import json_bytes

    batch = asyncio.run(_check_names(settings, _names(settings, file), email, yes=yes))
    if as_json:
        console.json_line(orjson.loads(json_bytes(batch_json(batch, settings.site_url))))
    else:
        # Print a line for each name: score or REJECTED, and what came of it.
        site_url = settings.site_url
        from afterdrop.checks.batch import batch_page

        console.table(("domain", "score", "result"), [_line(item) for item in batch.items])
        console.note(f"Batch: {batch_page(batch.id, site_url)}")
    return int(any(item.check is not None and item.check["status"] == "failed" for item in batch.items))


def _names(settings: Settings, file: Path) -> list[str]:
    """The distinct domains of the file. Wrong names are reported and left out."""
    from afterdrop.checks.batch import MOST_NAMES
    from afterdrop.web.actions.checks import names_of_file, read_names

    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        texts = names_of_file(raw.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise AfterdropError(str(file), f"cannot be read as text ({error})") from None
    names, wrong = read_names(texts, settings.scan.sale_zones)
    for place, message in wrong.items():
        console.note(f"left out: {texts[place][:80]}: {message}")
    if not 1 <= len(names) <= MOST_NAMES:
        raise AfterdropError(
            str(file), f"has {len(names)} domain names; 1 to {MOST_NAMES} are checked together"
        )
    return names


async def _check_names(settings: Settings, names: Sequence[str], email: str, *, yes: bool) -> CheckBatch:
    from afterdrop.accounts.members import acting_account
    from afterdrop.accounts.store import credit_balance
    from afterdrop.checks.batch import BatchOrder, cost_of, order_batch, preview_batch

    async with open_existing(settings) as database:
        now = clock.now()
        async with database.read() as conn:
            payer = await acting_account(conn, email)
            allowance = settings.plan(payer.plan(now)).checks_per_month
            items = await preview_batch(conn, payer.viewer(now), names, now, settings)
            left = await credit_balance(conn, payer.id, allowance=allowance, now=now)
        cost = cost_of(items)
        console.note(f"{_cost_text(items)}; {payer.email} has {left.available}")
        _agree(payer, cost, left.available, yes=yes)
        async with database.write() as conn:
            order = BatchOrder(payer.viewer(now), names, cost, allowance)
            batch = await order_batch(conn, order, clock.now(), settings)
        return await _wait(settings, database, payer, batch)


def _cost_text(items: Sequence[BatchItem]) -> str:
    """`10 names: 3 on the list (free), 1 checked within the last 7 days (free), 6 credits`."""
    from afterdrop.checks.batch import cost_of, credits_text

    known = Counter(item.known for item in items)
    parts = [f"{known['listed']} on the list (free)"] if known["listed"] else []
    parts += [f"{known['checked']} checked within the last 7 days (free)"] if known["checked"] else []
    parts += [f"{known['rejected']} rejected by a scan (free)"] if known["rejected"] else []
    total = f"{len(items)} name{'' if len(items) == 1 else 's'}"
    return f"{total}: {', '.join([*parts, credits_text(cost_of(items))])}"


def _agree(payer: Account, cost: int, left: int, *, yes: bool) -> None:
    """Ask before credits are spent. Raises AfterdropError where nobody can be asked, or where there are too few."""
    from afterdrop.checks.batch import credits_text

    if cost > left:
        more = f"has {credits_text(left)}; `afterdrop account credits {payer.email} NUMBER` adds some"
        raise AfterdropError(payer.email, more)
    if not cost or yes:
        return
    if not sys.stdin.isatty():
        raise AfterdropError("check --file", f"would spend {credits_text(cost)}; agree with --yes")
    typer.confirm(f"Spend {credits_text(cost)}?", abort=True, err=True)


async def _wait(settings: Settings, database: Database, payer: Account, batch: CheckBatch) -> CheckBatch:
    """Wait until every check of the batch has ended; process them here when no worker is running."""
    from afterdrop.checks import store
    from afterdrop.checks.batch import batch_of, progress_of

    ids = [item.check["id"] for item in batch.items if item.check is not None]
    stop, here = asyncio.Event(), None
    try:
        with console.progress_meter("checks", len(ids)) as meter:
            while True:
                now = clock.now()
                async with database.read() as conn:
                    found = await batch_of(conn, payer.viewer(now), batch.id, now, settings)
                    waited_for = await store.anyone_working(conn, now - ALIVE)
                if found is None:
                    raise AfterdropError(batch.id, "no longer exists: its account was deleted")
                progress = progress_of(found)
                ahead = progress["queued"] + progress["running"]
                meter.show(len(ids) - ahead)
                if not ahead:
                    return found
                if here is None and not waited_for:
                    console.note("no worker is running, so the checks run here")
                    here = asyncio.create_task(work_here(settings, database, ids, stop))
                elif here is not None and here.done():
                    here.result()
                await asyncio.sleep(LOOK_SECONDS)
    finally:
        stop.set()
        if here is not None:
            await here


def _line(item: BatchItem) -> tuple[object, ...]:
    from afterdrop.scoring.conclusion import VERDICTS, has_score

    check = item.check
    if item.rejected is not None:
        return item.domain, VERDICTS["rejected"].word, next(iter(item.rejected["reasons"]), "")
    if check is None:
        return item.domain, item.listed["score"] if item.listed else _UNKNOWN, "on the list"
    if check["status"] == "failed":
        return item.domain, _UNKNOWN, "failed; its credit has been returned"
    reason = next(iter(check["reject_reasons"] or ()), "")
    concluded = check["conclusion"]
    word = VERDICTS[concluded].word
    if concluded == "rejected":
        return item.domain, word, reason
    listed = "would be listed" if check["would_list"] else reason or "would not be listed"
    score = check["score"] if has_score(concluded) else _UNKNOWN
    return item.domain, score, f"{word}. {listed[0].upper()}{listed[1:]}"
