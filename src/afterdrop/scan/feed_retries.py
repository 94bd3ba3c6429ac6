"""Feeds that failed in the daily scan are tried again during the day, ever less often, up to the scan's budget.

The job runs every few minutes and waits for nothing. It takes a feed into the scan under way, or into a new one where
that is closed, and closes a scan of its own in a later run, once the candidates are settled.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any, Final

from afterdrop.feeds.spec import FeedSpec
from afterdrop.feeds.store import failed_feeds
from afterdrop.queue.timetable import jobs, last_moment
from afterdrop.scan import store
from afterdrop.scan.feed_intake import ScanContext, take_feeds_in
from afterdrop.scan.run import begin, close, is_settled, reload, settle_ended

log = logging.getLogger("afterdrop.scan")

_FIRST_WAIT: Final = timedelta(minutes=15)
_LONGEST_WAIT: Final = timedelta(hours=4)


async def retry_feeds(context: ScanContext) -> dict[str, Any]:
    """Close a scan that nobody waits for, and take in the failed feeds that are due; gives their states."""
    await _close_settled(context)
    due = await _due(context)
    if not due:
        return {}
    log.info("trying %s again", ", ".join(spec.name for spec in due))
    runs = await take_feeds_in(context, await begin(context), feeds=due)
    return {run.feed: run.state for run in runs or ()}


async def _close_settled(context: ScanContext) -> None:
    async with context.database.read() as conn:
        open_scan = await store.scan_under_way(conn)
    if open_scan is None or not open_scan.intake_done:
        return
    await settle_ended(context, open_scan)
    if await is_settled(context, open_scan):
        await close(context, await reload(context, open_scan))


async def _due(context: ScanContext) -> list[FeedSpec]:
    now, settings = context.now(), context.settings
    table = jobs(settings.scan.hour, timedelta(seconds=settings.registry.recheck_seconds))
    began = last_moment(table[0], now)
    if now - began > timedelta(hours=settings.scan.budget_hours):
        return []
    async with context.database.read() as conn:
        failed = await failed_feeds(conn)
    return [
        spec for spec in context.feeds if spec.name in failed and retry_at(began, failed[spec.name]) <= now
    ]


def retry_at(began: datetime, failed: datetime) -> datetime:
    """When to try a feed again that last failed at `failed`, in the scan of the day that began at `began`.

    The wait is as long as the trouble so far, so that it doubles; it is a quarter of an hour at least and four hours
    at most. A feed that failed before `began` is the coming scan's.
    """
    if failed < began:
        return began + timedelta(days=1)
    return failed + min(max(failed - began, _FIRST_WAIT), _LONGEST_WAIT)
