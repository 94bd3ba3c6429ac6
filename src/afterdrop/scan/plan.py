"""A scan's plan: intake, questions and cost, without storing anything: feeds are downloaded and read, that is all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypedDict

from afterdrop.core.errors import FeedError, SettingsError
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.download import Spool, fetch
from afterdrop.feeds.mapping import UNLISTED_ZONE, Row
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.row_outcome import is_past, too_far_ahead
from afterdrop.feeds.spec import FeedSpec
from afterdrop.review.history.capture_plan import CAPTURES
from afterdrop.review.store import count_valid_reviews
from afterdrop.scoring.authority import filter_verdict, judge_metrics, thresholds_by_role
from afterdrop.sources.metrics.lookup import PlannedQuestion, plan_bulk
from afterdrop.sources.metrics.model import Metrics
from afterdrop.sources.webgraph.table import PROVIDER
from afterdrop.sources.webgraph.table_dir import open_table_dir
from afterdrop.worker_context import WorkerContext

# The most names that are kept to plan the questions about them; beyond that only the day's cap is known.
_MOST_NAMES: Final = 1_000_000
_AT_ONCE: Final = 10_000


class ScanPlan(TypedDict):
    """The plan of a scan, as `afterdrop scan --dry-run --json` prints it."""

    feeds: list[dict[str, Any]]
    passing_on_feed_metrics: int
    passing_on_link_ranks: int
    may_pass_after_asking: int
    already_reviewed: int
    reviews_today_at_most: int
    archive_requests_at_most: int
    providers: list[dict[str, Any]]


@dataclass
class _FeedPlan:
    """The intake from one feed: its rows by result."""

    feed: str
    counts: Counter[str] = field(default_factory=Counter)
    error: str | None = None


@dataclass
class _Names:
    """The names of all feeds that pass on the feeds' own metrics, and those whose metrics are unknown."""

    passed: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


async def plan_scan(context: WorkerContext, feeds: Sequence[FeedSpec]) -> ScanPlan:
    """The plan of a scan of `feeds`."""
    found = _Names()
    plans = [await _plan_feed(context, spec, found) for spec in feeds]
    names = sorted(found.unknown - found.passed)
    # What the local tables of link ranks know of `names`: they are free and would be asked first.
    ranked: dict[str, Metrics] = {}
    for table in context.local:
        for start in range(0, len(names), _AT_ONCE):
            values = await table.metrics_of(names[start : start + _AT_ONCE])
            ranked |= {name: Metrics.of(metrics) for name, metrics in values.items()}
    lifted = {name for name, metrics in ranked.items() if _passes(context, name, metrics)}
    async with context.database.read() as conn:
        questions = await plan_bulk(
            conn,
            context.providers,
            names,
            context.now(),
            known=ranked,
            worth_paying=partial(_passes, context),
        )
        known = await count_valid_reviews(conn, sorted(found.passed | lifted), context.now())
    # Names that a provider answers for may pass too; a paid one is asked only about names that pass already.
    answered = sum(question.ask + question.cached for question in questions)
    more = min(len(names) - len(lifted), answered) if len(found.unknown) < _MOST_NAMES else _MOST_NAMES
    passing = len(found.passed) + len(lifted)
    reviews = min(passing - known + more, context.settings.scan.reviews_per_day)
    return {
        "feeds": [{"feed": plan.feed, **plan.counts, "error": plan.error} for plan in plans],
        "passing_on_feed_metrics": len(found.passed),
        "passing_on_link_ranks": len(lifted),
        "may_pass_after_asking": more,
        "already_reviewed": known,
        "reviews_today_at_most": reviews,
        "archive_requests_at_most": reviews * (1 + CAPTURES),
        "providers": [
            asdict(question) for question in (*_local_question(context, len(names), len(ranked)), *questions)
        ],
    }


async def _plan_feed(context: WorkerContext, spec: FeedSpec, names: _Names) -> _FeedPlan:
    plan = _FeedPlan(spec.name)
    spec = spec.of_day(context.now())
    try:
        spool = Spool(context.settings.data_dir / "spool")
        spooled = await fetch(spec, context.fetcher, spool, now=context.now())
        await asyncio.to_thread(_read, context, spec, spooled.path, plan.counts, names)
    except (FeedError, SettingsError, OSError) as error:
        plan.error = str(error)
    return plan


def _read(context: WorkerContext, spec: FeedSpec, path: Path, counts: Counter[str], names: _Names) -> None:
    limits, least = context.settings.scan, thresholds_by_role(context.settings.authority)
    now = context.now()
    with path.open("rb") as file:
        batches = read_feed(spec, file, Bounds(), limits.sale_zones)
        for row in chain.from_iterable(batch.rows() for batch in batches):
            counts["rows"] += 1
            if not isinstance(row, Row):
                counts[row.reason if row.reason == UNLISTED_ZONE else "dropped"] += 1
                continue
            if is_past(row.ends_at, now):
                counts["ended"] += 1
                continue
            if too_far_ahead(row.ends_at, spec, now):
                counts["waits"] += 1
                continue
            result = filter_verdict(row.metrics, least)
            counts[result] += 1
            if result == "pass":
                names.passed.add(row.domain)
            elif result == "unknown" and len(names.unknown) < _MOST_NAMES:
                names.unknown.add(row.domain)


def _passes(context: WorkerContext, domain: str, metrics: Metrics) -> bool:
    return judge_metrics(metrics, context.settings.authority) == "pass"


def _local_question(context: WorkerContext, asked: int, known: int) -> list[PlannedQuestion]:
    """The table of link ranks as a provider, where there is one: its answers cost no request."""
    if open_table_dir(context.settings).in_use() is None:
        return []
    return [
        PlannedQuestion(
            provider=PROVIDER,
            title="Local link ranks",
            tier="free",
            names=known,
            cached=0,
            ask=asked,
            requests=0,
            units=0,
            over_budget=0,
            missing=(),
        )
    ]
