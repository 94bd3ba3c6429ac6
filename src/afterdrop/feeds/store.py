"""The SQL of intake: listings, candidates, metrics, and the record of each feed's run. Nothing here commits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TypedDict, cast

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once, upsert
from afterdrop.db.tables.catalogue import banned_domains, domains
from afterdrop.db.tables.feeds import candidates, listings, metric_values, source_runs
from afterdrop.feeds.plausibility import Lacking
from afterdrop.feeds.row_outcome import (
    CHANGING,
    UNSEEN,
    ChangingValues,
    KnownCandidate,
    KnownListing,
    ListingRow,
)
from afterdrop.feeds.run_context import BadSample, RunContext
from afterdrop.feeds.spec import FeedSpec
from afterdrop.sources.metrics.model import Value

# "One of these names" as one bound value: a million rows are looked up a thousand at a time, and binding a thousand
# values one by one costs more than the look-up. These are built once, because building them costs as much again.
_LISTS = ("names", "besides")
_EACH = {
    name: sa.select(sa.func.json_each(sa.bindparam(name, type_=sa.Text)).table_valued("value").c.value)
    for name in _LISTS
}
_ANY = {name: sa.func.any(sa.bindparam(name, type_=ARRAY(sa.Text))) for name in _LISTS}


class SourceRunRow(TypedDict):
    """The columns of a row of the table `source_runs` that intake reads."""

    id: int
    feed: str
    state: str
    rows: int
    good: int
    passed: int
    counts: dict[str, int | dict[str, int]]
    samples: dict[str, list[BadSample]]
    accepted: bool
    error: str | None


def _among(conn: AsyncConnection, column: sa.Column[str], name: str = "names") -> sa.ColumnElement[bool]:
    """The condition that `column` is one of the values that `_bound` binds as `name`."""
    return column == _ANY[name] if conn.dialect.name == "postgresql" else column.in_(_EACH[name])


def _bound(conn: AsyncConnection, **lists: Sequence[str]) -> dict[str, list[str] | str]:
    """Lists of names as parameters for `_among`."""
    if conn.dialect.name == "postgresql":
        return {name: list(values) for name, values in lists.items()}
    return {name: orjson.dumps(list(values)).decode() for name, values in lists.items()}


async def known_listings(conn: AsyncConnection, source: str, keys: Sequence[str]) -> dict[str, KnownListing]:
    """The stored listings of `source` among `keys`."""
    columns = [listings.c[name] for name in CHANGING]
    rows = await conn.execute(
        sa.select(
            listings.c.external_id,
            listings.c.first_seen_at,
            listings.c.withdrawn_at,
            listings.c.seen_run,
            *columns,
        ).where(listings.c.source == source, _among(conn, listings.c.external_id)),
        _bound(conn, names=keys),
    )
    return {
        key: KnownListing(
            first, withdrawn, seen_run, cast(ChangingValues, dict(zip(CHANGING, values, strict=True)))
        )
        for key, first, withdrawn, seen_run, *values in rows
    }


async def known_candidates(conn: AsyncConnection, domains: Sequence[str]) -> dict[str, KnownCandidate]:
    """The stored candidates among `domains`."""
    c = candidates.c
    rows = await conn.execute(
        sa.select(c.domain, c.state, c.outcome, c.settled_at, c.ends_at).where(_among(conn, c.domain)),
        _bound(conn, names=domains),
    )
    return {domain: KnownCandidate(*rest) for domain, *rest in rows}


async def stored_names(conn: AsyncConnection, source: str) -> AsyncIterator[list[str]]:
    """Every candidate's domain and every key of the source's listings, some thousands at a time."""
    of_source = sa.select(listings.c.external_id).where(listings.c.source == source)
    for wanted in (sa.select(candidates.c.domain), of_source):
        async with conn.stream_scalars(wanted) as names:
            async for some in names.partitions(5000):
                yield list(some)


async def banned_names(conn: AsyncConnection) -> frozenset[str]:
    """Every name that the operator banned: a short list, made by hand."""
    return frozenset(await conn.scalars(sa.select(banned_domains.c.domain)))


async def metrics_of(
    conn: AsyncConnection, provider: str, domains: Sequence[str]
) -> dict[str, dict[str, Value]]:
    """The stored metrics of `provider`: the values by role, for each domain."""
    if not domains:
        return {}
    m = metric_values.c
    rows = await conn.execute(
        sa.select(m.domain, m.role, m.value).where(m.provider == provider, _among(conn, m.domain)),
        _bound(conn, names=domains),
    )
    found: dict[str, dict[str, Value]] = {}
    for domain, role, value in rows:
        found.setdefault(domain, {})[role] = value
    return found


async def soonest_ends(
    conn: AsyncConnection, domains: Sequence[str], source: str, besides: Sequence[str], at: datetime
) -> dict[str, datetime]:
    """The soonest end of each domain's listings that run at `at`; a domain is absent when none of them has an end.

    Listings of `source` with a key in `besides` are left out, because they are being changed.
    """
    if not domains:
        return {}
    c = listings.c
    changing = sa.and_(c.source == source, _among(conn, c.external_id, "besides"))
    rows = await conn.execute(
        sa.select(c.domain, sa.func.min(c.ends_at, type_=c.ends_at.type))
        .where(_among(conn, c.domain), ~changing, c.withdrawn_at.is_(None), c.ends_at > at)
        .group_by(c.domain),
        _bound(conn, names=domains, besides=besides),
    )
    return {domain: end for domain, end in rows}


async def put_listings(conn: AsyncConnection, rows: Sequence[ListingRow]) -> None:
    """Store listings as they are now, new or known."""
    await upsert(conn, listings, rows, ("source", "external_id"))


async def touch_listings(conn: AsyncConnection, context: RunContext, keys: Sequence[str]) -> None:
    """Note that unchanged listings were in the file."""
    if keys:
        await conn.execute(
            sa.update(listings)
            .where(listings.c.source == context.spec.source, _among(conn, listings.c.external_id))
            .values(seen_run=context.run_id, last_seen_at=context.at),
            _bound(conn, names=keys),
        )


async def new_candidates(
    conn: AsyncConnection, context: RunContext, rows: Sequence[tuple[str, float, datetime | None]]
) -> None:
    """Make candidates of (domain, authority, soonest end), due for review."""
    made = [
        {
            "domain": domain,
            "scan_id": context.scan_id,
            "state": "due",
            "authority": authority,
            "ends_at": ends_at,
            "first_seen_at": context.at,
            "due_at": context.now,
        }
        for domain, authority, ends_at in rows
    ]
    await upsert(conn, candidates, made, ("domain",), update=())


async def touch_candidates(
    conn: AsyncConnection,
    domains: Sequence[str],
    ends: Sequence[tuple[str, datetime | None]],
    scan_id: int,
) -> None:
    """Assign candidates to this scan, and update the soonest end of those in `ends`."""
    if domains:
        await conn.execute(
            sa.update(candidates).where(_among(conn, candidates.c.domain)).values(scan_id=scan_id),
            _bound(conn, names=domains),
        )
    if ends:
        await conn.execute(
            sa.update(candidates)
            .where(candidates.c.domain == sa.bindparam("name"))
            .values(ends_at=sa.bindparam("end", type_=candidates.c.ends_at.type)),
            [{"name": domain, "end": end} for domain, end in ends],
        )


async def due_candidates(
    conn: AsyncConnection, domains: Sequence[str], scan_id: int, due_at: datetime
) -> None:
    """Make settled candidates due again, so that a change of their offer reaches the catalogue."""
    if not domains:
        return
    await conn.execute(
        sa.update(candidates)
        .where(_among(conn, candidates.c.domain), candidates.c.state == "settled")
        .values(
            state="due",
            outcome=None,
            settled_at=None,
            due_at=due_at,
            attempts=0,
            error=None,
            scan_id=scan_id,
        ),
        _bound(conn, names=domains),
    )


async def begin_run(conn: AsyncConnection, scan_id: int, spec: FeedSpec, now: datetime) -> SourceRunRow:
    """The row of this feed's run in this scan, made by the first call; `state` says how far an earlier call came."""
    row = {
        "scan_id": scan_id,
        "feed": spec.name,
        "source": spec.source,
        "state": "running",
        "started_at": now,
        "counts": {},
        "samples": {},
    }
    await insert_once(conn, source_runs, row, ("scan_id", "feed"))
    mine = sa.and_(source_runs.c.scan_id == scan_id, source_runs.c.feed == spec.name)
    # A run that failed, or was only announced, begins now.
    await conn.execute(
        sa.update(source_runs)
        .where(mine, source_runs.c.state.in_(("failed", "pending")))
        .values(state="running", started_at=now, finished_at=None, error=None)
    )
    found = (await conn.execute(sa.select(source_runs).where(mine))).mappings().one()
    return cast(SourceRunRow, dict(found))


