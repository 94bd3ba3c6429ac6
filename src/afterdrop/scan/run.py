"""A whole scan by one process: intake, reviews, close. The worker runs it daily, `afterdrop scan` by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from typing import Any, Protocol

from afterdrop.feeds.spec import FeedSpec
from afterdrop.queue.loop import QueueRunner
from afterdrop.scan import run, store
from afterdrop.scan.candidates import CandidateContext, candidate_queue
from afterdrop.scan.run import ScanContext

# How often those are looked for whose listings ended while they waited: a search through all that wait.
ENDED_EVERY = timedelta(minutes=1)
# done, total (None while it is not known), what is being done
Show = Callable[[int, int | None, str | None], None]


class WholeScanContext(ScanContext, CandidateContext, Protocol):
    """What intake and candidates need together."""


def _quiet(_done: int, _total: int | None, _text: str | None) -> None:
    return None


async def run_scan(
    context: WholeScanContext,
    *,
    feeds: Sequence[FeedSpec] | None = None,
    accept: Collection[str] = (),
    progress: Show = _quiet,
    reviews_here: bool = True,
) -> dict[str, Any]:
    """Run or go on with the scan until it is closed; gives its figures as plain values.

    A scan under way is joined: the configured feeds it has not read yet are taken in, or `feeds` instead, whatever
    it has read. `accept`: sources whose suspect file is right. `reviews_here`: candidates are settled by this call;
    a worker whose own line does that passes False.
    """
    if reviews_here:
        context.pages.warm()
    under_way = await _taken_in(context, feeds, accept, progress)
    while not under_way.finished:
        await _settle_all(context, under_way, progress, reviews_here)
        await run.close(context, under_way)
        under_way = await run.again(
            context, under_way
        )  # somebody may be taking another feed in: then not closed
    async with context.database.read() as conn:
        return await store.figures(conn, under_way.id)


async def _taken_in(
    context: WholeScanContext, feeds: Sequence[FeedSpec] | None, accept: Collection[str], progress: Show
) -> run.Scan:
    """The scan under way, or a new one, once it has read what it is to read."""

    def tell(feed: str, rows: int) -> None:
        progress(rows, None, feed)

    while True:
        under_way = await run.begin(context)
        if under_way.intake_done and not await run.unread(context, under_way, feeds, accept):
            return under_way
        if await run.take_feeds_in(context, under_way, feeds=feeds, accept=accept, progress=tell) is not None:
            return await run.again(context, under_way)
        await asyncio.sleep(1)  # another worker has the intake: its end, or its lease's, is waited for


async def _settle_all(
    context: WholeScanContext, under_way: run.Scan, progress: Show, reviews_here: bool
) -> None:
    stop = asyncio.Event()
    line = QueueRunner(candidate_queue(context), context.database, context.now, stop, asyncio.Event())
    working = asyncio.create_task(line.run()) if reviews_here else None
    total, look_at = 0, context.now()
    try:
        while True:
            if context.now() >= look_at:
                await run.drop_ended(context, under_way)
                look_at = context.now() + ENDED_EVERY
            if await run.settled(context, under_way):
                break
            async with context.database.read() as conn:
                left = await store.waiting(conn, under_way.id)
            total = max(total, left)
            progress(total - left, total, "reviews")
            if working is not None and working.done():
                working.result()
            await asyncio.sleep(0.25)
    finally:
        stop.set()
        if working is not None:
            await working
