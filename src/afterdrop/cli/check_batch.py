"""`afterdrop check --file FILE`: name the cost of many checks, order them together, and print one table."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import open_migrated
from afterdrop.cli.checks import ALIVE, LOOK_SECONDS, work_here
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterdrop.accounts.account import Account
    from afterdrop.checks.batch import BatchItem, CheckBatch
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database

_UNKNOWN = "–"


def check_file(settings: Settings, file: Path, email: str, *, yes: bool, as_json: bool) -> int:
    """Check the names of a file; gives the exit code: 1 when a check failed (its credit has returned)."""
    from afterdrop.checks.batch import batch_json
    from afterdrop.web.responses import json_bytes

    batch = asyncio.run(_check_names(settings, _names(settings, file), email, yes=yes))
    if as_json:
        console.json_line(orjson.loads(json_bytes(batch_json(batch, settings.site_url))))
    else:
        _show(batch, settings.site_url)
    return int(any(item.check is not None and item.check["status"] == "failed" for item in batch.items))


def _names(settings: Settings, file: Path) -> list[str]:
    """The distinct domains of the file. Names that are wrong are told and left out."""
    from afterdrop.checks.batch import MOST_NAMES
    from afterdrop.web.actions.check_batches import read_names
    from afterdrop.web.site.name_lists import names_of_file

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
    from afterdrop.catalogue.summary import Links
    from afterdrop.checks.batch import BatchOrder, cost_of, order_batch, preview_batch

    links = Links.of(settings)
    async with open_migrated(settings) as database:
        now = clock.now()
        async with database.read() as conn:
            payer = await acting_account(conn, email)
            allowance = settings.plan(payer.plan(now)).checks_per_month
            items = await preview_batch(conn, payer.viewer(now), names, now, links)
            left = await credit_balance(conn, payer.id, allowance=allowance, now=now)
        cost = cost_of(items)
        console.note(f"{_cost_text(items)}; {payer.email} has {left.available}")
        _agree(payer, cost, left.available, yes=yes)
        async with database.write() as conn:
            order = BatchOrder(payer.viewer(now), names, cost, allowance)
            batch = await order_batch(conn, order, clock.now(), links)
        return await _wait(settings, database, payer, batch)


def _cost_text(items: Sequence[BatchItem]) -> str:
    """`10 names: 3 on the list (free), 1 checked within the last 7 days (free), 6 credits`."""
    from afterdrop.checks.batch import cost_of, credits_text

    known = Counter(item.known for item in items)
    parts = [f"{known['listed']} on the list (free)"] if known["listed"] else []
    parts += [f"{known['checked']} checked within the last 7 days (free)"] if known["checked"] else []
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
    from afterdrop.catalogue.summary import Links
    from afterdrop.checks import store
    from afterdrop.checks.batch import batch_of, progress_of

    ids = [item.check["id"] for item in batch.items if item.check is not None]
    stop, here = asyncio.Event(), None
    try:
        with console.progress_meter("checks", len(ids)) as meter:
            while True:
                now = clock.now()
                async with database.read() as conn:
                    found = await batch_of(conn, payer.viewer(now), batch.id, now, Links.of(settings))
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


def _show(batch: CheckBatch, site_url: str) -> None:
    """Print a line for each name: score or REJECTED, and what came of it."""
    from afterdrop.checks.batch import batch_page

    console.table(("domain", "score", "result"), [_line(item) for item in batch.items])
    console.note(f"Batch: {batch_page(batch.id, site_url)}")


def _line(item: BatchItem) -> tuple[Any, ...]:
    check = item.check
    if check is None:
        return item.domain, item.listed["score"] if item.listed else _UNKNOWN, "on the list"
    if check["status"] == "failed":
        return item.domain, _UNKNOWN, "failed; its credit has been returned"
    reason = next(iter(check["reject_reasons"] or ()), "")
    if check["standing"] == "rejected":
        return item.domain, "REJECTED", reason
    if check["standing"] == "unknown":
        return item.domain, _UNKNOWN, f"not enough data. {reason}".rstrip()
    return (
        item.domain,
        check["score"],
        "would be listed" if check["would_list"] else reason or "would not be listed",
    )