async def end_run(conn: AsyncConnection, run_id: int, **values: object) -> None:
    """Write the result of a run."""
    await conn.execute(sa.update(source_runs).where(source_runs.c.id == run_id).values(**values))


async def previous_suspect(conn: AsyncConnection, feed: str, run_id: int) -> list[int] | None:
    """The sketch of this feed's last readable file, if that file was suspect; else None."""
    c = source_runs.c
    last = (
        await conn.execute(
            sa.select(c.state, c.sketch)
            .where(c.feed == feed, c.id < run_id, c.state.in_(("done", "suspect")))
            .order_by(c.id.desc())
            .limit(1)
        )
    ).first()
    return list(last.sketch or []) if last is not None and last.state == "suspect" else None


def _ahead(feed: str, at: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(
        listings.c.feed == feed,
        listings.c.withdrawn_at.is_(None),
        sa.or_(listings.c.ends_at.is_(None), listings.c.ends_at > at),
    )


async def count_lacking(conn: AsyncConnection, context: RunContext) -> tuple[Lacking, Lacking]:
    """The feed's listings from before this scan that the file lacks.

    First those that end in the future, then those without an end that were seen in the last `UNSEEN`.
    The latter bound lets a feed recover by itself: names that files have lacked for days say nothing against the next.
    """
    c = listings.c
    endless = c.ends_at.is_(None)
    unseen = sa.func.coalesce(sa.func.sum(sa.case((c.seen_run != context.run_id, 1), else_=0)), 0)
    lately = sa.or_(c.ends_at.is_not(None), c.last_seen_at > context.at - UNSEEN)
    rows = await conn.execute(
        sa.select(endless, sa.func.count(), unseen)
        .where(_ahead(context.spec.name, context.now), c.first_seen_at < context.at, lately)
        .group_by(endless)
    )
    found = {bool(without): Lacking(int(known), int(missing)) for without, known, missing in rows}
    return found.get(False, Lacking()), found.get(True, Lacking())


async def spare_listings(conn: AsyncConnection, context: RunContext, domains: Sequence[str]) -> None:
    """Note that the file may have had these domains' listings, in rows that could not be read. They count as unseen
    before: a file of such rows is as suspect as one that lacks them.
    """
    await conn.execute(
        sa.update(listings)
        .where(listings.c.feed == context.spec.name, _among(conn, listings.c.domain))
        .values(seen_run=context.run_id),
        _bound(conn, names=domains),
    )


async def withdraw_unseen(conn: AsyncConnection, context: RunContext, limit: int) -> int:
    """Withdraw up to `limit` running listings that the complete feed no longer carries, as of the scan's start.

    Their settled candidates become due, so that the catalogue learns of it. Returns how many were withdrawn; 0 means
    that none is left.
    """
    rows = (
        await conn.execute(
            sa.select(listings.c.id, listings.c.domain)
            .where(_ahead(context.spec.name, context.at), listings.c.seen_run != context.run_id)
            .order_by(listings.c.id)
            .limit(limit)
        )
    ).all()
    if not rows:
        return 0
    await conn.execute(
        sa.update(listings).where(listings.c.id.in_([row.id for row in rows])).values(withdrawn_at=context.at)
    )
    c = candidates.c
    failed = sa.and_(c.outcome == "failed", c.domain.in_(sa.select(domains.c.domain)))
    in_catalogue = sa.or_(c.outcome.in_(("published", "refreshed")), failed)
    names = sa.select(c.domain).where(c.domain.in_({row.domain for row in rows}), in_catalogue)
    await due_candidates(conn, list((await conn.scalars(names)).all()), context.scan_id, context.now)
    return len(rows)


async def feeds_without_rows(conn: AsyncConnection) -> dict[str, datetime]:
    """The feeds whose newest run failed or found no row to use, and when."""
    run = source_runs.c
    newest = sa.select(sa.func.max(run.id)).group_by(run.feed)
    empty = sa.and_(run.state == "suspect", run.good == 0)
    failed = sa.select(run.feed, run.finished_at).where(
        run.id.in_(newest), sa.or_(run.state == "failed", empty)
    )
    return {feed: at for feed, at in await conn.execute(failed) if at is not None}
