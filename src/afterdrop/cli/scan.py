"""`afterdrop scan`: one daily scan from feeds to lists and its results, or with `--dry-run` its plan."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, worker_context
from afterdrop.core.errors import SettingsError

if TYPE_CHECKING:
    from afterdrop.catalogue.shapes import Summary
    from afterdrop.core.settings import Settings
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.scan.plan import ScanPlan
    from afterdrop.scan.scan_rows import ScanFigures
    from afterdrop.worker_context import WorkerContext


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
            "--dry-run", help="Store and spend nothing; only print the requests and cost of a scan."
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
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            help="Review at most this many names today (UTC); the others wait for a later scan.",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the scan's figures as one JSON object.")
    ] = False,
) -> None:
    """Run today's scan, or go on with the one under way, until its candidates are settled.

    Exits with 1 when no feed could be read, or no review succeeded.
    """
    settings = limited(load_settings(), limit)
    asyncio.run(_scan(settings, feed, preset, dry_run, tuple(accept or ()), partial, json))


def limited(settings: Settings, reviews: int | None) -> Settings:
    """The settings with `reviews` as the day's cap, where that is lower than theirs."""
    if reviews is None or reviews >= settings.scan.reviews_per_day:
        return settings
    lower = settings.scan.model_copy(update={"reviews_per_day": reviews})
    return settings.model_copy(update={"scan": lower})


async def _scan(
    settings: Settings,
    feed: Path | None,
    preset: str | None,
    dry_run: bool,
    accept: tuple[str, ...],
    partial: bool,
    json: bool,
) -> None:
    from afterdrop.scan.run import run_scan, scan_fault

    async with worker_context(settings, missing="temporary" if dry_run else "refuse") as context:
        context.database.wait_for_others()
        feeds = _feeds(context, feed, preset, partial)
        read = context.feeds if feeds is None else feeds
        sources = sorted({spec.source for spec in read})
        for name in accept:
            if name not in sources:
                raise SettingsError(
                    "--accept", f"no feed read here has the source {name} ({', '.join(sources)})"
                )
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

    spec = open_feed(preset, context.settings, str(file.resolve()))
    return (spec.model_copy(update={"complete": False}) if partial else spec,)


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
    from afterdrop.accounts.account import Viewer
    from afterdrop.catalogue.store import live_now
    from afterdrop.catalogue.summary import Links

    links, viewer = Links.of(context.settings), Viewer(0, "pro")
    async with context.database.read() as conn:
        page = await live_now(conn, viewer, context.now(), links, most)
    console.table(
        ("score", "domain", "at", "ends", "price", "DR", "TF", "years", "lang", "flags", "title"),
        [_row(item) for item in page.rows],
        title=f"Live list: {page.total} domains",
    )


def _row(item: Summary) -> tuple[object, ...]:
    from afterdrop.catalogue.drops import due
    from afterdrop.catalogue.purchase import marketplace

    metrics, listing = item["metrics"], item["listing"]
    price = listing["price_usd"]
    return (
        item["score"],
        item["domain"],
        marketplace(item),
        ("" if listing["certain"] else "may ")
        + (listing["day"] or due(listing) or "open").replace("T", " ")[:16],
        "" if price is None else f"${price:,}",
        metrics["domain_rating"],
        metrics.get("trust_flow"),
        metrics["archive_years"],
        item["language"],
        " ".join(item["flags"]),
        (item["title"] or "")[:40],
    )


_ROW_COUNTS = ("rows", "dropped", "unlisted_zone", "ended", "waits", "pass", "below", "unknown")


async def show_plan(context: WorkerContext, feeds: Sequence[FeedSpec], *, json: bool) -> None:
    """Print the plan of a scan of `feeds`."""
    from afterdrop.scan.plan import plan_scan

    plan = await plan_scan(context, feeds)
    if json:
        console.json_line(plan)
        return
    _print(plan)


def _print(plan: ScanPlan) -> None:
    console.table(
        ("feed", *_ROW_COUNTS, "remark"),
        [
            (feed["feed"], *(feed.get(name, 0) for name in _ROW_COUNTS), feed["error"] or "")
            for feed in plan["feeds"]
        ],
        title="Names in the feeds",
    )  # fmt: skip
    console.table(
        ("provider", "tier", "would be asked", "requests", "units", "over budget", "remark"),
        [
            (line["provider"], line["tier"], line["ask"], line["requests"], line["units"], line["over_budget"],
             f"set {', '.join(line['missing'])}" if line["missing"] else "")
            for line in plan["providers"]
        ],
        title="Provider requests for names without metrics",
    )  # fmt: skip
    named = {name: f"{value:,}" for name, value in plan.items() if isinstance(value, int)}
    console.line(
        f"{named['passing_on_feed_metrics']} names pass on the feeds' own metrics and {named['passing_on_link_ranks']}"
        f" more on the local link ranks. {named['already_reviewed']} of them already have a valid review."
        f" Up to {named['may_pass_after_asking']} others may pass once providers are asked."
    )
    console.line(
        f"At most {named['reviews_today_at_most']} reviews, up to {named['archive_requests_at_most']} requests to the"
        " archive."
    )
