"""The daily scan: take every feed in, wait until its candidates are settled, close with ranks and the day's draw.

A scan is a row. Killed at any moment and started again, it goes on with the feeds that are not done; candidates
are settled one by one by whoever claims them (`jobs.candidates`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from afterdrop.catalogue.scan_end import end_scan
from afterdrop.core.errors import FeedError, SettingsError
from afterdrop.feeds import store as feed_store
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.download import fetch
from afterdrop.feeds.intake import fail_run, take_in
from afterdrop.feeds.run_context import AuthorityFilter, IntakeOptions, SourceRun
from afterdrop.feeds.spec import FeedSpec
from afterdrop.metrics.exchange_rates import rates_at_hand
from afterdrop.metrics.lookup import MetricsContext, ask_bulk
from afterdrop.metrics.model import Metric, Metrics
from afterdrop.scan import store
from afterdrop.scan.expire_unconfigured import expire_unconfigured
from afterdrop.scoring.authority import judge, least_of, passes, strength

log = logging.getLogger("afterdrop.scan")

# What a scan tells while it runs: the feed's name and how many of its rows were read.
Progress = Callable[[str, int], None]
BATCH = 1000  # rows changed in one transaction, so that nobody waits long for it


class ScanContext(MetricsContext, Protocol):
    """What the intake of a scan needs."""

    @property
    def feeds(self) -> tuple[FeedSpec, ...]:
        """The configured feeds."""
        ...


@dataclass(frozen=True)
class Scan:
    """A scan: its id, its day (2026-11-20) and when it began; every feed row is judged as of then."""

    id: int
    day: str
    started_at: datetime
    deadline_at: datetime
    intake_done: bool
    finished: bool = False

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Scan:
        """From a row of the table `scans`."""
        return cls(
            row["id"],
            row["day"],
            row["started_at"],
            row["deadline_at"],
            row["intake_done_at"] is not None,
            row["finished_at"] is not None,
        )


async def begin(context: ScanContext) -> Scan:
    """The scan under way, or a new one. One that was left lying until its time was over is closed first."""
    while True:
        now = context.now()
        deadline = now + timedelta(hours=context.settings.scan.budget_hours)
        async with context.database.write() as conn:
            found = Scan.of(await store.open_scan(conn, now, deadline))
        if now < found.deadline_at or not await close(context, found):
            return found


async def again(context: ScanContext, scan: Scan) -> Scan:
    """The same scan as it stands now."""
    async with context.database.read() as conn:
        return Scan.of(await store.scan_row(conn, scan.id))


async def take_feeds_in(
    context: ScanContext,
    scan: Scan,
    *,
    feeds: Sequence[FeedSpec] | None = None,
    accept: Collection[str] = (),
    progress: Progress | None = None,
) -> list[SourceRun] | None:
    """The scan's intake: every feed it has not read yet. None when another worker has it in hand, or it is closed.

    `feeds`: read these instead of the configured ones, and anew if the scan has read them. `accept`: sources whose
    suspect file the operator vouches for. A feed that fails is recorded and ends nothing.
    """
    async with context.database.write() as conn:
        if not await store.hold_intake(conn, scan.id, context.worker, context.now(), context.lease):
            return None
    runs = []
    async with _held(context, scan):
        await _take_left_over(context, scan)
        rates = await _rates(context)
        for spec in await unread(context, scan, feeds, accept):
            await _forget(context, scan, spec)
            tell = None if progress is None else _telling(progress, spec.name)
            runs.append(await _one_feed(context, scan, spec, rates, spec.source in accept, tell))
        if feeds is None:
            await _fade_unread(context, scan)
        async with context.database.write() as conn:
            await store.intake_done(conn, scan.id, context.now())
    return runs


async def _take_left_over(context: ScanContext, scan: Scan) -> None:
    """What earlier scans left over is this one's to wait for and to count."""
    moved = 1
    while moved:
        async with context.database.write() as conn:
            moved = await store.take_left_over(conn, scan.id, BATCH)


async def _fade_unread(context: ScanContext, scan: Scan) -> None:
    """No file will ever withdraw an endless offer of a feed that is not configured: three days unseen, and it ends."""
    configured, faded = [spec.name for spec in context.feeds], 1
    while faded:
        async with context.database.write() as conn:
            faded = await expire_unconfigured(conn, configured, scan.id, context.now(), BATCH)


async def unread(
    context: ScanContext, scan: Scan, feeds: Sequence[FeedSpec] | None, accept: Collection[str]
) -> list[FeedSpec]:
    """The feeds that are left to take in; arguments as of `take_feeds_in`."""
    if feeds is not None:
        return list(feeds)
    async with context.database.read() as conn:
        states = await store.run_states(conn, scan.id)
    # A failed feed is tried again by who goes on with an intake that broke off, not by everyone who joins the scan.
    over = {"done", "suspect", "failed"} if scan.intake_done else {"done", "suspect"}
    return [
        spec
        for spec in context.feeds
        if (state := states.get(spec.name)) not in over or (state == "suspect" and spec.source in accept)
    ]


