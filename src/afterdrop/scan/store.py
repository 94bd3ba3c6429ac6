"""The SQL of the scan: its row, the candidates it waits for, and which candidates a worker may take."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.store import live
from afterdrop.core.time_zones import midnight
from afterdrop.db import leases
from afterdrop.db.leases import Claim
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.feeds import candidates, listings, scans, source_runs
from afterdrop.db.tables.review import reviews
from afterdrop.feeds.row_outcome import UNSEEN
from afterdrop.feeds.store import due_candidates
from afterdrop.scan.scan_rows import FeedFigures, ScanFigures

# Candidates whose listing ends within this time are reviewed first.
SOON: Final = timedelta(hours=48)

_scan = scans.c
_candidate = candidates.c


@dataclass(frozen=True)
class Scan:
    """A scan: its id, its day (2026-11-20) and when it began; every feed row is judged as of then.

    `intake_until`: until when a worker holds its intake, None while none does.
    """

    id: int
    day: str
    started_at: datetime
    deadline_at: datetime
    intake_done: bool
    finished: bool = False
    intake_until: datetime | None = None

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> Scan:
        """From a row of the table `scans`."""
        return cls(
            row["id"],
            row["day"],
            row["started_at"],
            row["deadline_at"],
            row["intake_done_at"] is not None,
            row["finished_at"] is not None,
            row["lease_until"],
        )


class CandidateRow(TypedDict):
    """A claimed row of `candidates`. `may_review`: the day's cap allows it a review."""

    domain: str
    scan_id: int | None
    state: str
    outcome: str | None
    authority: float
    ends_at: datetime | None
    first_seen_at: datetime
    settled_at: datetime | None
    score: int | None
    reasons: list[str] | None
    due_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None
    may_review: bool


async def open_scan(conn: AsyncConnection, now: datetime, deadline: datetime) -> Scan:
    """The scan under way, or a new one: scans never overlap."""
    under_way = await scan_under_way(conn)
    if under_way is not None:
        return under_way
    made = sa.insert(scans).values(
        day=now.strftime("%Y-%m-%d"), started_at=now, deadline_at=deadline, counts={}
    )
    return Scan.of((await conn.execute(made.returning(scans))).mappings().one())


async def scan_under_way(conn: AsyncConnection) -> Scan | None:
    """The scan that is not closed, if there is one."""
    result = await conn.execute(
        sa.select(scans).where(_scan.finished_at.is_(None)).order_by(_scan.id).limit(1)
    )
    row = result.mappings().first()
    return None if row is None else Scan.of(row)


async def load_scan(conn: AsyncConnection, scan_id: int) -> Scan:
    """A scan as it stands now."""
    return Scan.of((await conn.execute(sa.select(scans).where(_scan.id == scan_id))).mappings().one())


async def hold_intake(
    conn: AsyncConnection, scan_id: int, worker: str, now: datetime, lease: timedelta
) -> bool:
    """Take or keep the intake of a scan; False while another live worker holds it, and once the scan is closed."""
    free = sa.or_(_scan.lease_until.is_(None), _scan.lease_until <= now, _scan.claimed_by == worker)
    done = await conn.execute(
        sa.update(scans)
        .where(_scan.id == scan_id, _scan.finished_at.is_(None), free)
        .values(claimed_by=worker, lease_until=now + lease)
    )
    return done.rowcount == 1


async def release_intake(conn: AsyncConnection, scan_id: int, worker: str) -> None:
    """Release the intake of a scan, if this worker still holds it."""
    mine = sa.and_(_scan.id == scan_id, _scan.claimed_by == worker)
    await conn.execute(sa.update(scans).where(mine).values(claimed_by=None, lease_until=None))


async def run_states(conn: AsyncConnection, scan_id: int) -> dict[str, str]:
    """The states of the scan's feeds, by feed."""
    c = source_runs.c
    return {
        feed: state
        for feed, state in await conn.execute(sa.select(c.feed, c.state).where(c.scan_id == scan_id))
    }


