"""`afterdrop scan`: one daily scan from feeds to lists, and its results."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, worker_context
from afterdrop.core.errors import SettingsError

if TYPE_CHECKING:
    from afterdrop.catalogue.summary import DomainSummary
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.scan.store import ScanFigures
    from afterdrop.worker.context import WorkerContext


def scan(
    feed: Annotated[
        Path | None,
        typer.Option(
            help="Read this local file instead of the configured feeds, even into a scan under way."
        ),
    ] = None,
    preset: Annotated[str | None, typer.Option(help="How to read --feed: see `feeds list`.")] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Store and spend nothing; only print what a scan would ask and spend."
        ),
    ] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(help="A source whose suspect file is correct after all; may be repeated."),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="The file of --feed is only part of the list: names it lacks were not withdrawn.",
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the scan's figures as one JSON object.")
    ] = False,
) -> None:
    """Run today's scan, or go on with the one under way, until its candidates are settled.

    Exits with 1 when no feed could be read, or no review succeeded.
    """
    asyncio.run(_scan(feed, preset, dry_run, tuple(accept or ()), partial, json))


async def _scan(
    feed: Path | None, preset: str | None, dry_run: bool, accept: tuple[str, ...], partial: bool, json: bool
) -> None:
    from afterdrop.cli.dry_run import show_plan
    from afterdrop.scan.run import run_scan
    from afterdrop.scan.success import scan_fault

    async with worker_context(load_settings()) as context:
        feeds = _feeds(context, feed, preset, partial)
        read = context.feeds if feeds is None else feeds
        _check_sources(accept, read)
        if dry_run:
            await show_plan(context, read, json=json)
            return
        with console.progress_meter("scan") as meter:
            result = await run_scan(context, feeds=feeds, accept=accept, progress=meter.show)
        await show_result(context, result, json=json)
    if fault := scan_fault(result):
        console.note(f"afterdrop: scan {result['id']}: {fault}")
        raise typer.Exit(1)


def _feeds(
    context: WorkerContext, file: Path | None, preset: str | None, partial: bool
) -> tuple[FeedSpec, ...] | None:
    """The feed that describes `file`; None stands for the configured feeds."""
    if file is None:
        if partial:
            raise SettingsError("--partial", "goes with --feed FILE; give the file too")
        if preset is not None:
            raise SettingsError("--preset", "says how to read --feed FILE; give the file too")
        if not context.feeds:
            raise SettingsError(
                context.settings.file or "settings", "no [[feeds]] are configured; see `feeds list`"
            )
        return None
    if preset is None:
        raise SettingsError(
            "--feed", "needs --preset NAME, which says how to read the file (see `feeds list`)"
        )
    from afterdrop.feeds.preset_files import open_feed

    spec = open_feed(preset, context.settings.feeds, str(file.resolve()))
    return (spec.model_copy(update={"complete": False}) if partial else spec,)


def _check_sources(accept: tuple[str, ...], feeds: tuple[FeedSpec, ...]) -> None:
    sources = sorted({spec.source for spec in feeds})
    for name in accept:
        if name not in sources:
            raise SettingsError("--accept", f"no feed read here has the source {name} ({', '.join(sources)})")


async def show_result(context: WorkerContext, result: ScanFigures, *, json: bool) -> None:
    """Print a finished scan: each feed's result, the numbers of names, and the best of the live list."""
    if json:
        console.json_line(result)
        return
    rows = [
        (run["feed"], run["state"], run["rows"], run["good"], run["passed"], run["error"] or "")
        for run in result["feeds"]
    ]
    console.table(("feed", "state", "rows", "names", "passed", "remark"), rows, title="Feeds")
    for feed in result["feeds"]:
        for reason, number in (feed["counts"].get("bad") or {}).items():
            console.line(f"  {feed['feed']}: {number:,} rows dropped ({reason})")
    counts = ", ".join(f"{number:,} {name}" for name, number in sorted(result["counts"].items()))
    console.line(
        f"{result['scanned']:,} names scanned, {result['passed_authority_filter']:,} passed the authority filter: "
        f"{counts or 'nothing new'}"
    )
    await show_list(context)


async def show_list(context: WorkerContext, most: int = 15) -> None:
    """Print the best of the live list."""
    from afterdrop.accounts.plans import Viewer
    from afterdrop.catalogue.filters import ListFilter
    from afterdrop.catalogue.list_store import ListSelection
    from afterdrop.catalogue.lists import list_page
    from afterdrop.catalogue.summary import Links

    links, viewer = Links.of(context.settings), Viewer(0, "pro", operator=True)
    selection = ListSelection("live", ListFilter(), viewer, context.now(), links.fees)
    async with context.database.read() as conn:
        page = await list_page(conn, selection, links, per_page=most)
    console.table(
        ("score", "domain", "at", "ends", "price", "DR", "TF", "years", "lang", "flags", "title"),
        [_row(item) for item in page.rows],
        title=f"Live list: {page.total} domains",
    )


def _row(item: DomainSummary) -> tuple[object, ...]:
    from afterdrop.catalogue.purchase import marketplace

    metrics, listing = item["metrics"], item["listing"]
    price = listing["price_usd"]
    return (
        item["score"],
        item["domain"],
        marketplace(item),
        (listing["ends_at"] or "open").replace("T", " ")[:16],
        "" if price is None else f"${price:,}",
        metrics["domain_rating"],
        metrics.get("trust_flow"),
        metrics["archive_years"],
        item["language"],
        " ".join(item["flags"]),
        (item["title"] or "")[:40],
    )