async def _forget(context: ScanContext, scan: Scan, spec: FeedSpec) -> None:
    """Let a feed's run begin anew if it ended, so that what its next file lacks counts as missing."""
    async with context.database.write() as conn:
        run_id = await store.reopen_run(conn, scan.id, spec.name)
    last: int | None = 0
    while run_id is not None and last is not None:
        async with context.database.write() as conn:
            last = await store.unsee(conn, spec.name, run_id, last, BATCH)


async def _rates(context: ScanContext) -> Mapping[str, float]:
    at_hand = await rates_at_hand(context.fetcher, context.database, context.now())
    if at_hand.note:
        log.warning("exchange rates: %s", at_hand.note)
    return {currency: float(rate) for currency, rate in at_hand.rates.per_usd.items()}


def _telling(progress: Progress, feed: str) -> Callable[[int], None]:
    return lambda rows: progress(feed, rows)


@asynccontextmanager
async def _held(context: ScanContext, scan: Scan) -> AsyncIterator[None]:
    """Keep the intake's lease while it runs, and let it go whatever ends it."""

    async def keep() -> None:
        while True:
            await asyncio.sleep(context.lease.total_seconds() / 3)
            async with context.database.write() as conn:
                await store.hold_intake(conn, scan.id, context.worker, context.now(), context.lease)

    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        async with context.database.write() as conn:
            await store.release_intake(conn, scan.id, context.worker)


async def _one_feed(
    context: ScanContext,
    scan: Scan,
    spec: FeedSpec,
    rates: Mapping[str, float],
    accept: bool,
    tell: Callable[[int], None] | None,
) -> SourceRun:
    limits = context.settings.scan
    now = context.now()
    try:
        spooled = await fetch(
            spec,
            context.fetcher,
            context.settings.data_dir / "spool",
            limits.spool_max_bytes,
            fresh_since=scan.started_at,
            now=now,
        )
        file = await asyncio.to_thread(spooled.path.open, "rb")
    except (FeedError, SettingsError, OSError) as error:
        return await _unreachable(context, scan, spec, str(error))
    terms = IntakeOptions(
        bounds=Bounds(limits.spool_max_bytes, limits.archive_max_ratio),
        zones=limits.sale_zones,
        rates=rates,
        review_valid=timedelta(days=limits.review_valid_days),
        accept=accept,
    )
    with file:
        run = await take_in(
            context.database,
            spec,
            file,
            scan.id,
            scan.started_at,
            now,
            authority_filter(context),
            terms,
            tell,
        )
    if run.error:
        log.warning("feed %s: %s (%s)", run.feed, run.state, run.error)
    return run


async def _unreachable(context: ScanContext, scan: Scan, spec: FeedSpec, error: str) -> SourceRun:
    async with context.database.write() as conn:
        begun = await feed_store.begin_run(conn, scan.id, spec.name, spec.source, context.now())
    log.warning("feed %s: %s", spec.name, error)
    return await fail_run(context.database, begun["id"], spec.name, error, context.now())


def authority_filter(context: ScanContext) -> AuthorityFilter:
    """The authority filter as intake uses it, with the bulk providers behind it."""
    thresholds = context.settings.authority
    least = least_of(thresholds)

    def worth_paying(domain: str, metrics: Metrics) -> bool:
        return passes(metrics, thresholds) == "pass"

    async def ask(domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        found = await ask_bulk(
            context.fetcher,
            context.database,
            context.providers,
            domains,
            context.now(),
            worth_paying=worth_paying,
            local=context.local,
        )
        for provider, faults in found.faults.items():
            log.warning("provider %s: %s", provider, "; ".join(faults)[:500])
        return found.metrics

    return AuthorityFilter(judge=lambda figures: judge(figures, least), strength=strength, ask=ask)


async def drop_ended(context: ScanContext, scan: Scan) -> None:
    """Settle what waited for a review until its last listing ended."""
    found = [""]
    while found:
        now = context.now()
        # The search goes through all that wait, so it holds no lock that a writer would wait for.
        async with context.database.read() as conn:
            found = await store.ended(conn, scan.id, now, found[-1], BATCH)
        if found:
            async with context.database.write() as conn:
                await store.drop_ended(conn, scan.id, now, found)


async def settled(context: ScanContext, scan: Scan) -> bool:
    """Whether nothing holds the scan open any more: no candidate to settle, the cap or the time used up."""
    now = context.now()
    async with context.database.read() as conn:
        row = await store.scan_row(conn, scan.id)
        if row["intake_done_at"] is None or (row["lease_until"] is not None and row["lease_until"] > now):
            return False
        if now >= scan.deadline_at or not await store.waiting(conn, scan.id):
            return True
        # What the day's cap leaves over rolls on to the next scan: waiting for it would only delay the draw.
        used_up = not await store.reviews_left(conn, context.settings.scan.reviews_per_day, now)
        return used_up and not await store.anything_at_hand(conn, now)


async def close(context: ScanContext, scan: Scan) -> bool:
    """Close a settled scan: ranks of the day, its draw of open domains, its figures.

    False when it is closed already, or somebody is taking a feed in.
    """
    async with context.database.write() as conn:
        if not await store.finish(conn, scan.id, context.now()):
            return False
        await end_scan(conn, scan.id, scan.day, context.now())
        return True
