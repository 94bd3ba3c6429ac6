"""The queue of candidates: each is reviewed (or its valid review taken), scored, and published or rejected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.placement import Placement, place
from afterdrop.catalogue.publish import load_known, publish, refresh, was_published
from afterdrop.core.errors import UpstreamError
from afterdrop.db import leases
from afterdrop.db.leases import Claim
from afterdrop.db.tables.feeds import candidates
from afterdrop.queue.loop import Queue
from afterdrop.queue.retry import Retry, retried
from afterdrop.review.history.domain_history import History
from afterdrop.review.live_links import looked_at
from afterdrop.review.run import review_stored
from afterdrop.review.store import Reviewed, keep_review, must_wait, valid_history
from afterdrop.scan import store
from afterdrop.scan.store import CandidateRow
from afterdrop.scoring.judge import judge
from afterdrop.sources.metrics.lookup import LinkProfile, link_profile
from afterdrop.sources.metrics.model import Metric
from afterdrop.sources.metrics.store import put_metrics
from afterdrop.worker_context import WorkerContext

# Of a review, before the candidate counts as failed.
_REVIEW_ATTEMPTS: Final = 4
# A listing must not wait for strangers' hosts: what was not seen by then is left for a later look.
_LINKS_SECONDS: Final = 30.0


def candidate_queue(context: WorkerContext) -> Queue[CandidateRow]:
    """The queue of candidates."""
    limits = context.settings.scan

    async def claim(conn: AsyncConnection, claim: Claim) -> list[CandidateRow]:
        away = await must_wait(conn, context.archives.hosts, context.settings.archive.least, claim.now)
        return await store.claim_candidates(conn, claim, limits.reviews_per_day, fetch=not away)

    async def work(row: CandidateRow) -> None:
        await settle_candidate(context, row)

    async def give_up(conn: AsyncConnection, row: CandidateRow, error: str, now: datetime) -> None:
        ended = {"state": "settled", "outcome": "failed", "settled_at": now, "due_at": None}
        await leases.settle(conn, candidates, row, **ended, error=error)

    retry = Retry(timedelta(seconds=limits.review_retry_seconds), _REVIEW_ATTEMPTS)
    return Queue(
        name="candidates",
        table=candidates,
        claim=claim,
        work=work,
        failed=retried(context, candidates, retry, give_up),
        at_once=limits.reviews_at_once,
        waiting=candidates.c.state == "due",
    )


async def settle_candidate(context: WorkerContext, row: CandidateRow) -> None:
    """Review, score and place one candidate. Raises UpstreamError when the archive did not answer."""
    domain, now = row["domain"], context.now()
    async with context.database.read() as conn:
        history = await valid_history(conn, domain, now)
        day = await store.day_of_scan(conn, row["scan_id"])
        published = history is None and await was_published(conn, domain)
    day = day or f"{now:%Y-%m-%d}"
    reviewed: Reviewed | None = None
    found = LinkProfile()
    if published and await _followed_listings(context, row, now, day):
        return
    if history is None:
        last_try = row["attempts"] >= _REVIEW_ATTEMPTS
        reviewed = await review_stored(context, domain, last_try=last_try, crawl_first=True)
        history = reviewed.history
        if history.unread and not last_try:
            raise UpstreamError(domain, "bad_content", "has captures, but none of them could be read")
        if not history.spam:
            found = await link_profile(context, domain)
    live = await _live_links(context, history, found.values, now, day)
    async with context.database.write() as conn:
        if reviewed is not None:
            await keep_review(conn, reviewed, now, context.settings.scan.review_valid_days)
        await put_metrics(conn, [(domain, metric) for metric in (*found.values, *live)])
        placed = await publish(conn, history, now, day)
        await leases.must_settle(conn, candidates, row, **_settled(placed, now))


async def _live_links(
    context: WorkerContext, history: History, values: Sequence[Metric], now: datetime, day: str
) -> list[Metric]:
    """Which of the strongest links are there today, of a name that is about to be listed with a high score."""
    async with context.database.write() as conn:  # it locks the row
        known = (await load_known(conn, [history.domain], now))[history.domain]
    known = replace(known, metrics=known.metrics.plus(values), fresh=True)
    placed = place(history, known, partial(judge, now=now, spam_overruled=known.restored), now, day)
    if placed.row is None or (placed.score or 0) < context.settings.live.from_score:
        return []
    seen = await looked_at(context, history.domain, known.metrics, _LINKS_SECONDS)
    return [] if seen is None else [seen]


async def _followed_listings(context: WorkerContext, row: CandidateRow, now: datetime, day: str) -> bool:
    """Bring a listed name up to date with its listings before its review is renewed.

    The end of a sale, or a new price, must not wait for the archive. True when that settles the row: the name is no
    longer on sale, or the day's cap is used up.
    """
    domain = row["domain"]
    async with context.database.write() as conn:
        placed = (await refresh(conn, [domain], now, day)).get(domain)
        if placed is None or (row["may_review"] and await store.is_offered(conn, domain, now)):
            return False
        await leases.must_settle(conn, candidates, row, **_settled(placed, now))
        return True


def _settled(placed: Placement, now: datetime) -> dict[str, object]:
    return {
        "state": "settled",
        "outcome": placed.outcome,
        "score": placed.score,
        "reasons": list(placed.reasons) or None,
        "settled_at": now,
        "due_at": None,
        "error": None,
    }
