"""The SQL of the scan: its row, the candidates it waits for, and which candidates a worker may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db import leases
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.feeds import candidates, listings, scans, source_runs
from afterdrop.db.tables.review import reviews

SOON = timedelta(hours=48)

_scan = scans.c
_candidate = candidates.c


async def open_scan(conn: AsyncConnection, now: datetime, deadline: datetime) -> dict[str, Any]:
    """The scan under way, or a new one: scans never overlap."""
    under_way = sa.select(scans).where(_scan.finished_at.is_(None)).order_by(_scan.id).limit(1)
    row = (await conn.execute(under_way)).mappings().first()
    if row is None:
        made = sa.insert(scans).values(
            day=now.strftime("%Y-%m-%d"), started_at=now, deadline_at=deadline, counts={}
        )
        row = (await conn.execute(made.returning(scans))).mappings().one()
    return dict(row)


async def scan_row(conn: AsyncConnection, scan_id: int) -> dict[str, Any]:
    """A scan's row."""
    return dict((await conn.execute(sa.select(scans).where(_scan.id == scan_id))).mappings().one())


async def hold_intake(
    conn: AsyncConnection, scan_id: int, worker: str, now: datetime, lease: timedelta
) -> bool:
    """Take or keep the intake of a scan; False while another live worker has it, and once the scan is closed."""
    free = sa.or_(_scan.lease_until.is_(None), _scan.lease_until <= now, _scan.claimed_by == worker)
    done = await conn.execute(
        sa.update(scans)
        .where(_scan.id == scan_id, _scan.finished_at.is_(None), free)
        .values(claimed_by=worker, lease_until=now + lease)
    )
    return done.rowcount == 1


async def release_intake(conn: AsyncConnection, scan_id: int, worker: str) -> None:
    """Let the intake of a scan go, if it is still this worker's."""
    mine = sa.and_(_scan.id == scan_id, _scan.claimed_by == worker)
    await conn.execute(sa.update(scans).where(mine).values(claimed_by=None, lease_until=None))


async def run_states(conn: AsyncConnection, scan_id: int) -> dict[str, str]:
    """How far the scan's feeds are: state by feed."""
    c = source_runs.c
    return {
        feed: state
        for feed, state in await conn.execute(sa.select(c.feed, c.state).where(c.scan_id == scan_id))
    }


async def reopen_run(conn: AsyncConnection, scan_id: int, feed: str) -> int | None:
    """Let an ended run of the scan begin anew; its id, None where there is none."""
    c = source_runs.c
    ended = sa.and_(c.scan_id == scan_id, c.feed == feed, c.state.in_(("done", "suspect")))
    reopened = sa.update(source_runs).where(ended).values(state="pending").returning(c.id)
    found: int | None = (await conn.execute(reopened)).scalar_one_or_none()
    return found


async def unsee(conn: AsyncConnection, feed: str, run_id: int, after: int, limit: int) -> int | None:
    """Forget of up to `limit` listings beyond the id `after` that this run saw them; the last id, None at the end."""
    c = listings.c
    seen = sa.and_(c.feed == feed, c.seen_run == run_id)
    some = (await conn.scalars(sa.select(c.id).where(seen, c.id > after).order_by(c.id).limit(limit))).all()
    if not some:
        return None
    await conn.execute(sa.update(listings).where(seen, c.id.between(some[0], some[-1])).values(seen_run=0))
    return int(some[-1])


async def intake_done(conn: AsyncConnection, scan_id: int, now: datetime) -> None:
    """Every feed was taken in or failed: sum up what they told."""
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
    """Count up to `limit` candidates that wait since an earlier scan to this one; gives how many."""
    elsewhere = sa.or_(_candidate.scan_id != scan_id, _candidate.scan_id.is_(None))
    some = sa.select(_candidate.domain).where(_candidate.state == "due", elsewhere).limit(limit)
    names = (await conn.scalars(some)).all()
    moved = sa.update(candidates).where(_candidate.domain.in_(names), _candidate.state == "due")
    if names:
        await conn.execute(moved.values(scan_id=scan_id))
    return len(names)


