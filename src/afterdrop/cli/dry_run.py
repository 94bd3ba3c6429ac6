"""`afterdrop scan --dry-run`: what a scan would read, ask and spend. Feeds are downloaded, nothing is stored."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from afterdrop.cli import console
from afterdrop.core.errors import FeedError, SettingsError

if TYPE_CHECKING:
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.metrics.model import Metrics
    from afterdrop.worker.context import WorkerContext

# The most names kept in memory to plan the requests for them.
_MOST_NAMES = 1_000_000
_AT_ONCE = 10_000
_ROW_COUNTS = ("rows", "dropped", "pass", "below", "unknown")


@dataclass
class FeedPlan:
    """What one feed holds: the number of rows by result of the authority filter, or the error."""

    feed: str
    counts: Counter[str] = field(default_factory=Counter)
    error: str | None = None


async def show_plan(context: WorkerContext, feeds: Sequence[FeedSpec], *, json: bool) -> None:
    """Print what a scan of `feeds` would do."""
    unknown: set[str] = set()
    passed: set[str] = set()
    plans = [await _plan(context, spec, unknown, passed) for spec in feeds]
    names = sorted(unknown - passed)
    ranked = await _ranked(context, names)
    lifted = {name for name, known in ranked.items() if _pass(context, name, known)}
    questions = await _questions(context, names, ranked)
    known = await _with_valid_review(context, passed | lifted)
    # Names that a provider knows may pass too. A paid one is asked only about names that pass already.
    told = sum(line["ask"] + line["cached"] for line in questions)
    more = min(len(names) - len(lifted), told) if len(unknown) < _MOST_NAMES else _MOST_NAMES
    reviews = min(len(passed) + len(lifted) - known + more, context.settings.scan.reviews_per_day)
    report = {
        "feeds": [{"feed": plan.feed, **plan.counts, "error": plan.error} for plan in plans],
        "passing_on_feed_metrics": len(passed),
        "passing_on_link_ranks": len(lifted),
        "may_pass_after_asking": more,
        "already_reviewed": known,
        "reviews_today_at_most": reviews,
        "archive_requests_at_most": reviews * (1 + context.settings.archive.captures_per_review),
        "providers": [*_local_line(context, len(names), len(ranked)), *questions],
    }
    if json:
        console.json_line(report)
        return
    _print(report)


async def _plan(context: WorkerContext, spec: FeedSpec, unknown: set[str], passed: set[str]) -> FeedPlan:
    from afterdrop.feeds.download import Spool, fetch

    limits = context.settings.scan
    plan = FeedPlan(spec.name)
    try:
        spool = Spool(context.settings.data_dir / "spool", limits.spool_max_bytes)
        spooled = await fetch(spec, context.fetcher, spool, now=context.now())
        await asyncio.to_thread(_read, context, spec, spooled.path, plan, unknown, passed)
    except (FeedError, SettingsError, OSError) as error:
        plan.error = str(error)
    return plan


def _read(
    context: WorkerContext, spec: FeedSpec, path: Any, plan: FeedPlan, unknown: set[str], passed: set[str]
) -> None:
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.mapping import Row
    from afterdrop.feeds.parse import read_feed
    from afterdrop.scoring.authority import judge, least_of

    limits, least = context.settings.scan, least_of(context.settings.authority)
    with path.open("rb") as file:
        bounds = Bounds(limits.spool_max_bytes, limits.archive_max_ratio)
        for row in read_feed(spec, file, bounds, limits.sale_zones):
            plan.counts["rows"] += 1
            if not isinstance(row, Row):
                plan.counts["dropped"] += 1
                continue
            fate = judge(row.metrics, least)
            plan.counts[fate] += 1
            if fate == "pass":
                passed.add(row.domain)
            elif fate == "unknown" and len(unknown) < _MOST_NAMES:
                unknown.add(row.domain)


def _pass(context: WorkerContext, domain: str, metrics: Metrics) -> bool:
    from afterdrop.scoring.authority import passes

    return passes(metrics, context.settings.authority) == "pass"


async def _ranked(context: WorkerContext, names: list[str]) -> dict[str, Metrics]:
    """What the local tables of link ranks know. They cost nothing and are asked first, so a dry run reads them too."""
    from afterdrop.metrics.model import Metrics

    found: dict[str, Metrics] = {}
    for ranks in context.local:
        for start in range(0, len(names), _AT_ONCE):
            told = await ranks.metrics_of(names[start : start + _AT_ONCE])
            found |= {name: Metrics.of(values) for name, values in told.items()}
    return found


def _local_line(context: WorkerContext, asked: int, known: int) -> list[dict[str, Any]]:
    """The line of the local link ranks among the providers, if a table is there; its answers cost no request."""
    from afterdrop.metrics.provider_plan import PlannedQuestion
    from afterdrop.webgraph.table import PROVIDER
    from afterdrop.webgraph.table_dir import open_table_dir

    if open_table_dir(context.settings).in_use() is None:
        return []
    line = PlannedQuestion(PROVIDER, "Local link ranks", "free", known, 0, asked, 0, 0, 0, ())
    return [asdict(line)]


async def _questions(
    context: WorkerContext, names: list[str], known: dict[str, Metrics]
) -> list[dict[str, Any]]:
    from afterdrop.metrics.provider_plan import plan_bulk

    worth = partial(_pass, context)
    async with context.database.read() as conn:
        lines = await plan_bulk(
            conn, context.providers, names, context.now(), known=known, worth_paying=worth
        )
    return [asdict(line) for line in lines]


async def _with_valid_review(context: WorkerContext, names: set[str]) -> int:
    from afterdrop.scan.store import valid_reviews_among

    async with context.database.read() as conn:
        return await valid_reviews_among(conn, sorted(names), context.now())


def _print(report: dict[str, Any]) -> None:
    console.table(
        ("feed", *_ROW_COUNTS, "remark"),
        [
            (feed["feed"], *(feed.get(name, 0) for name in _ROW_COUNTS), feed["error"] or "")
            for feed in report["feeds"]
        ],
        title="What the feeds hold",
    )  # fmt: skip
    console.table(
        ("provider", "tier", "would be asked", "requests", "units", "over budget", "remark"),
        [
            (line["provider"], line["tier"], line["ask"], line["requests"], line["units"], line["over_budget"],
             f"set {', '.join(line['missing'])}" if line["missing"] else "")
            for line in report["providers"]
        ],
        title="What the providers would be asked about names without metrics",
    )  # fmt: skip
    named = {name: f"{value:,}" for name, value in report.items() if isinstance(value, int)}
    console.line(
        f"{named['passing_on_feed_metrics']} names pass on the feeds' own metrics, {named['passing_on_link_ranks']}"
        f" more on the local link ranks; {named['already_reviewed']} of them have a valid review."
        f" Up to {named['may_pass_after_asking']} others may pass once providers are asked."
    )
    console.line(
        f"At most {named['reviews_today_at_most']} reviews, up to {named['archive_requests_at_most']} requests to the"
        " archive."
    )
