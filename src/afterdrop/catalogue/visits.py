"""The SQL of visits: which names are looked at after their end, when, and what stood there.

A name that is registered anew is visited half a day and 30, 90 and 365 days later. A visit that could not be made
within half a month is left out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.time_zones import midnight
from afterdrop.db import leases
from afterdrop.db.dialects import insert_each_once
from afterdrop.db.leases import Claim
from afterdrop.db.tables.feeds import candidates
from afterdrop.db.tables.review import visits
from afterdrop.review.history.after_life import AfterLife, AfterLifeKind

DAYS: Final = (0, 30, 90, 365)
# A new registrant needs some hours, and so do the servers of the registry.
_FIRST: Final = timedelta(hours=12)
_LATE: Final = timedelta(days=15)
Label = Literal["right", "wrong"]
_visit = visits.c


@dataclass(frozen=True, slots=True)
class NewHolder:
    """The registry's facts about a name's new holder; `dropped_at`: when it was first seen free before that.

    `known_at`: when the state before that was last confirmed.
    """

    registrar: str | None = None
    registered_at: datetime | None = None
    dropped_at: datetime | None = None
    known_at: datetime | None = None


class VisitRow(TypedDict):
    """A row of `visits`."""

    domain: str
    began_at: datetime
    day: int
    registrar: str | None
    registered_at: datetime | None
    dropped_at: datetime | None
    known_at: datetime | None
    ours: str | None
    visited_at: datetime | None
    kind: AfterLifeKind | None
    title: str | None
    category: str | None
    quotes: list[str] | None
    price: str | None
    leads_to: str | None
    note: str | None
    url: str | None
    evidence: str | None
    label: Label | None
    labelled_at: datetime | None
    after_account: int
    told_at: datetime | None
    due_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


async def plan(conn: AsyncConnection, domain: str, holder: NewHolder, now: datetime) -> None:
    """Visit a name that has a new holder at `now`; what was planned after an earlier one falls away."""
    await conn.execute(sa.delete(visits).where(_visit.domain == domain, _visit.visited_at.is_(None)))
    ours = await conn.scalar(sa.select(candidates.c.outcome).where(candidates.c.domain == domain))
    rows = [
        {
            **{"domain": domain, "began_at": now, "day": day, "ours": ours, "attempts": 0, **asdict(holder)},
            "due_at": now + (timedelta(days=day) or _FIRST),
        }
        for day in DAYS
    ]
    await insert_each_once(conn, visits, rows, ["domain", "began_at", "day"], [_visit.domain])


async def claim(conn: AsyncConnection, claim: Claim) -> list[VisitRow]:
    """Take visits that are due, the longest overdue first."""
    due = sa.and_(_visit.visited_at.is_(None), _visit.due_at <= claim.now, _visit.due_at > claim.now - _LATE)
    return await leases.claim(conn, visits, claim, due, [_visit.due_at, _visit.domain])


async def made_today(conn: AsyncConnection, now: datetime) -> int:
    """How many visits were made on the UTC day of `now`."""
    day = midnight(now)
    today = (_visit.visited_at >= day, _visit.visited_at < day + timedelta(days=1))
    query = sa.select(sa.func.count()).select_from(visits).where(*today)
    return (await conn.execute(query)).scalar_one()


async def settle(
    conn: AsyncConnection, row: VisitRow, life: AfterLife, url: str, evidence: str | None, now: datetime
) -> None:
    """Write what stood there. Raises LeaseLost."""
    await leases.must_settle(
        conn,
        visits,
        row,
        visited_at=now,
        kind=life.kind,
        title=life.title,
        category=life.category,
        quotes=list(life.quotes),
        price=life.price,
        leads_to=life.to,
        note=life.note,
        url=url,
        evidence=evidence,
        error=None,
    )


async def of_names(conn: AsyncConnection, names: Collection[str]) -> list[VisitRow]:
    """The visits that were made of these names (at most 1,000), by name, the newest first."""
    mine = sa.select(visits).where(_visit.domain.in_(sorted(names)), _visit.visited_at.is_not(None))
    result = await conn.execute(mine.order_by(_visit.domain, _visit.visited_at.desc()))
    return [cast(VisitRow, dict(row)) for row in result.mappings()]


async def before(conn: AsyncConnection, row: VisitRow) -> VisitRow | None:
    """The last visit before this one, after the same registration, that told anything."""
    mine = (_visit.domain == row["domain"], _visit.began_at == row["began_at"], _visit.day < row["day"])
    answered = (_visit.visited_at.is_not(None), _visit.kind != "unclear")
    query = sa.select(visits).where(*mine, *answered).order_by(_visit.day.desc()).limit(1)
    earlier = (await conn.execute(query)).mappings().one_or_none()
    return cast(VisitRow, dict(earlier)) if earlier else None


async def next_untold(conn: AsyncConnection) -> VisitRow | None:
    """The oldest visit of which not all followers were told."""
    query = sa.select(visits).where(_visit.visited_at.is_not(None), _visit.told_at.is_(None))
    row = (
        (await conn.execute(query.order_by(_visit.visited_at, _visit.domain).limit(1)))
        .mappings()
        .one_or_none()
    )
    return cast(VisitRow, dict(row)) if row else None


async def advance(conn: AsyncConnection, row: VisitRow, up_to: int | None, now: datetime) -> bool:
    """Write that accounts up to `up_to` are told of a visit (None: all); False when another worker has done so."""
    reached: dict[str, object] = {"told_at": now} if up_to is None else {"after_account": up_to}
    mine = (_visit.domain == row["domain"], _visit.began_at == row["began_at"], _visit.day == row["day"])
    untold = (_visit.after_account == row["after_account"], _visit.told_at.is_(None))
    return (await conn.execute(sa.update(visits).where(*mine, *untold).values(**reached))).rowcount == 1


async def newest(
    conn: AsyncConnection, ours: str | None, kind: AfterLifeKind | None, limit: int
) -> list[VisitRow]:
    """The newest visits: of names with that outcome and of that kind, where they are given."""
    query = sa.select(visits).where(_visit.visited_at.is_not(None))
    if ours is not None:
        query = query.where(_visit.ours == ours)
    if kind is not None:
        query = query.where(_visit.kind == kind)
    result = await conn.execute(query.order_by(_visit.visited_at.desc(), _visit.domain).limit(limit))
    return [cast(VisitRow, dict(row)) for row in result.mappings()]


async def every(conn: AsyncConnection) -> AsyncIterator[VisitRow]:
    """All visits that were made, by name and time."""
    query = sa.select(visits).where(_visit.visited_at.is_not(None))
    rows = await conn.stream(query.order_by(_visit.domain, _visit.visited_at))
    async for row in rows.mappings():
        yield cast(VisitRow, dict(row))


async def planned(conn: AsyncConnection, limit: int) -> list[str]:
    """Names that are to be visited, the next ones first."""
    query = sa.select(_visit.domain).where(_visit.visited_at.is_(None)).group_by(_visit.domain)
    return list(await conn.scalars(query.order_by(sa.func.min(_visit.due_at), _visit.domain).limit(limit)))


def spent(now: datetime, keep: timedelta) -> sa.ColumnElement[bool]:
    """Visits made longer ago than `keep`, and those that were missed."""
    missed = sa.and_(_visit.visited_at.is_(None), _visit.due_at <= now - _LATE)
    return sa.or_(_visit.visited_at <= now - keep, missed)


async def put_label(
    conn: AsyncConnection, domain: str, began_at: datetime, day: int, label: Label | None, now: datetime
) -> bool:
    """Store a person's label of a visit's kind; False where there is no such visit."""
    mine = (_visit.domain == domain, _visit.began_at == began_at, _visit.day == day)
    update = sa.update(visits).where(*mine, _visit.visited_at.is_not(None))
    return (await conn.execute(update.values(label=label, labelled_at=now))).rowcount == 1


async def counts(conn: AsyncConnection) -> Sequence[tuple[str | None, AfterLifeKind, int]]:
    """Of names by the outcome that their scan had: how many are what by their last visit."""
    newest = sa.func.row_number().over(partition_by=_visit.domain, order_by=_visit.visited_at.desc())
    ranked = (
        sa.select(_visit.ours, _visit.kind, newest.label("place"))
        .where(_visit.visited_at.is_not(None))
        .subquery()
    )
    totals = (
        sa.select(ranked.c.ours, ranked.c.kind, sa.func.count())
        .where(ranked.c.place == 1)
        .group_by(ranked.c.ours, ranked.c.kind)
        .order_by(ranked.c.ours, ranked.c.kind)
    )
    return [(ours, kind, count) for ours, kind, count in await conn.execute(totals)]
