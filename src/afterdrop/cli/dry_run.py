"""`afterdrop scan --dry-run`: what a scan would take in, ask and spend. Feeds are downloaded, nothing is stored."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from afterdrop.cli import console
from afterdrop.errors import FeedError, SettingsError

if TYPE_CHECKING:
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.jobs.gear import Gear

# Names held to plan the providers' questions; beyond it the plan is made for this many and says so.
_MOST_NAMES = 1_000_000
_FATES = ("rows", "dropped", "pass", "below", "unknown")


@dataclass
class Plan:
    """What one feed would bring: rows by fate, and the names whose metrics are unknown."""

    feed: str
    counts: Counter[str] = field(default_factory=Counter)
    error: str | None = None


async def show_plan(gear: Gear, feeds: Sequence[FeedSpec], *, json: bool) -> None:
    """Print what a scan of `feeds` would do."""
    unknown: set[str] = set()
    passed: set[str] = set()
    plans = [await _plan(gear, spec, unknown, passed) for spec in feeds]
    questions = await _questions(gear, sorted(unknown - passed))
    known = await _already(gear, passed)
    reviews = min(len(passed) - known, gear.settings.scan.reviews_per_day)
    report = {
        "feeds": [{"feed": plan.feed, **plan.counts, "error": plan.error} for plan in plans],
        "passing_on_feed_metrics": len(passed),
        "already_reviewed": known,
        "reviews_today_at_most": reviews,
        "archive_requests_at_most": reviews * (1 + gear.settings.archive.captures_per_review),
        "providers": questions,
    }
    if json:
        console.json_line(report)
        return
    _print(report)


async def _plan(gear: Gear, spec: FeedSpec, unknown: set[str], passed: set[str]) -> Plan:
    from afterdrop.feeds.download import fetch

    limits = gear.settings.scan
    plan = Plan(spec.name)
    try:
        spooled = await fetch(
            spec, gear.fetcher, gear.settings.data_dir / "spool", limits.spool_max_bytes, now=gear.now()
        )
        await asyncio.to_thread(_read, gear, spec, spooled.path, plan, unknown, passed)
    except (FeedError, SettingsError, OSError) as error:
        plan.error = str(error)
    return plan


def _read(gear: Gear, spec: FeedSpec, path: Any, plan: Plan, unknown: set[str], passed: set[str]) -> None:
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.mapping import Row
    from afterdrop.feeds.parse import read_feed
    from afterdrop.scoring.authority import judge, least_of

    limits, least = gear.settings.scan, least_of(gear.settings.authority)
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


async def _questions(gear: Gear, names: list[str]) -> list[dict[str, Any]]:
    from afterdrop.clients.metric_plan import plan_bulk

    async with gear.database.read() as conn:
        return [asdict(line) for line in await plan_bulk(conn, gear.providers, names, gear.now())]


async def _already(gear: Gear, names: set[str]) -> int:
    from afterdrop.jobs.store import valid_reviews_among

    async with gear.database.read() as conn:
        return await valid_reviews_among(conn, sorted(names), gear.now())


def _print(report: dict[str, Any]) -> None:
    console.table(
        ("feed", *_FATES, "remark"),
        [
            (feed["feed"], *(feed.get(name, 0) for name in _FATES), feed["error"] or "")
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
    console.line(
        f"{report['passing_on_feed_metrics']:,} names pass on the feeds' own metrics; {report['already_reviewed']:,} of"
        f" them have a valid review. At most {report['reviews_today_at_most']:,} reviews, up to"
        f" {report['archive_requests_at_most']:,} requests to the archive."
    )