def _ended(scan_id: int, now: datetime) -> sa.ColumnElement[bool]:
    """The scan's waiting candidates whose last listing has ended, and which nothing but a review could publish.

    A published name follows its listings, and one with a valid review is settled by it: neither needs a fetch.
    """
    c = reviews.c
    live = sa.exists().where(_offers(_candidate.domain, now))
    reviewed = sa.exists().where(c.domain == _candidate.domain, c.valid_until > now)
    published = sa.exists().where(domains.c.domain == _candidate.domain)
    free = sa.or_(_candidate.lease_until.is_(None), _candidate.lease_until <= now)
    mine = sa.and_(_candidate.scan_id == scan_id, _candidate.state == "due")
    return sa.and_(mine, free, ~live, ~reviewed, ~published)


async def ended(conn: AsyncConnection, scan_id: int, now: datetime, after: str, limit: int) -> list[str]:
    """Up to `limit` candidates beyond the name `after` that `drop_ended` settles, by name."""
    some = sa.select(_candidate.domain).where(_ended(scan_id, now), _candidate.domain > after)
    return list((await conn.scalars(some.order_by(_candidate.domain).limit(limit))).all())


async def drop_ended(conn: AsyncConnection, scan_id: int, now: datetime, names: Sequence[str]) -> None:
    """Settle those of `names` whose last listing has ended without a review.

    One that was rejected before stays rejected, with its reasons; it counts as never settled, so that a new listing
    has it reviewed. The others are `not_reviewed_in_time`.
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


def _offers(domain: sa.ColumnElement[str] | str, now: datetime) -> sa.ColumnElement[bool]:
    """The listings of `domain` that are live."""
    unseen = sa.or_(listings.c.live_until.is_(None), listings.c.live_until > now)
    return sa.and_(listings.c.domain == domain, listings.c.withdrawn_at.is_(None), unseen)


async def is_offered(conn: AsyncConnection, domain: str, now: datetime) -> bool:
    """Whether a listing of the domain is live."""
    return bool((await conn.execute(sa.select(sa.exists().where(_offers(domain, now))))).scalar_one())


async def was_published(conn: AsyncConnection, domain: str) -> bool:
    """Whether the catalogue has the domain."""
    return bool((await conn.execute(sa.select(sa.exists().where(domains.c.domain == domain)))).scalar_one())


async def waiting(conn: AsyncConnection, scan_id: int) -> int:
    """How many candidates of the scan are not settled."""
    count = sa.select(sa.func.count()).where(_candidate.scan_id == scan_id, _candidate.state == "due")
    return int((await conn.execute(count)).scalar_one())


async def reviews_left(conn: AsyncConnection, cap: int, now: datetime) -> int:
    """How many more reviews the day's cap allows."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    count = sa.select(sa.func.count()).where(reviews.c.reviewed_at >= midnight)
    return max(0, cap - int((await conn.execute(count)).scalar_one()))


def _reviewed(now: datetime) -> sa.ColumnElement[bool]:
    """Candidates with a valid review."""
    return _candidate.domain.in_(sa.select(reviews.c.domain).where(reviews.c.valid_until > now))


def _needs_no_fetch(now: datetime) -> sa.ColumnElement[bool]:
    """Candidates that go by what is stored: their review is valid, or they are on the live list, whose listings
    they follow without one."""
    live = sa.or_(domains.c.live_until.is_(None), domains.c.live_until > now)
    listed = sa.select(domains.c.domain).where(domains.c.removed_at.is_(None), live)
    return sa.or_(_reviewed(now), _candidate.domain.in_(listed))


async def anything_at_hand(conn: AsyncConnection, now: datetime) -> bool:
    """Whether a candidate is due that needs no fetch."""
    due = sa.and_(_candidate.state == "due", _candidate.due_at <= now, _needs_no_fetch(now))
    return bool((await conn.execute(sa.select(sa.exists().where(due)))).scalar_one())


async def _in_hand(conn: AsyncConnection, now: datetime) -> int:
    """How many candidates are being reviewed by live workers."""
    c = reviews.c
    reviewed = sa.exists().where(c.domain == _candidate.domain, c.valid_until > now)
    held = sa.and_(_candidate.state == "due", _candidate.lease_until > now, ~reviewed)
    return int((await conn.execute(sa.select(sa.func.count()).where(held))).scalar_one())


