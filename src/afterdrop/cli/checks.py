"""`afterdrop check DOMAIN`: order a domain check, follow it to its end, and print what it found."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.text import Text

from afterdrop.cli import console
from afterdrop.cli.bootstrap import opened, settings
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from afterdrop.accounts.account import Account
    from afterdrop.checks.order import CheckOrder
    from afterdrop.checks.store import CheckRow
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database

# Workers write a heartbeat every ten seconds: one that missed two is not waited for.
_ALIVE = timedelta(seconds=30)
_LOOK_SECONDS = 0.5
Tell = Callable[[str], None]


def check(
    domain: Annotated[str, typer.Argument(help="Any domain; a URL or subdomain is reduced to it.")],
    *,
    account: Annotated[
        str, typer.Option(help="Who orders it; default: the only account, or the only operator's.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object, as the API shows a check.")
    ] = False,
) -> None:
    """Check any domain: history, metrics, registry, score. Costs one of the account's check credits.

    A check of the last 7 days is shown again and costs nothing. A running worker does the work; where none runs,
    this command does it. Ends with exit code 1 when the check failed (its credit has returned).
    """
    from afterdrop.cli.check_view import show
    from afterdrop.core.domain_names import domain_of_url

    using = settings()
    detail = asyncio.run(run_check(using, domain_of_url(domain, using.scan.sale_zones), account))
    if as_json:
        console.json_line(detail)
    else:
        show(detail)
    if detail["status"] == "failed":
        raise typer.Exit(1)


async def run_check(using: Settings, domain: str, email: str) -> dict[str, Any]:
    """The check's detail as the interface has it, once it is done or failed."""
    from afterdrop.accounts.members import acting_account
    from afterdrop.checks.order import check_detail
    from afterdrop.web.responses import json_bytes

    async with opened(using) as database:
        async with database.write() as conn:
            payer = await acting_account(conn, email)
            ordered = await _order(conn, using, payer, domain)
        _say_cost(ordered, payer)
        with _progress(domain) as tell:
            row = await _follow(using, database, payer.id, ordered.check["id"], tell)
    detail: dict[str, Any] = orjson.loads(json_bytes(check_detail(row, using.site_url)))
    if row["status"] == "failed":
        console.note(f"the check failed, its credit has returned: {row['error']}")
    return detail


async def _order(conn: AsyncConnection, using: Settings, payer: Account, domain: str) -> CheckOrder:
    from afterdrop.checks.order import NoChecksLeft, order_check

    now = clock.now()
    allowance = using.plan(payer.plan(now)).checks_per_month
    try:
        return await order_check(conn, payer.id, domain, allowance=allowance, now=now)
    except NoChecksLeft as error:
        more = f"{error.message}; `afterdrop account credits {payer.email} NUMBER` adds some"
        raise AfterdropError(payer.email, more) from None


def _say_cost(ordered: CheckOrder, payer: Account) -> None:
    check = ordered.check
    if ordered.queue_position is None:
        when = f"{check['created_at']:%Y-%m-%d %H:%M}Z"
        console.note(f"{check['domain']} was ordered by {payer.email} at {when}: no credit used")
    else:
        console.note(f"{check['id']} ordered by {payer.email} for one credit")


async def _follow(
    using: Settings, database: Database, account_id: int, check_id: str, tell: Tell
) -> CheckRow:
    """Wait until a check is done or failed, and work it off here while nobody else would."""
    from afterdrop.checks import store

    stop = asyncio.Event()
    here: asyncio.Task[None] | None = None
    try:
        while True:
            async with database.read() as conn:
                row = await store.check_row(conn, account_id, check_id)
                if row is None:
                    raise AfterdropError(check_id, "is gone: its account was deleted")
                if row["status"] in ("done", "failed"):
                    return row
                place = await store.queue_position(conn, check_id, row["created_at"])
                waited_for = await store.anyone_working(conn, clock.now() - _ALIVE)
            if here is None and not waited_for:
                here = asyncio.create_task(_work_here(using, database, check_id, stop))
            elif here is not None and here.done():
                here.result()
            tell(_words(row, place, here is not None))
            await asyncio.sleep(_LOOK_SECONDS)
    finally:
        stop.set()
        if here is not None:
            await here


def _words(row: CheckRow, place: int, here: bool) -> str:
    if row["status"] == "running":
        return f"running: {row['progress'] or 'starting'}"
    again = f"; tried {row['attempts']} times, last: {row['error']}" if row["error"] else ""
    who = "no worker runs, so it is done here" if here else "waiting for a worker"
    return f"queued, place {place}: {who}{again}"


async def _work_here(using: Settings, database: Database, check_id: str, stop: asyncio.Event) -> None:
    """Work this one check off, as a worker would; the others in the queue stay for one."""
    from afterdrop.checks import store
    from afterdrop.checks.worker import check_queue
    from afterdrop.queue.loop import QueueRunner
    from afterdrop.queue.worker import worker_name
    from afterdrop.worker.context import open_context

    name = worker_name(socket.gethostname(), os.getpid(), secrets.token_hex(3))
    async with open_context(using, database, worker=name) as context:
        everyones = check_queue(context)

        async def claim(conn: AsyncConnection, now: datetime, _: int) -> list[CheckRow]:
            await everyones.claim(
                conn, now, 0
            )  # takes nothing: what dead workers held goes back into the queue
            return await store.claim(conn, context.worker, now, context.lease, 1, only=check_id)

        line = QueueRunner(replace(everyones, claim=claim), database, context.now, stop, asyncio.Event())
        await line.run()


@contextmanager
def _progress(domain: str) -> Iterator[Tell]:
    """What is being done: a line that changes on a terminal, a line for every change elsewhere."""
    if console.err.is_terminal:
        began = clock.monotonic()
        with console.err.status(domain) as status:
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