async def reopen_run(conn: AsyncConnection, scan_id: int, feed: str) -> int | None:
    """Let an ended feed run of the scan begin anew; gives its id, None where there is none."""
    c = source_runs.c
    ended = sa.and_(c.scan_id == scan_id, c.feed == feed, c.state.in_(("done", "suspect")))
    reopened = sa.update(source_runs).where(ended).values(state="pending").returning(c.id)
    found: int | None = (await conn.execute(reopened)).scalar_one_or_none()
    return found


async def clear_seen_run(conn: AsyncConnection, feed: str, run_id: int, after: int, limit: int) -> int | None:
    """Mark up to `limit` listings with ids above `after` as not seen by this run; the last id, None at the end."""
    c = listings.c
    seen = sa.and_(c.feed == feed, c.seen_run == run_id)
    some = (await conn.scalars(sa.select(c.id).where(seen, c.id > after).order_by(c.id).limit(limit))).all()
    if not some:
        return None
    await conn.execute(sa.update(listings).where(seen, c.id.between(some[0], some[-1])).values(seen_run=0))
    return int(some[-1])


async def end_intake(conn: AsyncConnection, scan_id: int, now: datetime) -> None:
    """Note that every feed was taken in or failed, with the sums of their figures."""
    sums = await conn.execute(
        sa.select(source_runs.c.good, source_runs.c.passed, source_runs.c.counts).where(
            source_runs.c.scan_id == scan_id
        )
    )
    good, passed, counts = 0, 0, dict[str, int]()
    for row in sums:
        good += row.good
        passed += row.passed
        for reason, number in row.counts.items():
            if isinstance(number, int):
                counts[reason] = counts.get(reason, 0) + number
    await conn.execute(
        sa.update(scans)
        .where(_scan.id == scan_id, _scan.finished_at.is_(None))
        .values(intake_done_at=now, scanned=good, passed_authority_filter=passed, counts=counts)
    )


async def take_left_over(conn: AsyncConnection, scan_id: int, limit: int) -> int:
    """Move up to `limit` candidates that have waited since an earlier scan to this one; gives how many."""
    elsewhere = sa.or_(_candidate.scan_id != scan_id, _candidate.scan_id.is_(None))
    some = sa.select(_candidate.domain).where(_candidate.state == "due", elsewhere).limit(limit)
    names = (await conn.scalars(some)).all()
    moved = sa.update(candidates).where(_candidate.domain.in_(names), _candidate.state == "due")
    if names:
        await conn.execute(moved.values(scan_id=scan_id))
    return len(names)


async def expire_unconfigured(
    conn: AsyncConnection, feeds: Collection[str], scan_id: int, now: datetime, limit: int
) -> int:
    """Give an end to up to `limit` listings without one whose feed is not among the configured `feeds`.

    No file will ever withdraw them, so they end as those of an incomplete feed do. The candidates of listed names
    become due, so that the catalogue follows. Gives how many listings.
    """
    c = listings.c
    endless = sa.and_(c.live_until.is_(None), c.withdrawn_at.is_(None), c.feed.not_in(feeds))
    rows = (await conn.execute(sa.select(c.id, c.domain, c.last_seen_at).where(endless).limit(limit))).all()
    if not rows:
        return 0
    await conn.execute(
        sa.update(listings)
        .where(c.id == sa.bindparam("which"))
        .values(live_until=sa.bindparam("end", type_=c.live_until.type)),
        [{"which": row.id, "end": row.last_seen_at + UNSEEN} for row in rows],
    )
    listed = sa.select(domains.c.domain).where(
        domains.c.domain.in_({row.domain for row in rows}), domains.c.removed_at.is_(None)
    )
    await due_candidates(conn, list((await conn.scalars(listed)).all()), scan_id, now)
    return len(rows)


