"""The intake of a scan: every feed is downloaded, read and taken in, by one worker at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial

from afterdrop.core import clock
from afterdrop.core.errors import FeedError, SettingsError
from afterdrop.core.log_lines import figures
from afterdrop.feeds import store as feed_store
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.download import Spool, fetch, forget
from afterdrop.feeds.exchange_rates import rates_at_hand
from afterdrop.feeds.intake import fail_run, take_in
from afterdrop.feeds.run_context import AuthorityFilter, IntakeOptions, ScanMoment, SourceRun
from afterdrop.feeds.spec import FeedSpec
from afterdrop.scan import store
from afterdrop.scan.store import Scan
from afterdrop.scoring.authority import filter_verdict, judge_metrics, strength, thresholds_by_role
from afterdrop.sources.metrics.lookup import ask_bulk
from afterdrop.sources.metrics.model import Metric, Metrics
from afterdrop.sources.metrics.provider_client import ProviderClient
from afterdrop.worker_context import WorkerContext

log = logging.getLogger("afterdrop.scan")

# Called with a feed's name and how many of its rows were read.
Progress = Callable[[str, int], None]
BATCH = 1000  # rows changed in one transaction, so that no writer waits long for it


async def take_feeds_in(
    context: WorkerContext,
    scan: Scan,
    *,
    feeds: Sequence[FeedSpec] | None = None,
    accept: Collection[str] = (),
    progress: Progress | None = None,
) -> list[SourceRun] | None:
    """Take in every feed the scan has not read yet. None when another worker holds the intake, or the scan is closed.

    `feeds`: read these instead of the configured ones, even if the scan has read them. `accept`: sources whose
    suspect file the operator vouches for. A feed that fails is recorded, and the others go on.
    """
    async with context.database.write() as conn:
        if not await store.hold_intake(conn, scan.id, context.worker, context.now(), context.lease):
            return None
    runs = []
    async with _intake_held(context, scan):
        await _take_left_over(context, scan)
        rates = await _rates(context)
        for spec in await unread(context, scan, feeds, accept):
            await _restart_run(context, scan, spec)
            tell = None if progress is None else partial(progress, spec.name)
            runs.append(await _one_feed(context, scan, spec, rates, spec.source in accept, tell))
        if feeds is None:
            await _expire_unconfigured(context, scan)
        async with context.database.write() as conn:
            await store.end_intake(conn, scan.id, context.now())
    return runs


async def _take_left_over(context: WorkerContext, scan: Scan) -> None:
    """Make this scan wait for the candidates that earlier scans left over, and count them."""
    moved = 1
    while moved:
        async with context.database.write() as conn:
            moved = await store.take_left_over(conn, scan.id, BATCH)


async def _expire_unconfigured(context: WorkerContext, scan: Scan) -> None:
    """End the listings without an end of feeds that are no longer configured, three days after they were last seen."""
    configured, count = [spec.name for spec in context.feeds], 1
    while count:
        async with context.database.write() as conn:
            count = await store.expire_unconfigured(conn, configured, scan.id, context.now(), BATCH)


async def unread(
    context: WorkerContext, scan: Scan, feeds: Sequence[FeedSpec] | None, accept: Collection[str]
) -> list[FeedSpec]:
    """The feeds that are left to take in; `feeds` and `accept` are those of `take_feeds_in`."""
    if feeds is not None:
        return list(feeds)
    async with context.database.read() as conn:
        states = await store.run_states(conn, scan.id)
    # A failed feed is tried again when an intake that broke off goes on, not whenever somebody joins the scan.
    over = {"done", "suspect", "failed"} if scan.intake_done else {"done", "suspect"}
    return [
        spec
        for spec in context.feeds
        if (state := states.get(spec.name)) not in over or (state == "suspect" and spec.source in accept)
    ]


async def _restart_run(context: WorkerContext, scan: Scan, spec: FeedSpec) -> None:
    """Let a feed's run begin anew if it has ended, so that listings its next file lacks count as missing."""
    async with context.database.write() as conn:
        run_id = await store.reopen_run(conn, scan.id, spec.name)
    last: int | None = 0
    while run_id is not None and last is not None:
        async with context.database.write() as conn:
            last = await store.clear_seen_run(conn, spec.name, run_id, last, BATCH)


