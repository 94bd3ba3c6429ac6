"""Settle one candidate: review it (or take its valid review), score it, publish or reject it.

The same road for every candidate whoever claimed it.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.placement import Placement
from afterdrop.catalogue.publish import publish, refresh
from afterdrop.db import leases
from afterdrop.db.tables.feeds import candidates
from afterdrop.metrics.lookup import MetricsContext, link_profile
from afterdrop.metrics.model import Metric
from afterdrop.metrics.store import put_metrics
from afterdrop.queue.loop import Queue, Row
from afterdrop.review.run import ReviewContext, review_stored
from afterdrop.review.store import Reviewed, keep_review, valid_history
from afterdrop.scan import store

log = logging.getLogger("afterdrop.scan")


class CandidateContext(ReviewContext, MetricsContext, Protocol):
    """What settling a candidate needs: the archive and its pages, and the metric providers."""


def candidate_queue(context: CandidateContext) -> Queue:
    """The queue of candidates."""
    limits = context.settings.scan

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[Row]:
        return await store.claim_candidates(
            conn, context.worker, now, context.lease, limit, limits.reviews_per_day
        )

    async def work(row: Row) -> None:
        await settle_candidate(context, row)

    async def failed(row: Row, error: str) -> None:
        await _failed(context, row, error)

    return Queue(
        "candidates", candidates, claim, work, failed, at_once=limits.reviews_at_once, lease=context.lease
    )


async def settle_candidate(context: CandidateContext, row: Row) -> None:
    """Load, decide, store. Raises UpstreamError when the archive did not answer: the row is tried again later."""
    domain, now = row["domain"], context.now()
    async with context.database.read() as conn:
        history = await valid_history(conn, domain, now)
        day = await store.day_of_scan(conn, row["scan_id"])
        stands = history is None and await store.was_published(conn, domain)
    day = day or f"{now:%Y-%m-%d}"
    reviewed: Reviewed | None = None
    found: list[Metric] = []
    if stands and await _followed_listings(context, row, now, day):
        return
    if history is None:
        reviewed = await review_stored(context, domain)
        history = reviewed.history
        found = [] if history.spam else await link_profile(context, domain)
    async with context.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, context.settings.scan.review_valid_days)
        await put_metrics(conn, [(domain, metric) for metric in found])
        placed = await publish(conn, history, now, day)
        await leases.must_settle(conn, candidates, row, **_settled(placed, now))


async def _followed_listings(context: CandidateContext, row: Row, now: datetime, day: str) -> bool:
    """Bring a listed name up to its listings before its review is renewed: that a sale is over, or its price, must
    not wait for the archive. True when the row is settled with that: it is on sale no more, or the cap is used up.
    """
    domain = row["domain"]
    async with context.database.write() as conn:
        placed = (await refresh(conn, [domain], now, day)).get(domain)
        if placed is None or (row["may_review"] and await store.is_offered(conn, domain, now)):
            return False
        await leases.must_settle(conn, candidates, row, **_settled(placed, now))
        return True


def _settled(placed: Placement, now: datetime) -> dict[str, Any]:
    return {
        "state": "settled",
        "outcome": placed.outcome,
        "score": placed.score,
        "reasons": list(placed.reasons) or None,
        "settled_at": now,
        "due_at": None,
        "error": None,
    }


async def _failed(context: CandidateContext, row: Row, error: str) -> None:
    """Record a failure: tried again with doubling waits, given up after the last attempt."""
    limits, now = context.settings.scan, context.now()
    values: dict[str, Any] = {"error": error[:1000]}
    if row["attempts"] >= limits.review_attempts:
        values |= {"state": "settled", "outcome": "failed", "settled_at": now, "due_at": None}
    else:
        wait = limits.review_retry_seconds * 2 ** (row["attempts"] - 1)
        values["due_at"] = now + timedelta(seconds=wait)
    async with context.database.write() as conn:
        await leases.settle(conn, candidates, row, **values)