def _live_listings(now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(listings.c.withdrawn_at.is_(None), live(listings, now))


def _has_valid_review(now: datetime) -> sa.ColumnElement[bool]:
    return sa.exists().where(reviews.c.domain == _candidate.domain, reviews.c.valid_until > now)


def _ended(scan_id: int, now: datetime) -> sa.ColumnElement[bool]:
    """The scan's waiting candidates whose last listing has ended, and which nothing but a review could publish.

    A published name follows its listings, and one with a valid review is settled by that: neither needs a fetch.
    """
    offered = sa.exists().where(listings.c.domain == _candidate.domain, _live_listings(now))
    published = sa.exists().where(domains.c.domain == _candidate.domain)
    free = sa.or_(_candidate.lease_until.is_(None), _candidate.lease_until <= now)
    mine = sa.and_(_candidate.scan_id == scan_id, _candidate.state == "due")
    return sa.and_(mine, free, ~offered, ~_has_valid_review(now), ~published)


async def ended_candidates(
    conn: AsyncConnection, scan_id: int, now: datetime, after: str, limit: int
) -> list[str]:
    """Up to `limit` candidates with names after `after` that `settle_ended` settles, by name."""
    some = sa.select(_candidate.domain).where(_ended(scan_id, now), _candidate.domain > after)
    return list((await conn.scalars(some.order_by(_candidate.domain).limit(limit))).all())


async def settle_ended(conn: AsyncConnection, scan_id: int, now: datetime, names: Sequence[str]) -> None:
    """Settle those of `names` whose last listing has ended without a review.

    One that was rejected before stays rejected, with its reasons; it counts as never settled, so that a new listing
    leads to a review. The others become `not_reviewed_in_time`.
    """
    stays = _candidate.reasons.is_not(None)
    await conn.execute(
        sa.update(candidates)
        .where(_candidate.domain.in_(names), _ended(scan_id, now))
        .values(
            state="settled",
            outcome=sa.case((stays, "rejected"), else_="not_reviewed_in_time"),
            settled_at=sa.case((stays, None), else_=sa.literal(now, _candidate.settled_at.type)),
            due_at=None,
        )
    )


async def is_offered(conn: AsyncConnection, domain: str, now: datetime) -> bool:
    """Whether a listing of the domain is live."""
    offered = sa.exists().where(listings.c.domain == domain, _live_listings(now))
    return bool((await conn.execute(sa.select(offered))).scalar_one())


async def count_waiting(conn: AsyncConnection, scan_id: int) -> int:
    """How many candidates of the scan are not settled."""
    count = sa.select(sa.func.count()).where(_candidate.scan_id == scan_id, _candidate.state == "due")
    return int((await conn.execute(count)).scalar_one())


async def reviews_left(conn: AsyncConnection, cap: int, now: datetime) -> int:
    """How many more reviews the day's cap allows."""
    count = sa.select(sa.func.count()).where(reviews.c.reviewed_at >= midnight(now))
    return max(0, cap - int((await conn.execute(count)).scalar_one()))


def _needs_no_fetch(now: datetime) -> sa.ColumnElement[bool]:
    """Candidates that can be settled from what is stored.

    Their review is valid, or they are on the live list, which follows their listings without a review.
    """
    reviewed = _candidate.domain.in_(sa.select(reviews.c.domain).where(reviews.c.valid_until > now))
    listed = sa.select(domains.c.domain).where(domains.c.removed_at.is_(None), live(domains, now))
    return sa.or_(reviewed, _candidate.domain.in_(listed))


async def any_due_without_fetch(conn: AsyncConnection, now: datetime) -> bool:
    """Whether a candidate is due that needs no fetch."""
    due = sa.and_(_candidate.state == "due", _candidate.due_at <= now, _needs_no_fetch(now))
    return bool((await conn.execute(sa.select(sa.exists().where(due)))).scalar_one())


async def claim_candidates(
    conn: AsyncConnection,
    claim: Claim,
    cap: int,
    *,
    fetch: bool = True,
) -> list[CandidateRow]:
    """Take candidates to review: ending within 48 hours first, then by authority.

    Those under review and those taken never exceed the day's cap. Once it is used up, only those are taken that need
    no fetch; `may_review` of a row says which of the two it was. With `fetch` False, while the archive is away, too.
    """
    now = claim.now
    # In this order a review that ends between the two queries is counted twice, never left out.
    # How many candidates are being reviewed by live workers.
    held = sa.and_(_candidate.state == "due", _candidate.lease_until > now, ~_has_valid_review(now))
    under_review = int((await conn.execute(sa.select(sa.func.count()).where(held))).scalar_one())
    room = await reviews_left(conn, cap, now) - under_review
    soon = _candidate.ends_at <= now + SOON
    # One claim after the other, each in the order of an index: sorting all candidates that wait takes long.
    by_end = [soon, sa.or_(_candidate.ends_at.is_(None), ~soon)]
    turns = by_end if room > 0 and fetch else [_needs_no_fetch(now)]
    limit = min(claim.limit, room) if room > 0 else claim.limit
    taken: list[CandidateRow] = []
    for turn in turns:
        if len(taken) < limit:
            due = sa.and_(_candidate.state == "due", _candidate.due_at <= now, turn)
            best = [_candidate.authority.desc(), _candidate.domain.desc()]
            rest = replace(claim, limit=limit - len(taken))
            rows = await leases.claim(conn, candidates, rest, due, best)
            taken += [cast(CandidateRow, {**row, "may_review": room > 0}) for row in rows]
    return taken


async def close_scan(conn: AsyncConnection, scan_id: int, now: datetime) -> bool:
    """Close the scan with its candidates' outcomes counted; False when it is closed or a feed is being taken in."""
    outcomes = await conn.execute(
        sa.select(_candidate.outcome, sa.func.count())
        .where(_candidate.scan_id == scan_id)
        .group_by(_candidate.outcome)
    )
    idle = sa.or_(_scan.lease_until.is_(None), _scan.lease_until <= now)
    by_outcome = {outcome or "left_over": number for outcome, number in outcomes}
    counts: Mapping[str, object] = (
        await conn.execute(sa.select(_scan.counts).where(_scan.id == scan_id))
    ).scalar_one()
    done = await conn.execute(
        sa.update(scans)
        .where(_scan.id == scan_id, _scan.finished_at.is_(None), idle)
        .values(finished_at=now, counts={**counts, **by_outcome}, claimed_by=None, lease_until=None)
    )
    return done.rowcount == 1


async def day_of_scan(conn: AsyncConnection, scan_id: int | None) -> str | None:
    """The day of a scan, None for none."""
    result = await conn.execute(sa.select(_scan.day).where(_scan.id == scan_id))
    day: str | None = result.scalar_one_or_none()
    return day


async def scan_figures(conn: AsyncConnection, scan_id: int) -> ScanFigures:
    """A scan's figures, and those of its feeds in the order they were read."""
    row = (await conn.execute(sa.select(scans).where(_scan.id == scan_id))).mappings().one()
    feed_rows = await conn.execute(
        sa.select(source_runs).where(source_runs.c.scan_id == scan_id).order_by(source_runs.c.id)
    )
    feeds = [{name: feed[name] for name in FeedFigures.__annotations__} for feed in feed_rows.mappings()]
    own = {name: row[name] for name in ScanFigures.__annotations__ if name != "feeds"}
    return cast(ScanFigures, {**own, "counts": dict(row["counts"]), "feeds": feeds})


async def any_review_due(conn: AsyncConnection, now: datetime) -> bool:
    """Whether a candidate or a check waits for a worker."""
    candidate = sa.exists().where(_candidate.state == "due", _candidate.due_at <= now)
    check = sa.exists().where(checks.c.status == "queued", checks.c.due_at <= now)
    return bool((await conn.execute(sa.select(sa.or_(candidate, check)))).scalar_one())
