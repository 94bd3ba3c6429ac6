"""`afterdrop scan --dry-run`: print what a scan would take in, ask and spend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from afterdrop.cli import console

if TYPE_CHECKING:
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.scan.plan import ScanPlan
    from afterdrop.worker.context import WorkerContext

_ROW_COUNTS = ("rows", "dropped", "unlisted_zone", "pass", "below", "unknown")


async def show_plan(context: WorkerContext, feeds: Sequence[FeedSpec], *, json: bool) -> None:
    """Print what a scan of `feeds` would do."""
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
        title="What the feeds hold",
    )  # fmt: skip
    console.table(
        ("provider", "tier", "would be asked", "requests", "units", "over budget", "remark"),
        [
            (line["provider"], line["tier"], line["ask"], line["requests"], line["units"], line["over_budget"],
             f"set {', '.join(line['missing'])}" if line["missing"] else "")
            for line in plan["providers"]
        ],
        title="What providers would be asked about names without metrics",
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
