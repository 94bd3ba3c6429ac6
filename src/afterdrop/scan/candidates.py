"""Settle one candidate: review it (or take its valid review), score it, publish or reject it.

The same road for every candidate whoever claimed it; a check walks it with its own row.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.placement import Placement
from afterdrop.catalogue.publish import publish, refresh
from afterdrop.db import leases
from afterdrop.db.tables.feeds import candidates, listings
from afterdrop.feeds import store as feed_store
from afterdrop.metrics.lookup import ask_domain
from afterdrop.metrics.model import Metric
from afterdrop.queue.loop import Queue, Row
from afterdrop.review.flags.trademarks import famous_marks
from afterdrop.review.run import Reviewed, review_domain
from afterdrop.review.store import closed_rows, keep_review, valid_history
from afterdrop.scan import store
from afterdrop.worker.context import Gear

log = logging.getLogger("afterdrop.scan")


def candidate_queue(gear: Gear) -> Queue:
    """The queue of candidates."""
    limits = gear.settings.scan

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[Row]:
        return await store.claim_candidates(conn, gear.worker, now, gear.lease, limit, limits.reviews_per_day)

    async def work(row: Row) -> None:
        await settle_candidate(gear, row)

    async def failed(row: Row, error: str) -> None:
        await _failed(gear, row, error)

    return Queue(
        "candidates", candidates, claim, work, failed, at_once=limits.reviews_at_once, lease=gear.lease
    )


async def settle_candidate(gear: Gear, row: Row) -> None:
    """Load, decide, store. Raises UpstreamError when the archive did not answer: the row is tried again later."""
    domain, now = row["domain"], gear.now()
    async with gear.database.read() as conn:
        history = await valid_history(conn, domain, now)
        day = await store.day_of_scan(conn, row["scan_id"])
        stands = history is None and await store.was_published(conn, domain)
    day = day or f"{now:%Y-%m-%d}"
    reviewed: Reviewed | None = None
    found: list[Metric] = []
    if stands and await _followed_listings(gear, row, now, day):
        return
    if history is None:
        reviewed = await review(gear, domain)
        history = reviewed.history
        found = [] if history.spam else await link_profile(gear, domain)
    async with gear.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, gear.settings.scan.review_valid_days)
        await feed_store.put_metrics(conn, [(domain, metric) for metric in found])
        placed = await publish(conn, history, now, day)
        await leases.must_settle(conn, candidates, row, **_settled(placed, now))


async def _followed_listings(gear: Gear, row: Row, now: datetime, day: str) -> bool:
    """Bring a listed name up to its listings before its review is renewed: that a sale is over, or its price, must
    not wait for the archive. True when the row is settled with that: it is on sale no more, or the cap is used up.
    """
    domain = row["domain"]
    async with gear.database.write() as conn:
        placed = (await refresh(conn, [domain], now, day)).get(domain)
        if placed is None or (row["may_review"] and await store.is_offered(conn, domain, now)):
            return False
        await leases.must_settle(conn, candidates, row, **_settled(placed, now))
        return True


async def review(gear: Gear, domain: str, given_up: datetime | None = None) -> Reviewed:
    """Read a domain's history in the archive, going on from the closed years kept of an earlier answer.

    `given_up` is when the registry knows it to have been deleted or registered anew, where somebody asked.
    """
    own = gear.settings.review.marks
    async with gear.database.read() as conn:
        closed, closed_before = await closed_rows(conn, domain)
        dropped = await _dropped(conn, domain, gear.now())
    return await review_domain(
        gear.archive,
        gear.pages.read,
        domain,
        gear.now(),
        closed=closed,
        closed_before=closed_before,
        drop=max(filter(None, (given_up, dropped)), default=None),
        most=gear.settings.archive.captures_per_review,
        listing_url=f"{gear.settings.archive.public_url.rstrip('/')}/*/{domain}",
        marks=famous_marks().plus(own) if own else None,
    )


async def _dropped(conn: AsyncConnection, domain: str, now: datetime) -> datetime | None:
    """When the last drop that a list announced was over; None without one in the past."""
    c = listings.c
    past = sa.select(sa.func.max(c.ends_at, type_=c.ends_at.type)).where(
        c.domain == domain, c.type == "pending_delete", c.ends_at <= now
    )
    found: datetime | None = (await conn.execute(past)).scalar_one()
    return found


async def link_profile(gear: Gear, domain: str) -> list[Metric]:
    """What the providers say of one survivor, anchors and topics included; their faults are logged, never raised."""
    async with gear.database.read() as conn:
        known = await store.metrics_of(conn, domain)
    answer = await ask_domain(
        gear.fetcher, gear.database, gear.providers, domain, gear.now(), known=known, local=gear.local
    )
    for provider, faults in answer.faults.items():
        log.warning("provider %s about %s: %s", provider, domain, "; ".join(faults)[:500])
    return answer.metrics.get(domain, [])


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


async def _failed(gear: Gear, row: Row, error: str) -> None:
    """Record a failure: tried again with doubling waits, given up after the last attempt."""
    limits, now = gear.settings.scan, gear.now()
    values: dict[str, Any] = {"error": error[:1000]}
    if row["attempts"] >= limits.review_attempts:
        values |= {"state": "settled", "outcome": "failed", "settled_at": now, "due_at": None}
    else:
        wait = limits.review_retry_seconds * 2 ** (row["attempts"] - 1)
        values["due_at"] = now + timedelta(seconds=wait)
    async with gear.database.write() as conn:
        await leases.settle(conn, candidates, row, **values)