async def _rates(context: WorkerContext) -> Mapping[str, float]:
    at_hand = await rates_at_hand(context.fetcher, context.database, context.now())
    if at_hand.note:
        log.warning("exchange rates: %s", at_hand.note)
    return {currency: float(rate) for currency, rate in at_hand.rates.per_usd.items()}


@asynccontextmanager
async def _intake_held(context: WorkerContext, scan: Scan) -> AsyncIterator[None]:
    """Renew the intake's lease while it runs, and release it whatever ends it."""

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
    context: WorkerContext,
    scan: Scan,
    spec: FeedSpec,
    rates: Mapping[str, float],
    accept: bool,
    tell: Callable[[int], None] | None,
) -> SourceRun:
    """Download one feed and take it in; a failure is recorded as that feed's run."""
    limits = context.settings.scan
    now, started = context.now(), clock.monotonic()
    spec = spec.of_day(now)
    spool = Spool(context.settings.data_dir / "spool")
    try:
        spooled = await fetch(spec, context.fetcher, spool, fresh_since=scan.started_at, now=now)
        file = await asyncio.to_thread(spooled.path.open, "rb")
    except (FeedError, SettingsError, OSError) as error:
        return await _unreachable(context, scan, spec, str(error))
    options = IntakeOptions(
        bounds=Bounds(),
        zones=limits.sale_zones,
        rates=rates,
        review_valid=timedelta(days=limits.review_valid_days),
        accept=accept,
        whole=spooled.whole,
        progress=tell,
    )
    moment = ScanMoment(scan.id, scan.started_at, now)
    with file:
        run = await take_in(context.database, spec, file, moment, authority_filter(context), options)
    if run.state == "failed" or not run.good:
        await asyncio.to_thread(forget, spec, spool)
    _tell_end(run, clock.monotonic() - started)
    return run


def _tell_end(run: SourceRun, seconds: float) -> None:
    told = logging.WARNING if run.error else logging.INFO
    extra = figures(
        feed=run.feed, state=run.state, rows=run.rows, names=run.good, passed=run.passed, seconds=seconds
    )
    text = "feed %s: %s in %.1f s, %s rows, %s names, %s passed the filter%s"
    remark = f" ({run.error})" if run.error else ""
    log.log(
        told, text, run.feed, run.state, seconds, f"{run.rows:,}", f"{run.good:,}", f"{run.passed:,}", remark,
        extra=extra,
    )  # fmt: skip


async def _unreachable(context: WorkerContext, scan: Scan, spec: FeedSpec, error: str) -> SourceRun:
    async with context.database.write() as conn:
        begun = await feed_store.begin_run(conn, scan.id, spec, context.now())
    log.warning("feed %s: %s", spec.name, error)
    return await fail_run(context.database, begun["id"], spec.name, error, context.now())


def authority_filter(context: WorkerContext) -> AuthorityFilter:
    """The authority filter that intake uses, with the bulk providers it asks."""
    thresholds = context.settings.authority
    least = thresholds_by_role(thresholds)

    def worth_paying(domain: str, metrics: Metrics) -> bool:
        return judge_metrics(metrics, thresholds) == "pass"

    async def ask(domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        client = ProviderClient(context.fetcher, context.database, context.now())
        found = await ask_bulk(
            client, context.providers, domains, worth_paying=worth_paying, local=context.local
        )
        for provider, faults in found.faults.items():
            log.warning("provider %s: %s", provider, "; ".join(faults)[:500])
        return found.metrics

    return AuthorityFilter(lambda figures: filter_verdict(figures, least), strength, ask, frozenset(least))