async def claim_candidates(
    conn: AsyncConnection, worker: str, now: datetime, lease: timedelta, limit: int, cap: int
) -> list[dict[str, Any]]:
    """Take candidates to review: ending within 48 hours first, then by authority.

    Never more than the day's cap has left beside those in hand. Once it is used up only those are taken that need
    no fetch. `may_review` of a row says which of the two it was.
    """
    # In this order: a review that ends between the two questions is counted twice, never left out.
    in_hand = await _in_hand(conn, now)
    room = await reviews_left(conn, cap, now) - in_hand
    soon = _candidate.ends_at <= now + SOON
    # One claim after the other, as each finds its rows in the order of an index: sorting all that wait takes long.
    turns = [soon, sa.or_(_candidate.ends_at.is_(None), ~soon)] if room > 0 else [_needs_no_fetch(now)]
    limit = min(limit, room) if room > 0 else limit
    taken: list[dict[str, Any]] = []
    for turn in turns:
        if len(taken) < limit:
            taken += await leases.claim(
                conn,
                candidates,
                worker=worker,
                now=now,
                lease=lease,
                limit=limit - len(taken),
                due=sa.and_(_candidate.state == "due", _candidate.due_at <= now, turn),
                order_by=[_candidate.authority.desc(), _candidate.domain.desc()],
            )
    return [{**row, "may_review": room > 0} for row in taken]


async def finish(conn: AsyncConnection, scan_id: int, now: datetime) -> bool:
    """Close the scan with what became of its candidates; False when it is closed or a feed is being taken in."""
    outcomes = await conn.execute(
        sa.select(_candidate.outcome, sa.func.count())
        .where(_candidate.scan_id == scan_id)
        .group_by(_candidate.outcome)
    )
    idle = sa.or_(_scan.lease_until.is_(None), _scan.lease_until <= now)
    fates = {outcome or "left_over": number for outcome, number in outcomes}
    counts: Mapping[str, Any] = (
        await conn.execute(sa.select(_scan.counts).where(_scan.id == scan_id))
    ).scalar_one()
    done = await conn.execute(
        sa.update(scans)
        .where(_scan.id == scan_id, _scan.finished_at.is_(None), idle)
        .values(finished_at=now, counts={**counts, **fates}, claimed_by=None, lease_until=None)
    )
    return done.rowcount == 1


async def day_of_scan(conn: AsyncConnection, scan_id: int | None) -> str | None:
    """The day of a scan, None for none."""
    found = await conn.execute(sa.select(_scan.day).where(_scan.id == scan_id))
    day: str | None = found.scalar_one_or_none()
    return day


async def figures(conn: AsyncConnection, scan_id: int) -> dict[str, Any]:
    """A scan's figures as plain values: the scan itself, and its feeds with counts by reason."""
    row = (await conn.execute(sa.select(scans).where(_scan.id == scan_id))).mappings().one()
    feed_rows = await conn.execute(
        sa.select(source_runs).where(source_runs.c.scan_id == scan_id).order_by(source_runs.c.id)
    )
    names = ("feed", "source", "state", "rows", "good", "passed", "counts", "samples", "accepted", "error")
    return {
        **{name: row[name] for name in ("id", "day", "started_at", "finished_at", "scanned")},
        "passed_authority_filter": row["passed_authority_filter"],
        "counts": dict(row["counts"]),
        "feeds": [{name: feed[name] for name in names} for feed in feed_rows.mappings()],
    }


async def valid_reviews_among(conn: AsyncConnection, names: list[str], now: datetime) -> int:
    """How many of `names` have a review that is still valid."""
    total = 0
    for start in range(0, len(names), 500):
        some = names[start : start + 500]
        count = sa.select(sa.func.count()).where(reviews.c.domain.in_(some), reviews.c.valid_until > now)
        total += int((await conn.execute(count)).scalar_one())
    return total


async def anything_urgent(conn: AsyncConnection, now: datetime) -> bool:
    """Whether a candidate or a check waits for a worker."""
    candidate = sa.exists().where(_candidate.state == "due", _candidate.due_at <= now)
    check = sa.exists().where(checks.c.status == "queued", checks.c.due_at <= now)
    return bool((await conn.execute(sa.select(sa.or_(candidate, check)))).scalar_one())
