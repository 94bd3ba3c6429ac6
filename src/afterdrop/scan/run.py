"""A whole scan: take every feed in, wait until its candidates are settled, close it with ranks and the day's draw.

A scan is a row. Killed at any moment and started again, it goes on with the feeds that are not done; candidates
are settled one by one by the workers that claim them (`scan.candidates`). The worker runs it daily, `afterdrop scan`
by hand.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from afterdrop.catalogue.scan_end import end_scan
from afterdrop.core.errors import SettingsError
from afterdrop.core.log_lines import figures
from afterdrop.feeds.spec import FeedSpec
from afterdrop.feeds.store import feeds_without_rows
from afterdrop.queue.loop import QueueRunner
from afterdrop.queue.timetable import jobs, last_moment
from afterdrop.scan import store
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.feed_intake import BATCH, take_feeds_in, unread
from afterdrop.scan.store import Scan
from afterdrop.worker_context import WorkerContext

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.scan.scan_rows import ScanFigures


def scan_fault(figures: ScanFigures) -> str | None:
    """Why a finished scan was none: no feed could be read, or no review succeeded. None for a success."""
    if figures["feeds"] and all(run["state"] == "failed" for run in figures["feeds"]):
        return "every feed failed"
    failed = figures["counts"].get("failed", 0)
    if failed and not any(
        figures["counts"].get(outcome) for outcome in ("published", "rejected", "refreshed")
    ):
        return f"all {failed:,} reviews failed"
    return None


def reachable(settings: Settings) -> None:
    """Raise SettingsError unless the hosts that a scan asks can reach the operator: archives want to know who asks."""
    if not settings.contact:
        raise SettingsError(
            f"{settings.file or 'settings'}: contact",
            "is not set, and no scan runs without it: the archives want to know whom to write to. Set it to your"
            " e-mail address or to a page about you",
        )


log = logging.getLogger("afterdrop.scan")

# How often to look for candidates whose listings ended while they waited: the search goes through all that wait.
ENDED_EVERY: Final = timedelta(minutes=1)
# Called with: done, total (None while it is not known), what is being done.
ShowProgress = Callable[[int, int | None, str | None], None]


def _quiet(_done: int, _total: int | None, _text: str | None) -> None:
    return None


async def run_scan(
    context: WorkerContext,
    *,
    feeds: Sequence[FeedSpec] | None = None,
    accept: Collection[str] = (),
    progress: ShowProgress = _quiet,
    reviews_here: bool = True,
) -> ScanFigures:
    """Run a scan, or go on with the one under way, until it is closed; gives its figures.

    A scan under way is joined: the configured feeds it has not read yet are taken in, or `feeds` instead, whether
    or not it has read them. `accept`: sources whose suspect file is right. With `reviews_here` this call settles the
    candidates; a worker that has a queue of its own for that passes False.
    """
    reachable(context.settings)
    if reviews_here:
        context.pages.warm()
    under_way = await _take_in(context, feeds, accept, progress)
    while not under_way.finished:
        await _settle_all(context, under_way, progress, reviews_here)
        await close(context, under_way)
        # Another worker may be taking a feed in; then it was not closed.
        under_way = await reload(context, under_way)
    async with context.database.read() as conn:
        return await store.scan_figures(conn, under_way.id)


async def _take_in(
    context: WorkerContext,
    feeds: Sequence[FeedSpec] | None,
    accept: Collection[str],
    progress: ShowProgress,
) -> Scan:
    """The scan under way, or a new one, once it has read what it is to read."""

    def show_rows(feed: str, rows: int) -> None:
        progress(rows, None, feed)

    while True:
        under_way = await begin(context)
        if under_way.intake_done and not await unread(context, under_way, feeds, accept):
            return under_way
        if (
            await take_feeds_in(context, under_way, feeds=feeds, accept=accept, progress=show_rows)
            is not None
        ):
            return await reload(context, under_way)
        await asyncio.sleep(1)  # another worker holds the intake: wait until it or its lease ends


async def _settle_all(
    context: WorkerContext, under_way: Scan, progress: ShowProgress, reviews_here: bool
) -> None:
    stop = asyncio.Event()
    runner = QueueRunner(candidate_queue(context), context, stop)
    working = asyncio.create_task(runner.run()) if reviews_here else None
    total, search_at = 0, context.now()
    try:
        while True:
            if context.now() >= search_at:
                await settle_ended(context, under_way)
                search_at = context.now() + ENDED_EVERY
            if await is_settled(context, under_way):
                break
            async with context.database.read() as conn:
                left = await store.count_waiting(conn, under_way.id)
            total = max(total, left)
            progress(total - left, total, "reviews")
            if working is not None and working.done():
                working.result()
            await asyncio.sleep(0.25)
    finally:
        stop.set()
        if working is not None:
            await working


async def begin(context: WorkerContext) -> Scan:
    """The scan under way, or a new one. A scan that is past its deadline is closed first."""
    while True:
        now = context.now()
        deadline = now + timedelta(hours=context.settings.scan.budget_hours)
        async with context.database.write() as conn:
            found = await store.open_scan(conn, now, deadline)
        if found.started_at == now and not found.intake_done:
            log.info("scan %s of %s started", found.id, found.day, extra=figures(scan=found.id))
        if now < found.deadline_at or not await close(context, found):
            return found


async def reload(context: WorkerContext, scan: Scan) -> Scan:
    """The same scan as it stands now."""
    async with context.database.read() as conn:
        return await store.load_scan(conn, scan.id)


async def settle_ended(context: WorkerContext, scan: Scan) -> None:
    """Settle the candidates whose last listing ended while they waited for a review."""
    found = [""]
    while found:
        now = context.now()
        # The search goes through all candidates that wait, so it holds no lock that a writer would wait for.
        async with context.database.read() as conn:
            found = await store.ended_candidates(conn, scan.id, now, found[-1], BATCH)
        if found:
            async with context.database.write() as conn:
                await store.settle_ended(conn, scan.id, now, found)


async def is_settled(context: WorkerContext, scan: Scan) -> bool:
    """Whether the scan can be closed: every candidate is settled, or the day's cap or the scan's time is used up."""
    now = context.now()
    async with context.database.read() as conn:
        current = await store.load_scan(conn, scan.id)
        if not current.intake_done or (current.intake_until is not None and current.intake_until > now):
            return False
        if now >= scan.deadline_at or not await store.count_waiting(conn, scan.id):
            return True
        # Candidates beyond the day's cap are left to the next scan: waiting for them would only delay the draw.
        used_up = not await store.reviews_left(conn, context.settings.scan.reviews_per_day, now)
        return used_up and not await store.any_due_without_fetch(conn, now)


async def close(context: WorkerContext, scan: Scan) -> bool:
    """Close a settled scan: its figures, the ranks of its day, the draw of open domains.

    False when it is closed already, or a worker is taking a feed in.
    """
    async with context.database.write() as conn:
        if not await store.close_scan(conn, scan.id, context.now()):
            return False
        await end_scan(conn, scan.id, scan.day, context.now())
        ended = await store.scan_figures(conn, scan.id)
    _tell_end(ended, context.now())
    return True


def _tell_end(ended: ScanFigures, now: datetime) -> None:
    seconds = int((now - ended["started_at"]).total_seconds())
    counts = ", ".join(f"{number:,} {name}" for name, number in sorted(ended["counts"].items()))
    names, passed = ended["scanned"], ended["passed_authority_filter"]
    log.info(
        "scan %s of %s finished in %s s: %s names, %s passed the filter; %s",
        ended["id"], ended["day"], f"{seconds:,}", f"{names:,}", f"{passed:,}", counts or "nothing new",
        extra=figures(scan=ended["id"], seconds=seconds, names=names, passed=passed, counts=ended["counts"]),
    )  # fmt: skip


_FIRST_WAIT: Final = timedelta(minutes=15)
_LONGEST_WAIT: Final = timedelta(hours=4)


async def retry_feeds(context: WorkerContext) -> dict[str, object]:
    """Close a scan that nobody waits for, and take in the feeds without rows that are due; gives their states.

    The job runs every few minutes and waits for nothing. Feeds are tried again ever less often, up to the scan's
    budget. It takes a feed into the scan under way, or into a new one where that is closed, and closes a scan of its
    own in a later run, once the candidates are settled.
    """
    await _close_settled(context)
    due = await _due(context)
    if not due:
        return {}
    log.info("trying %s again", ", ".join(spec.name for spec in due))
    runs = await take_feeds_in(context, await begin(context), feeds=due)
    return {run.feed: run.state for run in runs or ()}


async def _close_settled(context: WorkerContext) -> None:
    async with context.database.read() as conn:
        open_scan = await store.scan_under_way(conn)
    if open_scan is None or not open_scan.intake_done:
        return
    await settle_ended(context, open_scan)
    if await is_settled(context, open_scan):
        await close(context, await reload(context, open_scan))


async def _due(context: WorkerContext) -> list[FeedSpec]:
    now, settings = context.now(), context.settings
    began = last_moment(jobs(settings.scan.hour)[0], now)
    if now - began > timedelta(hours=settings.scan.budget_hours):
        return []
    async with context.database.read() as conn:
        failed = await feeds_without_rows(conn)
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
